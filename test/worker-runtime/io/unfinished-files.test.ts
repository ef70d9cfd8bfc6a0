import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeFileAtomically } from "../../../worker-runtime/io/atomic-write.js";
import { removeAbandonedFiles, writerMark } from "../../../worker-runtime/io/unfinished-files.js";

let folder = "";
/** A mark of this machine, of a process that has ended. */
let gone = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "unfinished-"));
  gone = `${writerMark().split("-")[0]}-${spawnSync(process.execPath, ["--version"]).pid}`;
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test("only what processes of this machine that are gone were writing is removed", async () => {
  const kept = [
    `a.index.tempstate1-${writerMark()}`,
    `a.index.tempstate2-ffffffffffff-${gone.split("-")[1]}`,
    "a.index.tempstate3",
    ".graph.pbtxt.0123456789ab.tmp",
    ".notes.tmp",
    "b.data-00000-of-00001",
    "c.data-00000-of-00001",
    "c.index",
  ];
  const abandoned = [
    `m.data-00000-of-00001.tempstate4-${gone}`,
    `.graph.pbtxt.${gone}.0123456789ab.tmp`,
    `c.index.tempstate5-${gone}`,
    // Its index was about to be written.
    `n.index.tempstate6-${gone}`,
    "n.data-00000-of-00001",
  ];
  for (const name of [...kept, ...abandoned]) await writeFile(join(folder, name), "");
  await removeAbandonedFiles(folder);
  expect((await readdir(folder)).sort()).toEqual(kept.sort());
});

test("what others were writing is removed once it has not changed for a day", async () => {
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  const old = [
    "a.index.tempstate3",
    "a.data-00000-of-00001",
    ".graph.pbtxt.0123456789ab.tmp",
    `b.index.tempstate2-ffffffffffff-${process.pid}`,
    // This process still writes it.
    `c.index.tempstate1-${writerMark()}`,
    "notes.txt",
    ".notes.tmp",
  ];
  for (const name of old) {
    await writeFile(join(folder, name), "");
    await utimes(join(folder, name), yesterday, yesterday);
  }
  await removeAbandonedFiles(folder);
  expect((await readdir(folder)).sort()).toEqual(
    [".notes.tmp", `c.index.tempstate1-${writerMark()}`, "notes.txt"].sort(),
  );
});

test("a model that was moved aside is kept until another is in its place", async () => {
  const aside = `model.tempstate7-${gone}`;
  await mkdir(join(folder, aside));
  await removeAbandonedFiles(folder);
  expect(await readdir(folder)).toEqual([aside]);
  await mkdir(join(folder, "model"));
  await removeAbandonedFiles(folder);
  expect(await readdir(folder)).toEqual(["model"]);
});

test("the next save into a folder removes them", async () => {
  await writeFile(join(folder, `.graph.pb.${gone}.0123456789ab.tmp`), "half");
  await writeFileAtomically(join(folder, "other.pb"), "whole");
  expect(await readdir(folder)).toEqual(["other.pb"]);
});
