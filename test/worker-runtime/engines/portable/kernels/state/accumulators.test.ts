import { describe, expect, test } from "vitest";
import { ConditionalAccumulator } from "../../../../../../worker-runtime/engines/portable/kernels/state/accumulators/accumulator.js";
import { DenseGradientSum } from "../../../../../../worker-runtime/engines/portable/kernels/state/accumulators/gradient-sums.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");
const long = (value: number) => Tensor.of(BigInt(value));

function densePrograms(): readonly Program[] {
  const programs: Program[] = [];
  for (const prefix of ["", "Resource"]) {
    for (const reduction of ["MEAN", "SUM"]) {
      const p = new Program(`${prefix}ConditionalAccumulator ${reduction}`);
      const dtype = "float32";
      const accumulator = p.graph.op(`${prefix}ConditionalAccumulator`, [], {
        dtype,
        shape: [2],
        reduction_type: reduction,
      });
      const gradient = p.placeholder(dtype);
      const step = p.placeholder("int64");
      const apply = p.graph.op(`${prefix}AccumulatorApplyGradient`, [accumulator, step, gradient], { dtype });
      const required = p.placeholder("int32");
      const take = p.graph.op(`${prefix}AccumulatorTakeGradient`, [accumulator, required], { dtype });
      const count = p.graph.op(`${prefix}AccumulatorNumAccumulated`, [accumulator]);
      const setStep = p.graph.op(`${prefix}AccumulatorSetGlobalStep`, [accumulator, step]);
      const one: readonly [Operation, Tensor] = [required, Tensor.of(1, "int32")];
      p.run([count]).run(
        [apply],
        [
          [step, long(0)],
          [gradient, floats([1, 2])],
        ],
      );
      p.run(
        [apply],
        [
          [step, long(5)],
          [gradient, floats([3, 5])],
        ],
      )
        .run([count])
        .run([take], [one])
        .run([count]);
      p.run(
        [apply],
        [
          [step, long(0)],
          [gradient, floats([1, 2])],
        ],
      ).run([count]);
      p.run(
        [apply],
        [
          [step, long(1)],
          [gradient, floats([0.25, 2])],
        ],
      ).run([count]);
      p.run([setStep], [[step, long(10)]]);
      p.run(
        [apply],
        [
          [step, long(9)],
          [gradient, floats([1, 2])],
        ],
      ).run([count]);
      p.run(
        [apply],
        [
          [step, long(10)],
          [gradient, floats([1, 2, 3])],
        ],
      ).run([count]);
      p.run([take], [[required, Tensor.of(0, "int32")]]).run([take], [one]);
      programs.push(p);
    }
  }
  return programs;
}

function sparsePrograms(): readonly Program[] {
  return ["MEAN", "SUM"].map((reduction) => {
    const p = new Program(`SparseConditionalAccumulator ${reduction}`, { texts: false });
    const dtype = "float32";
    const accumulator = p.graph.op("SparseConditionalAccumulator", [], {
      dtype,
      shape: [5, 2],
      reduction_type: reduction,
    });
    const indices = p.placeholder("int64");
    const values = p.placeholder(dtype);
    const known = p.graph.op(
      "SparseAccumulatorApplyGradient",
      [accumulator, long(0), indices, values, Tensor.of([5n, 2n])],
      { dtype, has_known_shape: true },
    );
    const unknown = p.graph.op(
      "SparseAccumulatorApplyGradient",
      [accumulator, long(0), indices, values, Tensor.of([], "int64")],
      { dtype, has_known_shape: false },
    );
    const take = p.graph.op("SparseAccumulatorTakeGradient", [accumulator, 1], { dtype });
    const row = (...elements: number[]) => floats(elements).reshape([elements.length / 2, 2]);
    p.run(
      [known],
      [
        [indices, Tensor.of([1n, 3n])],
        [values, row(1, 2, 3, 4)],
      ],
    );
    p.run(
      [unknown],
      [
        [indices, Tensor.of([0n, 3n])],
        [values, row(5, 6, 7, 9)],
      ],
    );
    p.run(
      [known],
      [
        [indices, Tensor.of([0n])],
        [values, row(5, 6, 7, 9)],
      ],
    );
    p.run([p.graph.op("AccumulatorNumAccumulated", [accumulator])]);
    p.run([take]);
    p.run([p.graph.op("AccumulatorNumAccumulated", [accumulator])]);
    return p;
  });
}

function barrierProgram(): Program {
  const p = new Program("Barrier");
  const types = { component_types: ["float32", "int32"] };
  const barrier = p.graph.op("Barrier", [], { ...types, shapes: [[2], []] }, "b");
  const keys = p.placeholder("string");
  const first = p.placeholder("float32");
  const second = p.placeholder("int32");
  const insertFirst = p.graph.op("BarrierInsertMany", [barrier, keys, first], { component_index: 0 });
  const insertSecond = p.graph.op("BarrierInsertMany", [barrier, keys, second], { component_index: 1 });
  const ready = p.graph.op("BarrierReadySize", [barrier]);
  const incomplete = p.graph.op("BarrierIncompleteSize", [barrier]);
  const count = p.placeholder("int32");
  const take = p.graph.op("BarrierTakeMany", [barrier, count], { ...types });
  const some = p.graph.op("BarrierTakeMany", [barrier, count], { ...types, allow_small_batch: true });
  const close = p.graph.op("BarrierClose", [barrier]);
  const row = (...elements: number[]) => floats(elements).reshape([elements.length / 2, 2]);
  const putFirst = (names: string[], values: Tensor) =>
    p
      .run(
        [insertFirst],
        [
          [keys, Tensor.of(names)],
          [first, values],
        ],
      )
      .run([ready])
      .run([incomplete]);
  const putSecond = (names: string[], values: number[]) =>
    p
      .run(
        [insertSecond],
        [
          [keys, Tensor.of(names)],
          [second, Tensor.of(values, "int32")],
        ],
      )
      .run([ready])
      .run([incomplete]);
  const one: readonly [Operation, Tensor] = [count, Tensor.of(1, "int32")];
  putFirst(["x", "y"], row(1, 2, 3, 4));
  putSecond(["y"], [7]);
  putSecond(["y"], [7]);
  putSecond(["y"], [7]);
  p.run([take], [one]);
  putSecond(["z", "x"], [8, 9]);
  p.run([take], [one]);
  p.run([close])
    .run([close])
    .run([some], [[count, Tensor.of(0, "int32")]]);
  putFirst(["new"], row(1, 2));
  putFirst(["z"], row(1, 2));
  p.run([ready]).run([incomplete]);
  return p;
}

describe("takes of an accumulator", () => {
  test("wait for enough gradients, one after the other, and end with their step", async () => {
    const accumulator = new ConditionalAccumulator("a", new DenseGradientSum("float32", [1], "SUM"));
    const signal = new AbortController().signal;
    const controller = new AbortController();
    const first = accumulator.take(2, signal);
    const aborted = accumulator.take(1, controller.signal);
    const third = accumulator.take(1, signal);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ codeName: "CANCELLED" });
    accumulator.apply(0n, floats([1]));
    accumulator.apply(0n, floats([2]));
    expect((await first)[0]?.toArray()).toEqual([3]);
    accumulator.apply(0n, floats([9]));
    expect(accumulator.count).toBe(0);
    accumulator.apply(1n, floats([4]));
    expect((await third)[0]?.toArray()).toEqual([4]);
    const last = accumulator.take(1, signal);
    accumulator.dispose();
    await expect(last).rejects.toMatchObject({ codeName: "CANCELLED" });
  });
});

describe.skipIf(peerMissing("tensorflow"))("accumulators and barriers against TensorFlow", () => {
  test("dense and sparse gradients", async () => {
    expect(await differences([...densePrograms(), ...sparsePrograms()])).toEqual([]);
  }, 120_000);

  test("barriers", async () => {
    expect(await differences([barrierProgram()])).toEqual([]);
  }, 120_000);
});
