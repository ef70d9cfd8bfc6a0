/** Crosses of the features of sparse and dense columns. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

const ROWS = 4;

/** A column of a few features in each row, by their numbers. */
interface DrawnColumn {
  readonly dtype: DType;
  readonly counts: readonly number[];
  readonly values: Tensor;
}

const featureTypes = ["string", "int64"] as const satisfies readonly DType[];

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function column(dtype: DType): fc.Arbitrary<DrawnColumn> {
  return fc
    .array(fc.integer({ min: 0, max: 3 }), { minLength: ROWS, maxLength: ROWS })
    .chain((counts) => tensor(dtype, [total(counts)], "any").map((values) => ({ dtype, counts, values })));
}

const columns = (dtypes: readonly DType[]): fc.Arbitrary<DrawnColumn[]> =>
  fc.array(fc.constantFrom(...dtypes).chain(column), { maxLength: 3 });

const matrices = (dtypes: readonly DType[]): fc.Arbitrary<Tensor[]> =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...dtypes), fc.constantFrom(0, 1, 1, 2))
      .chain(([dtype, count]) => tensor(dtype, [ROWS, count], "any")),
    { maxLength: 2 },
  );

function indicesOf(counts: readonly number[]): Tensor {
  const indices = counts.flatMap((count, row) => Array.from({ length: count }, (_, i) => [row, i]));
  return integers("int64", indices.flat(), [indices.length, 2]);
}

function drawn(
  sparse: readonly DrawnColumn[],
  dense: readonly Tensor[],
  rest: readonly Tensor[],
  attrs: Attrs,
): Drawn {
  return {
    inputs: [
      ...sparse.map(({ counts }) => indicesOf(counts)),
      ...sparse.map(({ values }) => values),
      ...sparse.map(() => integers("int64", [ROWS, 3])),
      ...dense,
      ...rest,
    ],
    attrs: {
      N: attr.int(sparse.length),
      sparse_types: attr.types(...sparse.map(({ dtype }) => dtype)),
      dense_types: attr.types(...dense.map(({ dtype }) => dtype)),
      ...attrs,
    },
  };
}

const cases = (
  dtypes: readonly DType[],
  rest: fc.Arbitrary<readonly Tensor[]>,
  attrs: fc.Arbitrary<Attrs> = fc.constant({}),
): fc.Arbitrary<Drawn> =>
  fc
    .tuple(columns(dtypes), matrices(dtypes), rest, attrs)
    .map(([sparse, dense, others, more]) => drawn(sparse, dense, others, more));

const word = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const buckets = fc.constantFrom(0n, 1n, 7n, 1000n, 2n ** 62n);

/** Parts that make no columns of one number of rows. */
function misfits(rest: readonly Tensor[], attrs: Attrs = {}): Drawn[] {
  const good = {
    indices: indicesOf([1, 2, 0, 1]),
    values: Tensor.of(["a", "b", "c", "d"]),
    shape: integers("int64", [ROWS, 3]),
  };
  const wrong: (Partial<typeof good> & { readonly dense?: Tensor })[] = [
    {},
    { indices: integers("int64", [0, 1, 2, 3]) },
    { indices: integers("int64", [0, 1, 2, 3], [4, 1]) },
    { values: Tensor.of(["a", "b", "c"]) },
    { values: Tensor.of(["a", "b", "c", "d"], "string", [2, 2]) },
    { shape: integers("int64", [ROWS]) },
    { shape: integers("int64", [ROWS, 3], [1, 2]) },
    { shape: integers("int64", [ROWS + 1, 3]) },
    { dense: Tensor.of(["x", "y"], "string", [2, 1]) },
    { dense: Tensor.of(["x", "y"], "string", [2]) },
    // Out of order, out of range, below 0: what follows belongs to no row.
    { indices: integers("int64", [0, 0, 2, 0, 1, 0, 3, 0], [4, 2]) },
    { indices: integers("int64", [0, 0, 9, 0, 1, 0, 3, 0], [4, 2]) },
    { indices: integers("int64", [-1, 0, 0, 0, 1, 0, 3, 0], [4, 2]) },
  ];
  return wrong.map(({ dense = Tensor.of(["w", "x", "y", "z"], "string", [ROWS, 1]), ...parts }) => {
    const { indices, values, shape } = { ...good, ...parts };
    return {
      inputs: [indices, values, shape, dense, ...rest],
      attrs: {
        N: attr.int(1),
        sparse_types: attr.types("string"),
        dense_types: attr.types("string"),
        ...attrs,
      },
    };
  });
}

export const featureCrossSpecs: readonly OpSpec[] = [
  {
    op: "SparseCross",
    types: { out_type: featureTypes, internal_type: featureTypes },
    draw: ({ out_type, internal_type }) =>
      cases(
        internal_type === "string" ? ["string"] : featureTypes,
        fc.constant([]),
        fc.tuple(buckets, word).map(([count, key]) => ({
          hashed_output: attr.bool(out_type === "int64"),
          num_buckets: attr.int(count),
          hash_key: attr.int(key),
        })),
      ),
    edges: () => {
      const attrs = { hashed_output: attr.bool(true), num_buckets: attr.int(7), hash_key: attr.int(-5) };
      return [
        ...misfits([], attrs),
        drawn(
          [{ dtype: "int64", counts: [1, 0, 1, 1], values: integers("int64", [1, -2, 3]) }],
          [],
          [],
          attrs,
        ),
      ];
    },
  },
  {
    op: "SparseCrossV2",
    types: {},
    draw: () =>
      cases(
        featureTypes,
        fc.constantFrom("", "_Y_", "-").map((text) => [scalar("string", text)]),
      ),
    edges: () => [...misfits([scalar("string", "&")]), ...misfits([Tensor.of(["&"])]).slice(0, 1)],
  },
  {
    op: "SparseCrossHashed",
    types: {},
    draw: () =>
      fc
        .tuple(columns(featureTypes), matrices(featureTypes), buckets, fc.boolean(), word, word)
        .map(([sparse, dense, count, strong, ...salt]) => {
          // TensorFlow's process ends where it hashes dense numbers with the key.
          const isStrong = strong && dense.every(({ dtype }) => dtype === "string");
          const rest = [scalar("int64", count), scalar("bool", isStrong), Tensor.of(salt, "int64")];
          return drawn(sparse, dense, rest, {});
        }),
    edges: () => [
      ...misfits([scalar("int64", 7n), scalar("bool", false), integers("int64", [1, 2])]),
      ...misfits([scalar("int64", 7n), scalar("bool", false), integers("int64", [1, 2, 3])]).slice(0, 1),
    ],
  },
];
