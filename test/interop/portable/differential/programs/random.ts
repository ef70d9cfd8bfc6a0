/** Random numbers from seeds: the same stream as TensorFlow's, over several steps. */
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const shape = Tensor.of([3, 5], "int32");
const STEPS = 3;
/** Sines and logarithms of two machines differ in their last places. */
const transformed = { ulps: 64, scale: 1 } as const;

function drawn(op: string, dtype: "float32" | "float64"): Program {
  return {
    name: `${op}_${dtype}`,
    tolerance: op === "RandomUniform" ? { ulps: 0 } : transformed,
    build: (g) => {
      const made = g.op(op, [shape], { dtype, seed: 7, seed2: 11 }).output;
      const other = g.op(op, [shape], { dtype, seed: 7, seed2: 12 }).output;
      return Array.from({ length: STEPS }, () => ({ run: [made, other] }));
    },
  };
}

export const randomPrograms: readonly Program[] = [
  ...["RandomUniform", "RandomStandardNormal", "TruncatedNormal"].flatMap((op) => [
    drawn(op, "float32"),
    drawn(op, "float64"),
  ]),
  {
    name: "RandomUniformInt",
    build: (g) => {
      const attrs = { seed: 7, seed2: 11 };
      const int = g.op(
        "RandomUniformInt",
        [shape, Tensor.of(-5, "int32"), Tensor.of(100, "int32")],
        attrs,
      ).output;
      const long = g.op(
        "RandomUniformInt",
        [shape, Tensor.of(-5n, "int64"), Tensor.of(2n ** 40n, "int64")],
        attrs,
      ).output;
      const none = g.op(
        "RandomUniformInt",
        [shape, Tensor.of(5, "int32"), Tensor.of(5, "int32")],
        attrs,
      ).output;
      return [{ run: [int, long] }, { run: [int, long] }, { run: [none] }];
    },
  },
  {
    name: "RandomShuffle",
    build: (g) => {
      const rows = Tensor.of([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "int32", [5, 2]);
      const shuffled = g.op("RandomShuffle", [rows], { seed: 7, seed2: 11 }).output;
      return [{ run: [shuffled] }, { run: [shuffled] }];
    },
  },
  {
    name: "Multinomial",
    build: (g) => {
      const logits = Tensor.of([0, 1, 2, -1, 3, 0.5], "float32", [2, 3]);
      const drawnOnes = g.op("Multinomial", [logits, Tensor.of(6, "int32")], { seed: 7, seed2: 11 }).output;
      return [{ run: [drawnOnes] }, { run: [drawnOnes] }];
    },
  },
  {
    name: "RandomGamma",
    tolerance: transformed,
    build: (g) => {
      const alpha = Tensor.of([0.5, 1, 3], "float32");
      const made = g.op("RandomGamma", [Tensor.of([4], "int32"), alpha], { seed: 7, seed2: 11 }).output;
      return [{ run: [made] }, { run: [made] }];
    },
  },
  {
    name: "RandomPoissonV2",
    build: (g) => {
      const rate = Tensor.of([0.5, 3, 20], "float32");
      const attrs = { seed: 7, seed2: 11, dtype: "int64" };
      const made = g.op("RandomPoissonV2", [Tensor.of([4], "int32"), rate], attrs).output;
      return [{ run: [made] }, { run: [made] }];
    },
  },
  {
    name: "generator_in_a_variable",
    tolerance: transformed,
    build: (g) => {
      const attrs = { dtype: "int64", shape: [3], shared_name: "generator" };
      const state = g.op("VarHandleOp", [], attrs).output;
      const init = g.op("AssignVariableOp", [state, Tensor.of([1n, 2n, 3n], "int64")]);
      const philox = Tensor.of(1n, "int64");
      const size = Tensor.of([3, 5], "int32");
      const drawn = [
        g.op("StatefulUniform", [state, philox, size], { dtype: "float32" }),
        g.op("StatefulStandardNormalV2", [state, philox, size], { dtype: "float32" }),
        g.op("StatefulTruncatedNormal", [state, philox, size], { dtype: "float32" }),
        g.op("StatefulUniformFullInt", [state, philox, size], { dtype: "int64" }),
        g.op("StatefulUniformInt", [state, philox, size, Tensor.of(-3n, "int64"), Tensor.of(99n, "int64")], {
          dtype: "int64",
        }),
        g.op("RngReadAndSkip", [state, Tensor.of(1, "int32"), Tensor.of(256n, "uint64")]),
      ];
      const skip = g.op("RngSkip", [state, philox, Tensor.of(7n, "int64")]);
      const read = g.op("ReadVariableOp", [state], { dtype: "int64" }).output;
      return [
        { run: [init] },
        ...drawn.flatMap((op) => [{ run: [op.output] }, { run: [read] }]),
        { run: [skip] },
        { run: [read] },
      ];
    },
  },
  {
    name: "binomial_draws_of_a_generator",
    build: (g) => {
      const attrs = { dtype: "int64", shape: [3], shared_name: "binomial_generator" };
      const state = g.op("VarHandleOp", [], attrs).output;
      const init = g.op("AssignVariableOp", [state, Tensor.of([1n, 2n, 3n], "int64")]);
      // TensorFlow's op loses the new state of a variable that still shares its memory with the constant it was given.
      const skip = g.op("RngSkip", [state, Tensor.of(1n, "int64"), Tensor.of(7n, "int64")]);
      const counts = Tensor.of([3, 100, 40], "float32");
      const drawn = (sizes: readonly number[], probs: Tensor, algorithm = 1n) =>
        g.op(
          "StatefulRandomBinomial",
          [
            state,
            Tensor.of(algorithm, "int64"),
            Tensor.of([...sizes], "int32", [sizes.length]),
            counts,
            probs,
          ],
          { dtype: "int64" },
        );
      const half = Tensor.of(0.5, "float32");
      const made = [
        drawn([7, 3], half),
        drawn([5, 2, 3], Tensor.of([[0.1], [0.8]], "float32")),
        drawn([0, 3], half),
        drawn([3], half),
        drawn([3], half, 3n),
        drawn([2], half),
        drawn([-1, 3], half),
      ];
      const read = g.op("ReadVariableOp", [state], { dtype: "int64" }).output;
      return [
        { run: [init] },
        { run: [skip] },
        ...made.flatMap((op) => [{ run: [op.output] }, { run: [read] }]),
      ];
    },
  },
];
