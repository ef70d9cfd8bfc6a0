import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ScriptJob } from "../../../main/api/scripts.js";
import { JobArchive, type KeptJob } from "../../../main/submit/job-archive.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-jobs-"));
});
afterEach(() => rm(folder, { recursive: true }));

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** @param number Tells jobs apart, in the order in which they were started. */
function job(number: number, lines: readonly string[] = []): KeptJob {
  const shown: ScriptJob = {
    ...{ id: idOf(number), script: "train.py", folder: "project", state: "succeeded", startedAt: number },
    request: {
      ...{
        path: "/project/train.py",
        args: [],
        restarts: 0,
        passFlags: false,
        network: false,
        scalars: true,
      },
      tasks: [{ job: "worker", index: 0 }],
    },
    ...{ endedAt: number + 1, restartsLeft: 0, machines: [], scalars: [], collected: [] },
    tasks: [{ name: "worker/0", machine: "laptop", state: "ended", starts: 1 }],
  };
  const log = lines.map((text, sequence) => ({ sequence, at: number, level: "info" as const, text }));
  const curve = { machine: "laptop", folder: "logs", name: "loss", stepsPerPoint: 1 };
  return {
    ...{ id: shown.id, isOver: true, shown: () => shown, stop: () => undefined },
    lines: (task) => (task === "worker/0" ? log : []),
    curves: () => [{ ...curve, steps: [1, 2], values: [3, Number.NaN], low: [3, 3], high: [3, 3] }],
  };
}

it("has the jobs with their lines and curves, the newest first", async () => {
  const archive = new JobArchive(folder, 3);
  await archive.keep(job(1, ["begins", "ends"]));
  await archive.keep(job(2));
  const [newer, older] = await new JobArchive(folder, 3).load();
  expect(newer?.shown()).toEqual(job(2).shown());
  expect(older?.shown()).toEqual(job(1).shown());
  expect(older?.lines("worker/0", 0).map(({ text }) => text)).toEqual(["ends"]);
  expect(older?.lines("worker/1", -1)).toEqual([]);
  expect(older?.curves()).toEqual(job(1).curves());
});

it("keeps the newest lines of a task that wrote a great deal", async () => {
  const archive = new JobArchive(folder, 3);
  const long = "x".repeat(400_000);
  await archive.keep(job(1, [long, long, long, "the end"]));
  const [kept] = await archive.load();
  expect(kept?.lines("worker/0", -1).map(({ text }) => text)).toEqual([long, long, "the end"]);
});

it("drops the oldest, what was forgotten, and files that cannot be read", async () => {
  const archive = new JobArchive(folder, 2);
  for (const number of [1, 2, 3]) {
    await archive.keep(job(number));
    // Written one after the other, whatever the clock of the file system tells apart.
    await utimes(join(folder, `${idOf(number)}.job`), number, number);
  }
  expect((await archive.load()).map(({ id }) => id)).toEqual([idOf(3), idOf(2)]);
  await archive.forget(idOf(3));
  await writeFile(join(folder, `${idOf(4)}.job`), "damaged");
  await writeFile(join(folder, "notes.txt"), "of somebody else");
  expect((await archive.load()).map(({ id }) => id)).toEqual([idOf(2)]);
  expect((await readdir(folder)).sort()).toEqual([`${idOf(2)}.job`, "notes.txt"]);
});
