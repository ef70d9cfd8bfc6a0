/** Stateless draws by rejection: gamma, Poisson and binomial. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { indexTypes, integers, scalar } from "../arbitraries.js";
import type { Tolerance } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

/** Logarithms and powers of two machines differ in their last places. */
const transformed: Tolerance = { ulps: 64 };

const drawTypes = ["float16", "float32", "float64"] as const satisfies readonly DType[];
const countTypes = [...drawTypes, "int32", "int64"] as const satisfies readonly DType[];

const seed = fc.tuple(fc.integer(), fc.integer());
const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** The dimensions before the shape of the parameters. */
const outer = fc.constantFrom([], [3], [2, 3], [0], [40]);

const sizes = (...shape: number[]): Tensor => integers("int32", shape);
const two = (...words: number[]): Tensor => integers("int64", words);
const numbers = (dtype: DType, values: readonly number[], shape: readonly number[] = [values.length]) =>
  dtype === "int64" || dtype === "int32"
    ? integers(dtype, values.map(Math.trunc), shape)
    : Tensor.of([...values], dtype, shape);

const elementsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);
const filled = (dtype: DType, shape: readonly number[], value: number): Tensor =>
  numbers(dtype, new Array<number>(elementsOf(shape)).fill(value), shape);

/** Parameters of a distribution. */
const parameters = (
  dtype: DType,
  values: readonly number[],
  shape: readonly number[],
): fc.Arbitrary<Tensor> =>
  fc
    .array(fc.constantFrom(...values), { minLength: elementsOf(shape), maxLength: elementsOf(shape) })
    .map((list) => numbers(dtype, list, shape));

/** Shapes, seeds and parameters that do not fit together; `inputs` makes the other inputs of a shape and a seed. */
const misfits = (others: (shape: readonly number[]) => readonly Tensor[]): Drawn[] =>
  [
    { shape: sizes(2, 3), of: [2] },
    { shape: sizes(3), of: [1, 3] },
    { shape: sizes(0, 3), of: [2] },
    { shape: sizes(2, 0), of: [0] },
    { shape: sizes(2, 3), of: [0] },
    { shape: sizes(-3), of: [] },
    { shape: sizes(2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1), of: [] },
    { shape: integers("int32", [3], []), of: [] },
    { shape: integers("int32", [3], [1, 1]), of: [] },
    { shape: sizes(3), of: [], words: two(1, 2, 3) },
    { shape: sizes(3), of: [], words: integers("int64", [1, 2], [1, 2]) },
  ].map(({ shape, of, words = two(1, 2) }) => ({ inputs: [shape, words, ...others(of)] }));

const shapesOfParameters = [[], [1], [3], [2, 2]] as const;
const alphas = [0, 0.01, 0.3, 0.999, 1, 1.001, 2.5, 40, 1000];
const rates = [0, 0.01, 0.3, 3, 9.99, 10, 11.5, 400, 30_000];
const probabilities = [-1, 0, 0.001, 0.2, 0.5, 0.5005, 0.77, 0.999, 1, 2];
/** Up to the largest that float16 has in steps of one. */
const counts = [-3, 0, 1, 2.5, 10, 19, 20, 50, 700, 2000];
/** Shapes of counts and probabilities, and what they have in common. */
const shapesOfPairs = [
  { count: [], prob: [], both: [] },
  { count: [3], prob: [], both: [3] },
  { count: [], prob: [2, 1], both: [2, 1] },
  { count: [2, 1], prob: [3], both: [2, 3] },
  { count: [2, 3], prob: [2, 3], both: [2, 3] },
] as const;

const generator = fc
  .tuple(word, word)
  .map(([key, counter]) => [Tensor.of([key], "uint64"), Tensor.of([counter, 2n ** 64n - 1n], "uint64")]);
const algorithm = (id: number): Tensor => scalar("int32", id);

/** Cases of an op with a seed and one parameter. */
const ofOneParameter =
  (typeOfParameter: string, values: readonly number[]): OpSpec["draw"] =>
  (types) =>
    fc.tuple(outer, seed, fc.constantFrom(...shapesOfParameters)).chain(([first, words, shape]) =>
      parameters(types[typeOfParameter] ?? "float32", values, shape).map((parameter) => ({
        inputs: [sizes(...first, ...shape), integers(types.Tseed ?? "int64", words), parameter],
      })),
    );

export const rejectionDrawSpecs: readonly OpSpec[] = [
  {
    op: "StatelessRandomGammaV2",
    types: { dtype: drawTypes, T: ["int32"], Tseed: indexTypes },
    draw: ofOneParameter("dtype", alphas),
    edges: ({ dtype = "float32", Tseed }) =>
      Tseed === "int64" ? misfits((shape) => [filled(dtype, shape, 2.5)]) : [],
    tolerance: transformed,
  },
  {
    op: "StatelessRandomGammaV3",
    types: { dtype: drawTypes, shape_dtype: ["int32"] },
    draw: ({ dtype = "float32" }) =>
      fc
        .tuple(outer, generator, fc.constantFrom(1, 3), fc.constantFrom(...shapesOfParameters))
        .chain(([first, stream, id, shape]) =>
          parameters(dtype, alphas, shape).map((alpha) => ({
            inputs: [sizes(...first, ...shape), ...stream, algorithm(id), alpha],
          })),
        ),
    edges: ({ dtype = "float32" }) => {
      const [key, counter] = [Tensor.of([7n], "uint64"), Tensor.of([1n, 2n], "uint64")];
      const alpha = filled(dtype, [], 2.5);
      return [
        { inputs: [sizes(3), key, counter, algorithm(2), alpha] },
        { inputs: [sizes(3), key, counter, integers("int32", [1]), alpha] },
        { inputs: [sizes(3), counter, counter, algorithm(1), alpha] },
        { inputs: [sizes(-1), key, counter, algorithm(1), alpha] },
        { inputs: [sizes(3), key, counter, algorithm(1), filled(dtype, [2], 2.5)] },
      ];
    },
    tolerance: transformed,
  },
  {
    op: "StatelessRandomPoisson",
    types: { Rtype: countTypes, dtype: countTypes, T: ["int32"], Tseed: ["int64"] },
    draw: ofOneParameter("Rtype", rates),
    edges: ({ Rtype = "float32", dtype }) =>
      dtype === "float32" ? misfits((shape) => [filled(Rtype, shape, 2.5)]) : [],
  },
  {
    op: "StatelessRandomBinomial",
    types: { T: drawTypes, dtype: countTypes, S: ["int32"], Tseed: indexTypes },
    draw: ({ T = "float32", Tseed = "int64" }) =>
      fc
        .tuple(outer, seed, fc.constantFrom(...shapesOfPairs))
        .chain(([first, words, { count, prob, both }]) =>
          fc.tuple(parameters(T, counts, count), parameters(T, probabilities, prob)).map((pair) => ({
            inputs: [sizes(...first, ...both), integers(Tseed, words), ...pair],
          })),
        ),
    edges: ({ T = "float32", dtype, Tseed }) =>
      dtype === "float32" && Tseed === "int64"
        ? [
            ...misfits((shape) => [filled(T, shape, 20), filled(T, [], 0.5)]),
            ...misfits((shape) => [filled(T, [], 20), filled(T, shape, 0.5)]),
            { inputs: [sizes(2, 3), two(1, 2), filled(T, [3], 20), filled(T, [2], 0.5)] },
            { inputs: [sizes(4), two(1, 2), filled(T, [], 20), filled(T, [], Number.NaN)] },
            { inputs: [sizes(4), two(1, 2), filled(T, [], Infinity), filled(T, [], 1)] },
          ]
        : [],
  },
];
