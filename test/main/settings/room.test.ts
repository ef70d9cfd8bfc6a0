import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSettings, type SettingsRoom } from "../../../main/settings/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { toldEvents } from "../support/told-events.js";

let folder: string;
let room: SettingsRoom | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-settings-"));
});
afterEach(async () => {
  await room?.dispose();
  await rm(folder, { recursive: true });
});

it("rooms are told of a change before its caller, and no more once the room has ended", async () => {
  const { emit, told } = toldEvents();
  const file = join(folder, "settings.json");
  room = await createSettings({ file, emit });
  const seen: string[] = [];
  room.onChange(async ({ before, now, wanted }) => {
    await Promise.resolve();
    seen.push(`${before.machineName} -> ${now.machineName}, ${Object.keys(wanted).join()}`);
  });
  await room.handlers["settings.set"]({ machineName: "pi" }, THIS_PROGRAM);
  expect(seen).toEqual([" -> pi, machineName"]);
  expect(room.now().machineName).toBe("pi");
  // Windows that come get them from the first event.
  expect(told.map(({ event }) => event)).toEqual(["settings", "settings"]);
  const writing = room.addRecentDocument("/a");
  await room.dispose();
  await writing;
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ recentDocuments: ["/a"] });
  await room.handlers["settings.set"]({ machineName: "pc" }, THIS_PROGRAM);
  expect(seen.length).toBe(1);
});

it("settings that cannot be written are in effect nevertheless", async () => {
  await writeFile(join(folder, "file"), "");
  room = await createSettings({ file: join(folder, "file", "settings.json"), emit: () => {} });
  let allowed: boolean | undefined;
  room.onChange(({ now }) => {
    allowed = now.allowExposedTasks;
  });
  await expect(room.handlers["settings.set"]({ allowExposedTasks: true }, THIS_PROGRAM)).rejects.toThrow(
    "written",
  );
  expect(allowed).toBe(true);
});
