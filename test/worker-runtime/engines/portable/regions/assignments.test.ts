/** Assign and AssignVariableOp of values that regions compute. */
import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { LoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/registry.js";
import { StatusCode, type TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, binary, bool, constant, node, ret, type } from "../executor/graph-fixture.js";
import { floats, numbers, type RegionTask, startTask } from "./regions-fixture.js";
import {
  assign,
  assignReferred,
  currentValue,
  filled,
  handle,
  initialize,
  onHost,
  read,
  referenceTo,
  T,
  uniform,
  variable,
} from "./variables-fixture.js";

/** v = (v + value) / 2, as a moving average. */
const average: readonly NodeDef[] = [
  handle("v"),
  arg("value", 0, "float32"),
  constant("half", 0.5, "float32"),
  read("before", "v"),
  binary("AddV2", "sum", "before", "value", "float32"),
  binary("Mul", "after", "sum", "half", "float32"),
];

/** The error of a step by regions, which must be that of the kernels alone. */
async function errorOf(
  nodes: readonly NodeDef[],
  prepare: (task: RegionTask) => Promise<void>,
  ...values: readonly Tensor[]
): Promise<TensorFlowError> {
  const errors = [];
  for (const task of [startTask(), startTask({ lowerings: new LoweringRegistry() })]) {
    await prepare(task);
    const graph = task.register(nodes);
    for (const value of values.slice(0, -1)) {
      await graph.run({ args: [value] });
    }
    const error = await graph.run({ args: values.slice(-1) }).then(
      () => undefined,
      (failure: TensorFlowError) => failure,
    );
    errors.push(error);
    expect(task.log).toEqual([]);
  }
  const [byRegion, byKernels] = errors;
  expect([byRegion?.code, byRegion?.message]).toEqual([byKernels?.code, byKernels?.message]);
  return byRegion as TensorFlowError;
}

describe("assignments in regions", () => {
  it("give what kernels give, and leave large values on the thread", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([...average, assign("change", "v", "after")]);
    expect(graph.regionCount).toBe(1);
    for (const expected of [4, 6, 7, 7.5]) {
      await graph.run({ args: [filled(8)] });
      expect(uniform(await currentValue(task, "v"))).toBe(expected);
    }
    expect(task.regions.sessions).toBe(1);
    expect(variable(task, "v").value).toBeInstanceOf(DeviceTensor);
    expect(task.log).toEqual([]);
  });

  it("give a variable without a value its first one", async () => {
    const task = startTask();
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Square", "squared", ["value"], { T }),
      assign("init", "v", "squared"),
    ]);
    for (const value of [2, 3]) {
      await graph.run({ args: [filled(value)] });
      expect(uniform(await currentValue(task, "v"))).toBe(value * value);
    }
  });

  it("of a value that others use, too, leave each its own", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    await initialize(task, "w", filled(0));
    const graph = task.register([
      ...average,
      handle("w"),
      assign("one", "v", "after"),
      assign("other", "w", "after"),
      ret("after", 0, "float32"),
    ]);
    const scatter = task.register([
      handle("w"),
      constant("row", [3], "int32"),
      constant("update", [1], "float32"),
      node("ResourceScatterAdd", "scatter", ["w", "row", "update"], { dtype: T, Tindices: type("int32") }),
    ]);
    await graph.run({ args: [filled(8)] });
    const [after] = await graph.run({ args: [filled(8)] });
    await scatter.run();
    expect(uniform(after)).toBe(6);
    expect(uniform(await currentValue(task, "v"))).toBe(6);
    const values = numbers(await currentValue(task, "w"));
    expect(values[3]).toBe(7);
    expect(values.every((value, index) => index === 3 || value === 6)).toBe(true);
  });

  it("come in their order, and before the reads after them", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([
      ...average,
      assign("first", "v", "after"),
      read("between", "v", "^first"),
      binary("AddV2", "next", "between", "value", "float32"),
      assign("second", "v", "next", "^between"),
      read("last", "v", "^second"),
      ret("between", 0, "float32"),
      ret("last", 1, "float32"),
    ]);
    for (const [between, last] of [
      [4, 12],
      [10, 18],
      [13, 21],
    ]) {
      const values = await Promise.all((await graph.run({ args: [filled(8)] })).map(onHost));
      expect(values.map(uniform)).toEqual([between, last]);
    }
    expect(task.log).toEqual([]);
  });

  it("of one variable, two without an order, both happen", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([...average, assign("one", "v", "after"), assign("other", "v", "sum")]);
    for (let step = 0; step < 3; step += 1) {
      const before = uniform(await currentValue(task, "v")) ?? Number.NaN;
      await graph.run({ args: [filled(8)] });
      expect([(before + 8) / 2, before + 8]).toContain(uniform(await currentValue(task, "v")));
    }
    expect(task.log).toEqual([]);
  });

  it("leave a value that is not computed to the kernel, which does not copy it", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Neg", "negated", ["value"], { T }),
      node("L2Loss", "loss", ["negated"], { T }),
      assign("change", "v", "value", "^loss"),
      ret("loss", 0, "float32"),
    ]);
    for (const value of [filled(1), filled(2), filled(3)]) {
      await graph.run({ args: [value] });
      expect(variable(task, "v").value).toBe(value);
    }
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });

  it("change a variable's shape where the node allows it", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Square", "squared", ["value"], { T }),
      assign("change", "v", "squared"),
    ]);
    for (const size of [8192, 8192, 4096, 4096, 8, 8]) {
      await graph.run({ args: [filled(3, size)] });
      expect(numbers(await currentValue(task, "v"))).toEqual(new Array(size).fill(9));
    }
    expect(task.log).toEqual([]);
  });

  it("fail with the kernel's error for another shape where the node does not allow it, and change nothing", async () => {
    const nodes = [
      handle("v"),
      arg("value", 0, "float32"),
      node("Square", "squared", ["value"], { T }),
      node("AssignVariableOp", "change", ["v", "squared"], { dtype: T, validate_shape: bool(true) }),
    ];
    const tasks: RegionTask[] = [];
    const error = await errorOf(
      nodes,
      async (task) => {
        tasks.push(task);
        await initialize(task, "v", filled(0));
      },
      filled(2),
      filled(3),
      filled(4, 4096),
    );
    expect(error.code).toBe(StatusCode.INVALID_ARGUMENT);
    expect(error.message).toContain("{{node change}}");
    for (const task of tasks) {
      expect(uniform(await currentValue(task, "v"))).toBe(9);
    }
  });

  it("fail with the kernel's error for a variable of another dtype", async () => {
    const nodes = [
      handle("v"),
      arg("value", 0, "float32"),
      node("Square", "squared", ["value"], { T }),
      assign("change", "v", "squared"),
    ];
    const prepare = async (task: RegionTask): Promise<void> => {
      const dtype = type("int32");
      await task
        .register([
          handle("v", dtype),
          constant("value", [1], "int32"),
          node("AssignVariableOp", "init", ["v", "value"], { dtype, validate_shape: bool(false) }),
        ])
        .run();
    };
    const error = await errorOf(nodes, prepare, filled(2));
    expect(error.message).toContain("Trying to assign variable with wrong dtype. Expected int32 got float");
  });
});

describe("assignments to reference variables in regions", () => {
  const nodes = [referenceTo("v"), arg("value", 0, "float32"), node("Square", "squared", ["value"], { T })];

  it("give what kernels give, and pass the reference on", async () => {
    const task = startTask();
    const graph = task.register([
      ...nodes,
      assignReferred("change", "v", "squared"),
      node("Identity", "after", ["change"], { T }),
      ret("after", 0, "float32"),
    ]);
    for (const value of [2, 3, 4]) {
      expect(uniform((await graph.run({ args: [filled(value)] }))[0])).toBe(value * value);
    }
    expect(task.log).toEqual([]);
  });

  it("fail with the kernel's error for another shape", async () => {
    const error = await errorOf(
      [...nodes, node("Assign", "change", ["v", "squared"], { T, validate_shape: bool(true) })],
      async () => {},
      floats([1, 2]),
      floats([1, 2]),
      floats([1, 2, 3]),
    );
    expect(error.message).toContain(
      "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]",
    );
  });
});
