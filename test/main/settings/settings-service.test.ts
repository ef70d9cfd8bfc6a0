import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../../main/api/default-settings.js";
import type { Settings } from "../../../main/api/settings.js";
import { SettingsService } from "../../../main/settings/settings-service.js";

let folder: string;
let told: Settings[];
const file = () => join(folder, "sub", "settings.json");
const make = () =>
  new SettingsService(file(), (event, data) => {
    if (event === "settings") told.push(data as Settings);
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-settings-"));
  told = [];
});
afterEach(() => rm(folder, { recursive: true }));

describe("settings", () => {
  it("have defaults, are told when they change, and are there after a restart", async () => {
    const settings = make();
    expect(await settings.get()).toEqual(DEFAULT_SETTINGS);
    await Promise.all([settings.set({ theme: "light" }), settings.set({ runtimeBannerDismissed: true })]);
    expect(told.length).toBe(2);
    expect(await make().get()).toMatchObject({ theme: "light", runtimeBannerDismissed: true });
  });

  it("keep the good parts of a file that has bad ones, and survive one that is broken", async () => {
    await make().set({ theme: "light" });
    await writeFile(file(), JSON.stringify({ theme: "purple", recentDocuments: ["/a"], unknown: 1 }));
    expect(await make().get()).toEqual({ ...DEFAULT_SETTINGS, recentDocuments: ["/a"] });
    await writeFile(file(), '{"theme": "li');
    const settings = make();
    expect((await settings.get()).theme).toBe("system");
    await settings.set({ theme: "dark" });
    expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({ theme: "dark" });
  });

  it("keep the newest twenty documents, each once", async () => {
    const settings = make();
    for (let i = 0; i < 25; i++) await settings.addRecentDocument(`/d${i}`);
    // Two windows at once.
    await Promise.all([settings.addRecentDocument("/d24"), settings.addRecentDocument("/d20")]);
    const { recentDocuments } = await settings.get();
    expect(recentDocuments.length).toBe(20);
    expect(recentDocuments.slice(0, 3)).toEqual(["/d20", "/d24", "/d23"]);
  });
});
