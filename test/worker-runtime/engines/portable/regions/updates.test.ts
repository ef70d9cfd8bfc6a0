/** Regions that change variables. */
import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { StepStatsCollector } from "../../../../../worker-runtime/engines/portable/executor/step-stats.js";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { LoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/registry.js";
import { cancelled, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, binary, bool, constant, node, ret, type, typeList } from "../executor/graph-fixture.js";
import { floats, numbers, type RegisteredGraph, startTask } from "./regions-fixture.js";
import {
  assignReferred,
  change,
  currentValue,
  filled,
  handle,
  initialize,
  onHost,
  read,
  referenceTo,
  referenceVariable,
  SIZE,
  T,
  uniform,
  variable,
} from "./variables-fixture.js";

/** v -= rate · (v - goal), as a step of gradient descent. */
const descent: readonly NodeDef[] = [
  handle("v"),
  arg("goal", 0, "float32"),
  constant("rate", 0.5, "float32"),
  read("before", "v"),
  binary("Sub", "gradient", "before", "goal", "float32"),
  node("L2Loss", "loss", ["gradient"], { T }),
  node("ResourceApplyGradientDescent", "apply", ["v", "rate", "gradient"], { T, use_locking: bool(false) }),
  ret("loss", 0, "float32"),
];

async function descend(graph: RegisteredGraph, steps: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    losses.push(...numbers((await graph.run({ args: [filled(0)] }))[0]));
  }
  return losses;
}

describe("a training step that is run as a region", () => {
  it("gives what kernels give, and leaves the new values on the thread", async () => {
    const task = startTask();
    await initialize(task, "v", filled(8));
    const graph = task.register(descent);
    expect(graph.regionCount).toBe(1);
    const losses = [8, 4, 2, 1].map((value) => (SIZE * value * value) / 2);
    expect(await descend(graph, 4)).toEqual(losses);
    expect(task.regions.sessions).toBe(1);
    expect(variable(task, "v").value).toBeInstanceOf(DeviceTensor);
    expect(uniform(await currentValue(task, "v"))).toBe(0.5);
    expect(task.log).toEqual([]);
  });

  it("steps by a gradient that is a product of matrices, of any number of rows", async () => {
    const task = startTask();
    const matrix = (rows: number, columns: number, value: number) =>
      new Tensor("float32", [rows, columns], new Float32Array(rows * columns).fill(value));
    await initialize(task, "w", matrix(64, 128, 8));
    const graph = task.register([
      handle("w"),
      arg("x", 0, "float32"),
      arg("dy", 1, "float32"),
      constant("rate", 0.5, "float32"),
      node("MatMul", "gradient", ["x", "dy"], { T, transpose_a: bool(true), transpose_b: bool(false) }),
      node("ResourceApplyGradientDescent", "apply", ["w", "rate", "gradient"], {
        T,
        use_locking: bool(false),
      }),
    ]);
    const values: unknown[] = [];
    for (const rows of [2, 2, 3, 0]) {
      await graph.run({ args: [matrix(rows, 64, 0.5), matrix(rows, 128, -1)] });
      values.push(uniform(await currentValue(task, "w")));
    }
    expect(values).toEqual([8.5, 9, 9.75, 9.75]);
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
    const wide = graph.run({ args: [matrix(2, 64, 0.5), matrix(2, 1, -1)] });
    await expect(wide).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
    expect(uniform(await currentValue(task, "w"))).toBe(9.75);
  });

  it("keeps its thread while values of variables are on it", async () => {
    const task = startTask({ idleMillis: 5 });
    await initialize(task, "v", filled(8));
    const graph = task.register(descent);
    while (!(variable(task, "v").value instanceof DeviceTensor)) {
      await descend(graph, 1);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(task.regions.isRunning).toBe(true);
    task.resources.clearAll();
    while (task.regions.isRunning) {
      await new Promise(setImmediate);
    }
  });

  it("shows each of its nodes in the step's statistics", async () => {
    const task = startTask();
    await initialize(task, "v", filled(8));
    const graph = task.register(descent);
    await descend(graph, 1);
    const stats = new StepStatsCollector();
    await graph.run({ args: [filled(0)], stats });
    const labels = stats
      .toProto()
      .devStats.flatMap(({ nodeStats }) => nodeStats.map((one) => one.timelineLabel));
    for (const name of ["gradient", "loss", "apply"]) {
      expect(labels).toContainEqual(
        expect.stringMatching(new RegExp(`^${name} = .* in a region of 3 nodes$`)),
      );
    }
  });

  it("leaves the variable old or new if it is cancelled", async () => {
    const task = startTask();
    await initialize(task, "v", filled(8));
    const graph = task.register(descent);
    await descend(graph, 1);
    const ending = new AbortController();
    const run = graph.run({ args: [filled(0)], signal: ending.signal });
    ending.abort(cancelled("the client has gone"));
    await expect(run).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect([4, 2]).toContain(uniform(await currentValue(task, "v")));
    expect(await descend(graph, 1)).toHaveLength(1);
  });
});

describe("updates in regions", () => {
  it("lose nothing where steps run at the same time", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    await initialize(task, "w", filled(0));
    const changes = (first: string, second: string) =>
      task.register([
        handle("v"),
        handle("w"),
        arg("value", 0, "float32"),
        node("Neg", "negated", ["value"], { T }),
        change("AssignAddVariableOp", "one", first, "value"),
        change("AssignSubVariableOp", "other", second, "negated"),
      ]);
    const graphs = [changes("v", "w"), changes("w", "v")];
    await Promise.all(Array.from({ length: 60 }, (_, step) => graphs[step % 2]?.run({ args: [filled(1)] })));
    expect(uniform(await currentValue(task, "v"))).toBe(60);
    expect(uniform(await currentValue(task, "w"))).toBe(60);
    expect(task.log).toEqual([]);
  });

  it("lose nothing beside kernels that update the same variable", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const byRegion = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Neg", "negated", ["value"], { T }),
      change("AssignSubVariableOp", "change", "v", "negated"),
    ]);
    const byKernel = task.register([
      handle("v"),
      constant("row", [3], "int32"),
      constant("update", [1], "float32"),
      node("ResourceScatterAdd", "scatter", ["v", "row", "update"], { dtype: T, Tindices: type("int32") }),
    ]);
    await Promise.all(
      Array.from({ length: 40 }, (_, step) =>
        step % 2 === 0 ? byRegion.run({ args: [filled(1)] }) : byKernel.run(),
      ),
    );
    const values = numbers(await currentValue(task, "v"));
    expect(values[3]).toBe(40);
    expect(values.every((value, index) => index === 3 || value === 20)).toBe(true);
  });

  it("come after the reads before them and before the reads after them", async () => {
    const task = startTask();
    await initialize(task, "v", filled(1));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      read("before", "v"),
      binary("Mul", "doubled", "before", "value", "float32"),
      change("AssignAddVariableOp", "change", "v", "doubled", "^before"),
      read("after", "v", "^change"),
      binary("Mul", "last", "after", "value", "float32"),
      ret("doubled", 0, "float32"),
      ret("last", 1, "float32"),
    ]);
    for (const value of [1, 3, 9]) {
      const [doubled, last] = await graph.run({ args: [filled(2)] });
      expect([uniform(doubled), uniform(last)]).toEqual([2 * value, 6 * value]);
    }
    expect(graph.regionCount).toBe(2);
  });

  it("of one variable, two in one region, both happen", async () => {
    const task = startTask();
    await initialize(task, "v", filled(0));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Neg", "negated", ["value"], { T }),
      change("AssignSubVariableOp", "one", "v", "negated"),
      change("AssignSubVariableOp", "other", "v", "negated"),
    ]);
    expect(graph.regionCount).toBe(1);
    for (let step = 1; step <= 3; step += 1) {
      await graph.run({ args: [filled(1)] });
      expect(uniform(await currentValue(task, "v"))).toBe(2 * step);
    }
    expect(task.log).toEqual([]);
  });

  it("fail with the kernel's error for a value of another shape, and change nothing", async () => {
    const task = startTask();
    await initialize(task, "v", new Tensor("float32", [2, SIZE], new Float32Array(2 * SIZE).fill(1)));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      node("Neg", "negated", ["value"], { T }),
      change("AssignSubVariableOp", "change", "v", "negated"),
    ]);
    const of = (rows: number) => new Tensor("float32", [rows, SIZE], new Float32Array(rows * SIZE).fill(1));
    await graph.run({ args: [of(2)] });
    await graph.run({ args: [of(2)] });
    // ONNX would broadcast both.
    for (const rows of [1, 3]) {
      await expect(graph.run({ args: [of(rows)] })).rejects.toThrow(/\{\{node change}}/);
    }
    expect(uniform(await currentValue(task, "v"))).toBe(3);
    await initialize(task, "v", of(1));
    await expect(graph.run({ args: [of(2)] })).rejects.toThrow(/\{\{node change}}/);
    expect((await currentValue(task, "v")).shape).toEqual([1, SIZE]);
    expect(task.log).toEqual([]);
  });

  it("fail with the kernel's error for a variable without a value", async () => {
    const task = startTask();
    const graph = task.register(descent);
    await expect(graph.run({ args: [filled(0)] })).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
      message: expect.stringContaining("{{node before}}"),
    });
  });

  it("refuse the scalars that their kernels refuse", async () => {
    const task = startTask();
    for (const name of ["v", "accum", "linear"]) {
      await initialize(task, name, filled(1));
    }
    const graph = task.register([
      handle("v"),
      handle("accum"),
      handle("linear"),
      arg("value", 0, "float32"),
      arg("lr", 1, "float32"),
      arg("power", 2, "float32"),
      constant("l1", 0.1, "float32"),
      node("Neg", "gradient", ["value"], { T }),
      // Computed by the region itself, where only the model can check it.
      node("Neg", "rate", ["lr"], { T }),
      node("ResourceApplyFtrl", "apply", ["v", "accum", "linear", "gradient", "rate", "l1", "l1", "power"], {
        T,
        use_locking: bool(false),
        multiply_linear_by_lr: bool(false),
      }),
    ]);
    const run = (lr: number, power: number) =>
      graph.run({ args: [filled(1), Tensor.of(lr, "float32"), Tensor.of(power, "float32")] });
    await run(-1, -0.5);
    await run(-1, -0.5);
    const before = numbers(await currentValue(task, "v"));
    for (const [lr, power] of [
      [1, -0.5],
      [-1, 0.5],
      [Number.NaN, -0.5],
    ] as const) {
      await expect(run(lr, power)).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
    }
    expect(numbers(await currentValue(task, "v"))).toEqual(before);
    expect(task.log).toEqual([]);
  });

  it("of a reference variable leave large values on the thread, too", async () => {
    const task = startTask();
    const nodes = [referenceTo("v"), arg("value", 0, "float32")];
    await task.register([...nodes, assignReferred("init", "v", "value")]).run({ args: [filled(1)] });
    const graph = task.register([
      ...nodes,
      node("Neg", "negated", ["value"], { T }),
      node("AssignSub", "change", ["v", "negated"], { T, use_locking: bool(true) }),
      node("Neg", "after", ["change"], { T }),
      ret("after", 0, "float32"),
    ]);
    for (const value of [2, 3, 4]) {
      expect(uniform((await graph.run({ args: [filled(1)] }))[0])).toBe(-value);
    }
    expect(referenceVariable(task, "v").value).toBeInstanceOf(DeviceTensor);
    expect(task.log).toEqual([]);
  });

  it("of a reference variable change the memory that its step has read, as kernels do", async () => {
    const nodes = [referenceTo("v"), arg("value", 0, "float32")];
    const step = [
      ...nodes,
      // Has a kernel only, which passes the memory on.
      node("Print", "seen", ["v"], { T, U: typeList() }),
      node("Neg", "negated", ["value"], { T }),
      node("AssignSub", "change", ["v", "negated", "^seen"], { T, use_locking: bool(true) }),
      node("Print", "passed", ["seen", "^change"], { T, U: typeList() }),
      ret("passed", 0, "float32"),
    ];
    for (const task of [startTask(), startTask({ lowerings: new LoweringRegistry() })]) {
      await task.register([...nodes, assignReferred("init", "v", "value")]).run({ args: [filled(1)] });
      const graph = task.register(step);
      for (const value of [2, 3, 4]) {
        expect(uniform((await graph.run({ args: [filled(1)] }))[0])).toBe(value);
      }
    }
  });

  it("need not run by kernels where the value of another reference variable is used after them, too", async () => {
    const task = startTask();
    const references = [referenceTo("v"), referenceTo("power")];
    const init = [...references, arg("value", 0, "float32")];
    await task.register([...init, assignReferred("init", "v", "value")]).run({ args: [filled(1)] });
    await task
      .register([...init, assignReferred("init", "power", "value")])
      .run({ args: [Tensor.of(2, "float32")] });
    // As Adam does with the powers of its betas.
    const graph = task.register([
      ...references,
      arg("value", 0, "float32"),
      node("Identity", "before", ["power"], { T }),
      binary("Mul", "scaled", "value", "before", "float32"),
      node("AssignAdd", "change", ["v", "scaled"], { T, use_locking: bool(false) }),
      node("Mul", "next", ["before", "before", "^change"], { T }),
      assignReferred("then", "power", "next"),
    ]);
    for (const [value, power] of [
      [3, 4],
      [7, 16],
      [23, 256],
    ]) {
      await graph.run({ args: [filled(1)] });
      expect(numbers(referenceVariable(task, "power").value)).toEqual([power]);
      expect(uniform(await onHost(referenceVariable(task, "v").value))).toBe(value);
    }
    expect(referenceVariable(task, "v").value).toBeInstanceOf(DeviceTensor);
    expect(task.log).toEqual([]);
  });

  it("give way to kernels where each new value is needed on the host", async () => {
    const task = startTask({ mode: "auto" });
    const size = 2 ** 19;
    await initialize(task, "v", filled(0, size));
    const graph = task.register([
      handle("v"),
      arg("value", 0, "float32"),
      change("AssignAddVariableOp", "change", "v", "value"),
      node("NoOp", "done", ["^change"]),
    ]);
    let runs = 0;
    const step = async () => {
      await graph.run({ args: [filled(1, size)] });
      runs += 1;
      expect(uniform(await currentValue(task, "v"))).toBe(runs);
    };
    while (task.regions.sessions === 0) {
      await step();
    }
    while (task.regions.sessions > 0) {
      await step();
    }
    await step();
    expect(variable(task, "v").value).not.toBeInstanceOf(DeviceTensor);
    expect(task.log).toEqual([]);
  });

  it("run by kernels where the thread ends, and by a new session from then on", async () => {
    const task = startTask();
    await initialize(task, "v", floats([8]));
    const graph = task.register([...descent.slice(0, -1)]);
    const run = () => graph.run({ args: [floats([0])] });
    await run();
    await run();
    await task.regions.restart();
    await run();
    expect(numbers(await currentValue(task, "v"))).toEqual([1]);
  });
});
