// Saves to one name until it is killed: saving-process.mjs PREFIX FIRST SHARDED. The values of the first checkpoint are
// FIRST, of the next one more. The compiled program, for it starts in a fraction of a second.

import { Graph } from "../../../build/out/worker-runtime/graph/graph.js";
import * as ops from "../../../build/out/worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../build/out/worker-runtime/protocol/tensor.js";
import { Saver } from "../../../build/out/worker-runtime/training/saver.js";

const [prefix, first, sharded] = process.argv.slice(2);
const graph = new Graph();
const initializer = ops.zerosInitializer();
const variables = ["a", "b", "c"].map((name, task) =>
  graph.withDevice(`/job:ps/task:${task % 2}`, () =>
    ops.getVariable(graph, name, { shape: [10_000], initializer }),
  ),
);
const saver = new Saver(variables, { sharded: sharded === "true" });
for (let value = Number(first); ; value++) {
  const tensor = Tensor.of(new Float32Array(10_000).fill(value));
  await saver.save({ run: async (fetches) => ({ values: fetches.map(() => tensor) }) }, prefix);
  console.log(`saved ${value}`);
}
