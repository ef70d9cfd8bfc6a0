/** Random ops without state: the numbers follow from the inputs. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, indexTypes, integers, scalar } from "../arbitraries.js";
import type { Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const transformed: Tolerance = { ulps: 8, scale: 1 };

const size = fc.constantFrom([3], [2, 5], [], [0], [300]);
const seed = fc.tuple(fc.integer(), fc.integer());
/** A key and a counter of the Philox generator (algorithm 1). */
const generator = fc.tuple(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);

const seeded = (ops: readonly string[], dtypes: readonly DType[], tolerance?: Tolerance): OpSpec[] =>
  specsOf(ops, {
    types: { dtype: dtypes, T: ["int32"], Tseed: indexTypes },
    draw: ({ Tseed = "int64" }) =>
      fc
        .tuple(size, seed)
        .map(([shape, two]) => ({ inputs: [integers("int32", shape), integers(Tseed, two)] })),
    ...(tolerance === undefined ? {} : { tolerance }),
  });

const keyed = (ops: readonly string[], dtypes: readonly DType[], tolerance?: Tolerance): OpSpec[] =>
  specsOf(ops, {
    types: { dtype: dtypes, Tshape: ["int32"] },
    draw: () =>
      fc.tuple(size, generator).map(([shape, [key, counter]]) => ({
        inputs: [
          integers("int32", shape),
          Tensor.of([key], "uint64"),
          Tensor.of([counter, 0n], "uint64"),
          scalar("int32", 1),
        ],
      })),
    ...(tolerance === undefined ? {} : { tolerance }),
  });

const long = (dtype: DType, value: number): Tensor => scalar(dtype, value);

export const statelessRandomSpecs: readonly OpSpec[] = [
  ...seeded(["StatelessRandomUniform"], floats),
  ...seeded(["StatelessRandomNormal", "StatelessTruncatedNormal"], floats, transformed),
  ...seeded(["StatelessRandomUniformFullInt"], indexTypes),
  ...keyed(["StatelessRandomUniformV2"], floats),
  ...keyed(["StatelessRandomNormalV2", "StatelessTruncatedNormalV2"], floats, transformed),
  ...keyed(["StatelessRandomUniformFullIntV2"], indexTypes),
  {
    op: "StatelessRandomUniformInt",
    types: { dtype: indexTypes, T: ["int32"], Tseed: indexTypes },
    draw: ({ dtype = "int32", Tseed = "int64" }) =>
      fc.tuple(size, seed).map(([shape, two]) => ({
        inputs: [integers("int32", shape), integers(Tseed, two), long(dtype, -3), long(dtype, 1000)],
      })),
  },
  {
    op: "StatelessRandomUniformIntV2",
    types: { dtype: indexTypes, Tshape: ["int32"] },
    draw: ({ dtype = "int32" }) =>
      fc.tuple(size, generator).map(([shape, [key, counter]]) => ({
        inputs: [
          integers("int32", shape),
          Tensor.of([key], "uint64"),
          Tensor.of([counter, 0n], "uint64"),
          scalar("int32", 1),
          long(dtype, -3),
          long(dtype, 1000),
        ],
      })),
  },
  ...specsOf(["StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"], {
    types: { Tseed: indexTypes },
    draw: ({ Tseed = "int64" }) => seed.map((two) => ({ inputs: [integers(Tseed, two)] })),
  }),
  { op: "StatelessRandomGetAlg", types: {}, draw: () => fc.constant({ inputs: [] }) },
  {
    op: "StatelessMultinomial",
    types: { T: floats, Tseed: indexTypes, output_dtype: indexTypes },
    draw: ({ T = "float32", Tseed = "int64" }) =>
      seed.map((two) => ({
        inputs: [Tensor.of([0, 1, 2, -1, 3, 0.5], T, [2, 3]), scalar("int32", 6), integers(Tseed, two)],
      })),
  },
];
