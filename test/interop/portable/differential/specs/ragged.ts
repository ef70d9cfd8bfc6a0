/** Tensors whose rows differ in length. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { indexTypes, indices, integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

const valueTypes = ["float32", "int64", "string"] as const satisfies readonly DType[];

/** The splits of so many rows. */
const rowSplits = (rows: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: rows, maxLength: rows }).map((lengths) => {
    const splits = [0];
    for (const length of lengths) {
      splits.push((splits.at(-1) ?? 0) + length);
    }
    return splits;
  });

interface Nested {
  readonly splits: readonly number[][];
  /** How many rows the dense values have. */
  readonly count: number;
}

/** One or two ragged dimensions. */
const nested: fc.Arbitrary<Nested> = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.boolean())
  .chain(([rows, twice]) =>
    rowSplits(rows).chain(
      (outer): fc.Arbitrary<Nested> =>
        twice
          ? rowSplits(outer.at(-1) ?? 0).map((inner) => ({
              splits: [outer, inner],
              count: inner.at(-1) ?? 0,
            }))
          : fc.constant({ splits: [outer], count: outer.at(-1) ?? 0 }),
    ),
  );

const innerShapes = fc.constantFrom<number[]>([], [2]);

const wrongSplits: readonly (readonly number[])[] = [[0, 2], [1, 6], [0, 4, 2, 6], [0, 9], []];

const six = (dtype: DType): Tensor =>
  Tensor.of(dtype === "string" ? ["a", "b", "c", "d", "e", "f"] : [0, 1, 2, 3, 4, 5], dtype);

/** Row numbers of the values that the splits stand for. */
const rowIdsOf = (splits: readonly number[]): number[] =>
  splits.slice(1).flatMap((end, row) => Array<number>(end - (splits[row] ?? 0)).fill(row));

function toTensorCase(T: DType, Tindex: DType, Tshape: DType): fc.Arbitrary<Drawn> {
  return fc
    .tuple(nested, innerShapes, fc.boolean(), fc.constantFrom(-1, 1, 2, 4), fc.boolean(), fc.boolean())
    .chain(([{ splits, count }, inner, byRowIds, size, unknown, scalarFill]) =>
      fc.tuple(tensor(T, [count, ...inner]), tensor(T, scalarFill ? [] : inner)).map(([values, fill]) => {
        const sizes = [...splits.map(() => size), size, ...inner.map(() => -1)];
        const shape = unknown ? scalar(Tshape, -1) : integers(Tshape, sizes);
        const partitions = byRowIds
          ? [
              scalar(Tindex, (splits[0]?.length ?? 1) - 1),
              ...splits.map((one) => integers(Tindex, rowIdsOf(one))),
            ]
          : splits.map((one) => integers(Tindex, one));
        const kinds = byRowIds
          ? ["FIRST_DIM_SIZE", ...splits.map(() => "VALUE_ROWIDS")]
          : splits.map(() => "ROW_SPLITS");
        return {
          inputs: [shape, values, fill, ...partitions],
          attrs: partitionAttrs(kinds),
        };
      }),
    );
}

const partitionAttrs = (kinds: readonly string[]): Attrs => ({
  num_row_partition_tensors: attr.int(kinds.length),
  row_partition_types: attr.texts(...kinds),
});

export const raggedSpecs: readonly OpSpec[] = [
  {
    op: "RaggedRange",
    types: { T: ["float32", "float64", "int32", "int64"], Tsplits: indexTypes },
    draw: ({ T = "int32" }) =>
      fc
        .integer({ min: 1, max: 3 })
        .chain((rows) =>
          fc
            .tuple(tensor(T, [rows]), tensor(T, [rows]), tensor(T, [], "nonzero"))
            .map((inputs) => ({ inputs })),
        ),
    edges: ({ T = "int32" }) => [
      { inputs: [scalar(T, 0), scalar(T, 3), scalar(T, 1)] },
      { inputs: [scalar(T, 0), scalar(T, 3), scalar(T, 0)] },
      { inputs: [Tensor.of([0], T), Tensor.of([3, 4], T), scalar(T, 1)] },
      { inputs: [Tensor.of([0], T, [1, 1]), Tensor.of([3], T), scalar(T, 1)] },
      { inputs: [Tensor.of([], T), Tensor.of([], T), Tensor.of([], T)] },
    ],
  },
  {
    op: "RaggedGather",
    types: { Tvalues: valueTypes, Tindices: indexTypes, Tsplits: indexTypes },
    draw: ({ Tvalues = "float32", Tindices = "int32", Tsplits = "int64" }) =>
      fc
        .tuple(nested, innerShapes, fc.constantFrom<number[]>([], [3], [2, 2]))
        .chain(([{ splits, count }, inner, shape]) =>
          fc
            .tuple(tensor(Tvalues, [count, ...inner]), indices(Tindices, shape, (splits[0]?.length ?? 1) - 1))
            .map((last) => ({
              inputs: [...splits.map((one) => integers(Tsplits, one)), ...last],
              attrs: {
                PARAMS_RAGGED_RANK: attr.int(splits.length),
                OUTPUT_RAGGED_RANK: attr.int(splits.length + shape.length - 1),
              },
            })),
        ),
    edges: ({ Tvalues = "float32", Tindices = "int32", Tsplits = "int64" }) =>
      wrongSplits.map((splits) => ({
        inputs: [integers(Tsplits, splits), six(Tvalues), integers(Tindices, [0])],
        attrs: { PARAMS_RAGGED_RANK: attr.int(1), OUTPUT_RAGGED_RANK: attr.int(1) },
      })),
  },
  {
    op: "RaggedTensorToSparse",
    types: { T: valueTypes, Tsplits: indexTypes },
    draw: ({ T = "float32", Tsplits = "int64" }) =>
      fc.tuple(nested, innerShapes).chain(([{ splits, count }, inner]) =>
        tensor(T, [count, ...inner]).map((values) => ({
          inputs: [...splits.map((one) => integers(Tsplits, one)), values],
          attrs: { RAGGED_RANK: attr.int(splits.length) },
        })),
      ),
    edges: ({ T = "float32", Tsplits = "int64" }) =>
      wrongSplits.map((splits) => ({
        inputs: [integers(Tsplits, splits), six(T)],
        attrs: { RAGGED_RANK: attr.int(1) },
      })),
  },
  {
    op: "RaggedTensorToTensor",
    types: { T: valueTypes, Tindex: indexTypes, Tshape: indexTypes },
    draw: ({ T = "float32", Tindex = "int64", Tshape = "int64" }) => toTensorCase(T, Tindex, Tshape),
    edges: ({ T = "float32", Tindex = "int64", Tshape = "int64" }) => {
      const fill = Tensor.of([T === "string" ? "?" : 9], T, []);
      const splits = integers(Tindex, [0, 2, 2, 6]);
      const made = (shape: Tensor, partition: Tensor, kind = "ROW_SPLITS"): Drawn => ({
        inputs: [shape, six(T), fill, partition],
        attrs: partitionAttrs([kind]),
      });
      const ofRows = (shape: Tensor, rows: number, rowSplits: readonly number[]): Drawn => ({
        inputs: [shape, six(T), fill, scalar(Tindex, rows), integers(Tindex, rowSplits)],
        attrs: partitionAttrs(["FIRST_DIM_SIZE", "ROW_SPLITS"]),
      });
      return [
        made(integers(Tshape, [-1]), splits),
        made(scalar(Tshape, 3), splits),
        made(integers(Tshape, [-2, -1]), splits),
        made(integers(Tshape, [0, 5]), splits),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [0, 2, 5])),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [1, 2, 6])),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [0, 4, 2, 6])),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [2, 4, 2, 4])),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [])),
        made(integers(Tshape, [-1, -1]), integers(Tindex, [0, 0]), "VALUE_ROWIDS"),
        // Nothing is looked at where the result has no place for any row.
        made(integers(Tshape, [0, 5]), integers(Tindex, [0, 4, 2, 9])),
        made(scalar(Tshape, -1), integers(Tindex, [3])),
        ofRows(scalar(Tshape, -1), 2, []),
        ofRows(integers(Tshape, [2, 2]), 2, []),
        ofRows(integers(Tshape, [2, 2]), 2, [0]),
        ofRows(scalar(Tshape, -1), 5, [0, 2, 6]),
        ofRows(scalar(Tshape, -1), 1, [0, 2, 6]),
      ];
    },
  },
];
