import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { replicaDeviceSetter } from "../../cluster/replica-device-setter.js";
import { Graph } from "../graph.js";
import {
  assign,
  globalVariablesInitializer,
  placeholder,
  printValues,
  reduceSum,
  size,
  split,
  stack,
  variable,
} from "../ops/index.js";
import { FIRST_WORKER, setRun, WORKERS } from "./document.js";

const ONES = 1000;

/**
 * A sum within one graph: "input" is cut into as many parts as there are workers, each of which says how long its part is
 * (in its log) and adds it up; the variable "total" on a parameter server gets the sum of their sums.
 */
export function reduceSumGraph(): MetaGraphDef {
  const graph = new Graph();
  graph.withDevice(replicaDeviceSetter({ psTasks: 2, workerDevice: FIRST_WORKER }), () => {
    const input = placeholder(graph, "int32", [-1], { name: "input" });
    const total = variable(graph, 0, { dtype: "int32", name: "total" });
    const parts = split(input, WORKERS.length, 0, { name: "parts" });
    const sums = parts.map((part, index) =>
      graph.withDevice(WORKERS[index], () => {
        const told = printValues(part, [size(part)], { message: "portion is ", name: `portion_${index}` });
        return reduceSum(told, 0, { name: `sum_${index}` });
      }),
    );
    assign(total, reduceSum(stack(sums, 0, { name: "sums" }), 0, { name: "sum" }), { name: "keep" });
    globalVariablesInitializer(graph, { name: "init" });
  });
  const ones = { kind: "literal", text: JSON.stringify(new Array(ONES).fill(1)) } as const;
  setRun(graph, { fetches: ["keep:0"], feeds: { "input:0": ones }, trace: true });
  return graph.toMetaGraphDef();
}
