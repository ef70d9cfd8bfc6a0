import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Runtime } from "../../../main/api/runtime.js";
import { createRuns } from "../../../main/runs/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { toldEvents } from "../support/told-events.js";

const library: Runtime = { path: "/lib", origin: "the system's", version: "2.21.0", gpu: false };

function make(asked: AbortSignal[] = []) {
  const { emit } = toldEvents();
  return createRuns({
    engine: {
      runtime: { opList: async () => new Uint8Array([1]) },
      bundledOps: () => ({ source: "Tensordeck", opList: new Uint8Array() }),
      portableKernels: async (signal) => {
        asked.push(signal);
        return [];
      },
    },
    cluster: {
      tasks: () => [],
      membership: "dynamic",
      onChange: () => () => {},
      startTask: async () => undefined,
      noteVariables: () => undefined,
    },
    documents: { folderOf: () => undefined },
    tasks: { runtime: async () => library },
    emit,
    checkpointFolder: "",
    setAsideFolder: "",
    folder: join(tmpdir(), "tensordeck-no-runs"),
  });
}

it("knows the ops of the library that runs graphs, and what the portable engine has kernels for", async () => {
  const room = make();
  expect(await room.handlers["ops.list"](undefined, THIS_PROGRAM)).toMatchObject({
    source: "TensorFlow 2.21.0, the system's",
  });
  expect(await room.handlers["kernels.list"](undefined, THIS_PROGRAM)).toMatchObject({ kernels: [] });
  expect(room.handlers["runs.latest"](undefined, THIS_PROGRAM)).toBeUndefined();
  expect(() => room.handlers["runs.stop"]({ runId: "gone", abort: false }, THIS_PROGRAM)).toThrow(
    "no longer known",
  );
  await room.dispose();
});

it("sends no more queries once it has ended", async () => {
  const asked: AbortSignal[] = [];
  const room = make(asked);
  await room.handlers["kernels.list"](undefined, THIS_PROGRAM);
  expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
  await room.dispose();
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
});
