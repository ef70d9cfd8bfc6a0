import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Event } from "../../../../../../protos/generated/tensorflow/event.js";
import { FileBytes } from "../../../../../../worker-runtime/engines/portable/kernels/io/files/file-bytes.js";
import { nextRecord } from "../../../../../../worker-runtime/engines/portable/kernels/io/files/records.js";
import { EventWriter } from "../../../../../../worker-runtime/engines/portable/kernels/logging/event-writer.js";
import { AllowedFolders } from "../../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import { testStep } from "../kernel-runner.js";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "tensordeck-events-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const hour = 3_600_000;

async function eventsIn(folder: string): Promise<Event[]> {
  const [name = ""] = await readdir(folder);
  const bytes = new FileBytes(path.join(folder, name));
  const events: Event[] = [];
  for (;;) {
    const record = await nextRecord(bytes, testStep());
    if (record === undefined) {
      return events;
    }
    events.push(Event.decode(record));
  }
}

test("events wait until there are many, or somebody asks for them", async () => {
  const folder = path.join(root, "a", "b");
  const access = new AllowedFolders([root]);
  const writer = new EventWriter({ folder, suffix: "test", maxQueue: 2, flushMillis: hour }, access);
  await writer.ready();
  const write = (step: number) => writer.write(Event.fromPartial({ step: BigInt(step) }));
  await write(1);
  await write(2);
  expect(await eventsIn(folder)).toMatchObject([{ what: { value: "brain.Event:2" } }]);
  await write(3);
  expect((await eventsIn(folder)).map(({ step }) => step)).toEqual([0n, 1n, 2n, 3n]);
  // One after the other, however many flush at once.
  await Promise.all([write(4), writer.flush(), write(5), writer.flush()]);
  expect((await eventsIn(folder)).map(({ step }) => step)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
});

test("a graph writes where it may and nowhere else, whatever the name ends with", async () => {
  const access = new AllowedFolders([path.join(root, "allowed")]);
  for (const [folder, suffix] of [
    [root, "x"],
    [path.join(root, "allowed"), "/../../../x"],
  ] as const) {
    const writer = new EventWriter({ folder, suffix, maxQueue: 0, flushMillis: 0 }, access);
    await expect(writer.ready()).rejects.toMatchObject({ codeName: "PERMISSION_DENIED" });
  }
  expect((await readdir(root)).includes("allowed")).toBe(false);
});
