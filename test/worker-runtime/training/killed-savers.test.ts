/** Whatever moment a saving process is killed at, the folder's list names a checkpoint that can be restored. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import type { Variable } from "../../../worker-runtime/graph/variable.js";
import { BundleReader } from "../../../worker-runtime/io/tensor-bundle/bundle-reader.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import type { WorkerSession } from "../../../worker-runtime/training/between-graph.js";
import { latestCheckpoint } from "../../../worker-runtime/training/checkpoint-state.js";
import { Saver } from "../../../worker-runtime/training/saver.js";
import { spawnPeer } from "../../support/processes.js";

/**
 * `beforeChange` is called before each change of a name in the file system, and the change is made before the next call:
 * shards are saved at once, and a folder that is copied must not change. `links` is whether there are hard links.
 */
const disk = vi.hoisted(() => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    links: true,
    beforeChange: async (): Promise<void> => undefined,
    change<T>(make: () => Promise<T>): Promise<T> {
      const done = last.then(() => disk.beforeChange()).then(make);
      last = done.catch(() => undefined);
      return done;
    },
  };
});

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    rename: (...args: Parameters<typeof real.rename>) => disk.change(() => real.rename(...args)),
    rm: (...args: Parameters<typeof real.rm>) => disk.change(() => real.rm(...args)),
    link: (...args: Parameters<typeof real.link>) =>
      disk.change(async () => {
        if (!disk.links) throw Object.assign(new Error("no links here"), { code: "ENOTSUP" });
        return real.link(...args);
      }),
  };
});

const program = join(import.meta.dirname, "saving-process.mjs");
const files = { resolve: async (path: string) => path };
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-killed-savers-"));
});

afterEach(async () => {
  disk.links = true;
  disk.beforeChange = async () => undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Three variables on two devices. */
function threeVariables(): Variable[] {
  const graph = new Graph();
  const initializer = ops.zerosInitializer();
  return ["a", "b", "c"].map((name, task) =>
    graph.withDevice(`/job:ps/task:${task % 2}`, () =>
      ops.getVariable(graph, name, { shape: [8], initializer }),
    ),
  );
}

/** A session in which every element of every variable is the number of a generation. */
function sessionOf(generation: number): WorkerSession {
  const value = Tensor.of(new Float32Array(8).fill(generation));
  return { run: async (fetches) => ({ values: (fetches ?? []).map(() => value) }) };
}

/** The generation of the newest checkpoint that the folder lists; fails unless it is whole. */
async function latestGeneration(list: string): Promise<number> {
  const prefix = await latestCheckpoint(list);
  if (prefix === undefined) throw new Error(`no checkpoint among ${(await readdir(list)).join(", ")}`);
  const reader = await BundleReader.open(prefix, files);
  try {
    const values = await Promise.all(["a", "b", "c"].map((name) => reader.read(name)));
    const found = new Set(values.flatMap((value) => [...(value.data as Float32Array)]));
    expect([...found]).toHaveLength(1);
    return [...found][0] ?? Number.NaN;
  } finally {
    await reader.close();
  }
}

/** Saves three times; the folder as it is before each change that the second and the third time make. */
async function statesWhileSaving(save: (generation: number) => Promise<unknown>) {
  const list = join(folder, "list");
  const states: { readonly saving: number; readonly copy: string }[] = [];
  await save(1);
  for (const saving of [2, 3]) {
    disk.beforeChange = async () => {
      const copy = join(folder, `state-${states.length}`);
      states.push({ saving, copy });
      await cp(list, copy, { recursive: true });
    };
    await save(saving);
  }
  disk.beforeChange = async () => undefined;
  expect(await latestGeneration(list)).toBe(3);
  return states;
}

describe("every state of the disk while a checkpoint is saved has a whole one", () => {
  test.each([
    { to: "the same name", links: true, sharded: false, steps: false, named: "-of-00001" },
    { to: "the same name in shards", links: true, sharded: true, steps: false, named: "-of-00002" },
    { to: "the same name, without links", links: false, sharded: false, steps: false, named: "-of-00001" },
    { to: "a new name, the old one deleted", links: true, sharded: false, steps: true, named: "-of-00001" },
  ])("to $to", async ({ links, sharded, steps, named }) => {
    disk.links = links;
    const saver = new Saver(threeVariables(), { sharded, maxToKeep: 1 });
    const prefix = join(folder, "list", "model.ckpt");
    const states = await statesWhileSaving((generation) =>
      saver.save(sessionOf(generation), prefix, steps ? { globalStep: generation } : {}),
    );
    expect(states.length).toBeGreaterThanOrEqual(8);
    const seen = new Set<string>();
    for (const { saving, copy } of states) {
      const generation = await latestGeneration(copy);
      seen.add(`${saving} as ${generation}`);
    }
    expect([...seen].sort()).toEqual(["2 as 1", "2 as 2", "3 as 2", "3 as 3"]);
    const left = await readdir(join(folder, "list"));
    const data = left.filter((file) => file.includes(".data-"));
    expect(left.length - data.length).toBe(2);
    expect(data).toHaveLength(sharded ? 2 : 1);
    expect(data.every((file) => file.endsWith(named))).toBe(true);
  });
});

test("a process that saves to one name and is killed leaves a whole checkpoint, in shards or not, and the next save tidies", async () => {
  let generation = 0;
  for (const sharded of [false, true, true, false]) {
    const args = [program, join(folder, "model.ckpt"), String(generation + 1), String(sharded)];
    const saving = await spawnPeer(process.execPath, args);
    const [, told = ""] = await saving.waitForOutput(new RegExp(`^saved (${generation + 5})$`, "m"));
    await saving.stop("SIGKILL");
    generation = await latestGeneration(folder);
    expect(generation).toBeGreaterThanOrEqual(Number(told));
  }
  await new Saver(threeVariables()).save(sessionOf(0), join(folder, "model.ckpt"));
  expect((await readdir(folder)).sort()).toEqual([
    "checkpoint",
    "model.ckpt.data-00000-of-00001",
    "model.ckpt.index",
  ]);
});
