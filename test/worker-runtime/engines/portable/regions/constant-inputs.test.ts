/** Inputs of regions that stay the same for many runs become constants of their models. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ConstantInputs } from "../../../../../worker-runtime/engines/portable/regions/constant-inputs.js";
import { RegionDevice } from "../../../../../worker-runtime/engines/portable/regions/device.js";
import { SessionCache } from "../../../../../worker-runtime/engines/portable/regions/session-cache.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, binary, node, ret, type } from "../executor/graph-fixture.js";
import { floats, numbers, startTask } from "./regions-fixture.js";

const T = type("float32");

/** relu(x · weight). */
const scaled = [
  arg("x", 0, "float32"),
  arg("weight", 1, "float32"),
  binary("Mul", "product", "x", "weight", "float32"),
  node("Relu", "relu", ["product"], { T }),
  ret("relu", 0, "float32"),
];

/** As many runs as it takes to make constants in the mode of this fixture, and one more. */
const RUNS = 6;

describe("a weight that does not change", () => {
  it("becomes a constant of a second session, which goes when the weight changes", async () => {
    const task = startTask();
    const graph = task.register(scaled);
    const run = async (x: number, weight: Tensor) =>
      numbers((await graph.run({ args: [floats([x]), weight] }))[0]);
    const weight = floats([2]);
    for (let x = 1; x <= RUNS; x += 1) {
      expect(await run(x, weight)).toEqual([2 * x]);
    }
    expect(task.regions.sessions).toBe(2);
    expect(await run(5, floats([3]))).toEqual([15]);
    expect(task.regions.sessions).toBe(1);
    // The former one again, and another shape.
    expect(await run(5, weight)).toEqual([10]);
    expect(numbers((await graph.run({ args: [floats([1, -1, 4]), weight] }))[0])).toEqual([2, 0, 8]);
    graph.release();
    expect(task.regions.sessions).toBe(0);
    expect(task.log).toEqual([]);
  });

  it("stays an input if it keeps changing", async () => {
    const task = startTask();
    const graph = task.register(scaled);
    const x = () => floats([1]);
    for (let change = 1; change <= 8; change += 1) {
      const weight = floats([change]);
      for (let run = 0; run < RUNS; run += 1) {
        expect(numbers((await graph.run({ args: [x(), weight] }))[0])).toEqual([change]);
      }
    }
    expect(task.regions.sessions).toBe(1);
  });

  it("is a constant for all sizes of the other inputs", async () => {
    const task = startTask();
    const graph = task.register(scaled);
    const weight = floats([2]);
    for (let size = 1; size <= RUNS + 2; size += 1) {
      const x = new Tensor("float32", [size], new Float32Array(size).fill(size));
      expect(numbers((await graph.run({ args: [x, weight] }))[0])).toEqual(new Array(size).fill(2 * size));
    }
    expect(task.regions.sessions).toBe(2);
  });

  it("is made a constant again by another thread", async () => {
    const task = startTask();
    const graph = task.register(scaled);
    const weight = floats([2]);
    const run = async () =>
      expect(numbers((await graph.run({ args: [floats([1]), weight] }))[0])).toEqual([2]);
    for (let count = 0; count < RUNS; count += 1) {
      await run();
    }
    await task.regions.restart();
    for (let count = 0; count < RUNS; count += 1) {
      await run();
    }
    expect(task.regions.sessions).toBe(2);
    expect(task.log).toEqual([]);
  });
});

describe("values that decide shapes", () => {
  it("stay inputs", async () => {
    const task = startTask();
    const graph = task.register([
      arg("x", 0, "float32"),
      arg("shape", 1, "int32"),
      node("Neg", "negated", ["x"], { T }),
      node("Reshape", "reshaped", ["negated", "shape"], { T, Tshape: type("int32") }),
      ret("reshaped", 0, "float32"),
    ]);
    for (const shape of [
      [2, 2],
      [4, 1],
    ]) {
      const given = Tensor.of(shape, "int32");
      for (let run = 0; run < RUNS; run += 1) {
        const [result] = await graph.run({ args: [floats([1, 2, 3, 4]), given] });
        expect((result as Tensor).shape).toEqual(shape);
      }
    }
    expect(task.log).toEqual([]);
  });
});

describe("long runs", () => {
  /** The inputs of a region with one input and no nodes. */
  function inputsOf(millis: number): ConstantInputs {
    const [outputs, constants] = [[], new Map()];
    const outline = { inputCount: 1, slotCount: 1, members: [], outputs, usedByRows: new Set<number>() };
    const inputs = new ConstantInputs(
      { ...outline, constants, absorbed: [] },
      { shapes: [[1]], values: [], millis: [], estimatedNanos: 0 },
      { sessions: new SessionCache(new RegionDevice()), minMillis: 0, runs: 16, millis, minBytes: 0 },
    );
    onTestFinished(() => inputs.release());
    return inputs;
  }

  /** Runs, each of 100 ms with these inputs, until a plan is made. */
  function runsUntilMade(inputs: ConstantInputs, inputOf: (run: number) => Tensor): number {
    for (let run = 1; run <= 40; run += 1) {
      if (inputs.observe([inputOf(run)]) !== undefined) {
        return run;
      }
      inputs.ran(100);
    }
    return Number.POSITIVE_INFINITY;
  }

  it("make inputs constants once they have taken a while, short ones after many", () => {
    const same = floats([1]);
    expect(runsUntilMade(inputsOf(500), () => same)).toBe(6);
    expect(runsUntilMade(inputsOf(50), () => same)).toBe(4);
    expect(runsUntilMade(inputsOf(50_000), () => same)).toBe(17);
  });

  it("count from the last change", () => {
    const [first, second] = [floats([1]), floats([2])];
    expect(runsUntilMade(inputsOf(500), (run) => (run < 5 ? first : second))).toBe(10);
  });
});
