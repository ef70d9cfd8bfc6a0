import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../graph.js";
import { constant, floorDivide, placeholder, reduceSum, size, stack, subtract } from "../ops/index.js";
import { documentOf, FIRST_WORKER, SECOND_WORKER } from "./document.js";

/**
 * Sums a column of integers on two workers: it is fed to "input" and split in two halves (the second is one longer if
 * the length is odd), each of which is summed on its worker; their sum is "total".
 */
export function csvSumGraph(): MetaGraphDef {
  const graph = new Graph();
  const input = placeholder(graph, "int32", [-1], { name: "input" });
  const length = size(input, { name: "length" });
  const two = constant(graph, 2, { dtype: "int32", name: "two" });
  const half = floorDivide(length, two, { name: "half" });
  const rest = subtract(length, half, { name: "rest" });
  const sizes = stack([half, rest], 0, { name: "sizes" });
  const axis = constant(graph, 0, { dtype: "int32", name: "axis" });
  const parts = graph.op("SplitV", [input, sizes, axis], { num_split: 2 }, "parts").outputs;
  const sums = parts.map((part, i) =>
    graph.withDevice(i === 0 ? FIRST_WORKER : SECOND_WORKER, () =>
      reduceSum(part, axis, { name: `sum_${i}` }),
    ),
  );
  const stacked = graph.withDevice(FIRST_WORKER, () => stack(sums, 0, { name: "sums" }));
  graph.withDevice(FIRST_WORKER, () => reduceSum(stacked, axis, { name: "total" }));
  return documentOf(graph, {
    input: [0, 48],
    length: [220, 140],
    two: [220, 232],
    half: [440, 232],
    rest: [660, 140],
    sizes: [880, 186],
    axis: [880, 278],
    parts: [1100, 48],
    sum_0: [1320, 0],
    sum_1: [1320, 92],
    sums: [1540, 46],
    total: [1760, 92],
  });
}
