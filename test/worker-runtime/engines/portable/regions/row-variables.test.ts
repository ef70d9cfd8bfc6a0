/** Variables of which kernels use single rows, beside regions. */
import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, binary, constant, int, node, ret, type } from "../executor/graph-fixture.js";
import { numbers, type RegisteredGraph, startTask } from "./regions-fixture.js";
import {
  assign,
  assignReferred,
  currentValue,
  handle,
  initialize,
  read,
  referenceTo,
  referenceVariable,
  T,
  variable,
} from "./variables-fixture.js";

const Tindices = type("int32");
const [ROWS, WIDTH] = [512, 16];
const table = (value: number) =>
  new Tensor("float32", [ROWS, WIDTH], new Float32Array(ROWS * WIDTH).fill(value));

/** The nodes that are not in a region. */
const nodesOutside = ({ compiled }: RegisteredGraph): string[] =>
  compiled.nodes.filter(({ work }) => work.kind !== "region").map(({ node: { name } }) => name);

/** The rows of a table that row 3 differs from. */
function rows(values: readonly number[]): { readonly third: number; readonly others: number } {
  const third = values[3 * WIDTH] ?? Number.NaN;
  const others = values[0] ?? Number.NaN;
  expect(values.every((value, i) => value === (Math.floor(i / WIDTH) === 3 ? third : others))).toBe(true);
  return { third, others };
}

/** Row 3 of a table is gathered and changed by its own gradient, as an embedding is trained. */
const training = (params: string): NodeDef[] => [
  constant("row", [3], "int32"),
  constant("axis", 0, "int32"),
  arg("value", 0, "float32"),
  node("GatherV2", "gathered", [params, "row", "axis"], {
    Tparams: T,
    Tindices,
    Taxis: type("int32"),
    batch_dims: int(0),
  }),
  binary("Mul", "scaled", "gathered", "value", "float32"),
  node("Neg", "gradient", ["scaled"], { T }),
];

describe("a table of which kernels change rows", () => {
  it("is not copied to the thread for a reference to it that a node gathers from", async () => {
    const task = startTask();
    const nodes = [referenceTo("v"), node("Identity", "params", ["v"], { T })];
    await task
      .register([referenceTo("v"), arg("value", 0, "float32"), assignReferred("init", "v", "value")])
      .run({ args: [table(1)] });
    const graph = task.register([
      ...nodes,
      ...training("params"),
      node("ScatterSub", "change", ["v", "row", "gradient"], { T, Tindices }),
      ret("gradient", 0, "float32"),
    ]);
    expect(nodesOutside(graph)).toEqual(expect.arrayContaining(["params", "gathered", "change"]));
    expect(graph.regionCount).toBe(1);
    const memory = referenceVariable(task, "v").value?.data;
    for (const third of [3, 9, 27]) {
      await graph.run({ args: [Tensor.of(2, "float32")] });
      expect(rows(numbers(referenceVariable(task, "v").value))).toEqual({ third, others: 1 });
    }
    expect(referenceVariable(task, "v").value?.data).toBe(memory);
    expect(task.log).toEqual([]);
  });

  it("is not copied to the thread for a value of it that a node gathers from", async () => {
    const task = startTask();
    await initialize(task, "v", table(1));
    const graph = task.register([
      handle("v"),
      read("params", "v"),
      ...training("params"),
      node("ResourceScatterSub", "change", ["v", "row", "gradient"], { dtype: T, Tindices }),
    ]);
    expect(nodesOutside(graph)).toEqual(expect.arrayContaining(["params", "gathered", "change"]));
    for (const third of [3, 9, 27]) {
      await graph.run({ args: [Tensor.of(2, "float32")] });
      expect(rows(numbers(await currentValue(task, "v")))).toEqual({ third, others: 1 });
    }
    expect(task.log).toEqual([]);
  });

  it("stays on the host where a region changes all of it, and is not copied there", async () => {
    const task = startTask();
    await initialize(task, "v", table(1));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      constant("row", [3], "int32"),
      constant("update", 5, "float32"),
      read("before", "v"),
      binary("Mul", "decayed", "before", "value", "float32"),
      assign("all", "v", "decayed"),
      node("ResourceScatterAdd", "some", ["v", "row", "update", "^all"], { dtype: T, Tindices }),
    ]);
    expect(graph.regionCount).toBe(1);
    for (const expected of [
      { third: 7, others: 2 },
      { third: 19, others: 4 },
      { third: 43, others: 8 },
    ]) {
      await graph.run({ args: [Tensor.of(2, "float32")] });
      const value = variable(task, "v").peek((held) => held);
      expect(value).not.toBeInstanceOf(DeviceTensor);
      expect(rows(numbers(value))).toEqual(expected);
      // Nobody else has the array that the region returned.
      expect(variable(task, "v").writable()?.data).toBe(value?.data);
    }
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });

  it("stays on the thread where only other graphs change rows, which take it to the host", async () => {
    const task = startTask();
    await initialize(task, "v", table(1));
    const decay = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      read("before", "v"),
      binary("Mul", "decayed", "before", "value", "float32"),
      assign("all", "v", "decayed"),
    ]);
    const scatter = task.register([
      handle("v"),
      constant("row", [3], "int32"),
      constant("update", 5, "float32"),
      node("ResourceScatterAdd", "some", ["v", "row", "update"], { dtype: T, Tindices }),
    ]);
    for (const expected of [
      { third: 7, others: 2 },
      { third: 19, others: 4 },
      { third: 43, others: 8 },
    ]) {
      await decay.run({ args: [Tensor.of(2, "float32")] });
      await scatter.run();
      expect(rows(numbers(await currentValue(task, "v")))).toEqual(expected);
    }
    expect(task.log).toEqual([]);
  });
});
