/** Ops that pick elements by index or condition, put them elsewhere, or make them from nothing. */
import fc from "fast-check";
import { type DType, itemSize } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  everything,
  floats,
  indexTypes,
  indices,
  integers,
  numbers,
  scalar,
  shapes,
  tensor,
} from "../arbitraries.js";
import { attr } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const few = ["float32", "int32", "string"] as const satisfies readonly DType[];

/** `from` and `to` of one range in one step, all of one dtype. */
const rangeOf = (dtype: DType, start: number, limit: number, delta: number): Tensor[] =>
  [start, limit, delta].map((value) => scalar(dtype, value));

const select = (T: DType, conditionShape: readonly number[], shape: readonly number[]) =>
  fc
    .tuple(tensor("bool", conditionShape), tensor(T, shape, "any"), tensor(T, shape, "any"))
    .map((inputs) => ({ inputs }));

/** Indices of whole rows, updates for them, and the tensor that they go into. */
function scatterInputs(T: DType, Tindices: DType) {
  return fc.tuple(
    tensor(T, [5, 2], "unit"),
    indices(Tindices, [3, 1], 5, "never"),
    tensor(T, [3, 2], "unit"),
  );
}

const bitcastTypes = [
  "float16",
  "bfloat16",
  "uint16",
  "uint32",
  "uint64",
  ...numbers,
  "complex64",
  "complex128",
] as const satisfies readonly DType[];
const castTypes = [...numbers, "bool"] as const satisfies readonly DType[];

export const indexingSpecs: readonly OpSpec[] = [
  {
    op: "GatherV2",
    types: { Tparams: everything, Tindices: indexTypes, Taxis: indexTypes },
    draw: ({ Tparams = "float32", Tindices = "int32", Taxis = "int32" }) =>
      fc
        .tuple(shapes({ minRank: 2, maxRank: 3, minSize: 1 }), shapes({ maxRank: 2 }), fc.nat(1))
        .chain(([shape, at, batch]) =>
          fc
            .tuple(
              tensor(Tparams, shape),
              indices(Tindices, batch === 0 ? at : [shape[0] ?? 1, ...at], shape[batch] ?? 1),
            )
            .map(([params, index]) => ({
              inputs: [params, index, scalar(Taxis, batch)],
              attrs: { batch_dims: attr.int(batch) },
            })),
        ),
    edges: ({ Tparams = "float32", Tindices = "int32" }) =>
      Tparams === "float32"
        ? [
            {
              inputs: [Tensor.of([1, 2], Tparams), integers(Tindices, [2]), scalar("int32", 0)],
              attrs: { Taxis: attr.type("int32") },
            },
          ]
        : [],
  },
  {
    op: "Gather",
    types: { Tparams: few, Tindices: indexTypes },
    draw: ({ Tparams = "float32", Tindices = "int32" }) =>
      fc.tuple(tensor(Tparams, [4, 2]), indices(Tindices, [2, 2], 4)).map((inputs) => ({ inputs })),
  },
  {
    op: "GatherNd",
    types: { Tparams: few, Tindices: indexTypes },
    draw: ({ Tparams = "float32", Tindices = "int32" }) =>
      fc
        .tuple(tensor(Tparams, [3, 3, 2]), fc.integer({ min: 0, max: 3 }))
        .chain(([params, depth]) =>
          indices(Tindices, [4, depth], 2).map((index) => ({ inputs: [params, index] })),
        ),
  },
  {
    op: "ScatterNd",
    types: { T: ["float32", "float64", "int32", "int64", "bool"], Tindices: indexTypes },
    draw: ({ T = "float32", Tindices = "int32" }) =>
      scatterInputs(T, Tindices).map(([, index, updates]) => ({
        inputs: [index, updates, integers(Tindices, [5, 2])],
      })),
    edges: ({ T = "float32", Tindices = "int32" }) => {
      const of = (index: Tensor, updates: Tensor, shape: readonly number[]) => ({
        inputs: [index, updates, integers(Tindices, shape)],
      });
      return T === "float32" || T === "bool"
        ? [
            of(integers(Tindices, [5], [1, 1]), Tensor.of([1, 1], T, [1, 2]), [5, 2]),
            of(integers(Tindices, [-1], [1, 1]), Tensor.of([1, 1], T, [1, 2]), [5, 2]),
            of(integers(Tindices, [1, 3, 1], [3, 1]), Tensor.of([1, 0, 0], T), [5]),
            of(integers(Tindices, [1, 0, 1, 1, 1, 0], [3, 2]), Tensor.of([0, 0, 1], T), [2, 2]),
            of(integers(Tindices, [], [0, 1]), Tensor.of([], T, [0, 2]), [3, 2]),
            of(integers(Tindices, [], [2, 0]), Tensor.of([1, 0, 0, 1, 1, 1], T, [2, 3]), [3]),
            of(integers(Tindices, [0], [1, 1]), Tensor.of([1], T, [1]), [3, 2]),
            of(integers(Tindices, [0], [1, 1]), Tensor.of([1], T), [0]),
            of(integers(Tindices, [0, 0], [1, 2]), Tensor.of([1], T), [3]),
          ]
        : [];
    },
    tolerance: { ulps: 4, scale: 4 },
  },
  ...specsOf(
    ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"],
    {
      types: { T: ["float32", "int32"], Tindices: indexTypes },
      draw: ({ T = "float32", Tindices = "int32" }) =>
        scatterInputs(T, Tindices).map(([into, , updates]) => ({
          // No row twice: in which of two orders it is updated is not said.
          inputs: [into, integers(Tindices, [4, 0, 2], [3, 1]), updates],
        })),
      edges: ({ T = "float32", Tindices = "int32" }) => {
        const into = Tensor.of([1, 2, 3, 4, 5, 6], T, [3, 2]);
        const of = (index: Tensor, updates: Tensor) => ({ inputs: [into, index, updates] });
        return [
          of(integers(Tindices, [3], [1, 1]), Tensor.of([1, 1], T, [1, 2])),
          of(integers(Tindices, [-1], [1, 1]), Tensor.of([1, 1], T, [1, 2])),
          of(integers(Tindices, [0, 2], [1, 2]), Tensor.of([7], T)),
          of(integers(Tindices, [], [0, 1]), Tensor.of([], T, [0, 2])),
          of(integers(Tindices, [], [1, 0]), Tensor.of([7, 8, 9, 0, 1, 2], T, [1, 3, 2])),
          of(integers(Tindices, [1], [1]), Tensor.of([7, 8], T)),
          // The same row twice, with the same values, whose order does not matter.
          of(integers(Tindices, [1, 1], [2, 1]), Tensor.of([4, 4, 4, 4], T, [2, 2])),
          of(integers(Tindices, [1, 0, 1, 0], [2, 2]), Tensor.of([-4, -4], T)),
        ];
      },
      tolerance: { ulps: 4, scale: 4 },
    },
  ),
  {
    op: "OneHot",
    types: { T: ["float32", "int32", "int64", "bool"], TI: ["int32", "int64", "uint8"] },
    draw: ({ T = "float32", TI = "int32" }) =>
      fc
        .tuple(indices(TI, [2, 3], 4, "never"), fc.constantFrom(-1, 0, 1), fc.nat(5))
        .map(([input, axis, depth]) => ({
          inputs: [input, scalar("int32", depth), scalar(T, 5), scalar(T, T === "bool" ? 0 : -1)],
          attrs: { axis: attr.int(axis) },
        })),
    edges: ({ T = "float32", TI = "int32" }) =>
      T === "float32" && TI !== "uint8"
        ? [
            { inputs: [integers(TI, [-1, 9]), scalar("int32", 2), scalar(T, 1), scalar(T, 0)] },
            { inputs: [integers(TI, [0]), scalar("int32", -1), scalar(T, 1), scalar(T, 0)] },
          ]
        : [],
  },
  {
    op: "Where",
    types: { T: [...numbers, "bool"] },
    draw: ({ T = "float32" }) => anyTensor(T, "unit", { minRank: 1 }).map((input) => ({ inputs: [input] })),
  },
  {
    op: "Select",
    types: { T: everything },
    draw: ({ T = "float32" }) =>
      fc
        .constantFrom<[number[], number[]]>(
          [
            [2, 3],
            [2, 3],
          ],
          [[2], [2, 3]],
          [[], [2, 3]],
          [[0], [0]],
        )
        .chain(([c, s]) => select(T, c, s)),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [{ inputs: [Tensor.of([true, false], "bool"), Tensor.of(1, T, [3]), Tensor.of(1, T, [3])] }]
        : [],
  },
  {
    op: "SelectV2",
    types: { T: everything },
    draw: ({ T = "float32" }) =>
      fc
        .constantFrom<[number[], number[]]>(
          [[2, 3], [3]],
          [[3], [2, 3]],
          [[], [2]],
          [
            [2, 1],
            [1, 4],
          ],
          [[0], [1]],
        )
        .chain(([c, s]) => select(T, c, s)),
  },
  {
    op: "Range",
    types: { Tidx: ["float32", "float64", "int32", "int64"] },
    draw: ({ Tidx = "int32" }) =>
      fc
        .tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 9 }), fc.constantFrom(1, 2, -1, -3))
        .map(([start, length, delta]) => ({
          inputs: rangeOf(Tidx, start, start + length * Math.sign(delta), delta),
        })),
    edges: ({ Tidx = "int32" }) => [{ inputs: rangeOf(Tidx, 0, 5, 0) }, { inputs: rangeOf(Tidx, 0, -5, 1) }],
    tolerance: { ulps: 2, scale: 1 },
  },
  {
    op: "LinSpace",
    types: { T: floats, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      fc
        .tuple(
          fc.integer({ min: -5, max: 5 }),
          fc.integer({ min: -5, max: 9 }),
          fc.integer({ min: 1, max: 9 }),
        )
        .map(([start, stop, num]) => ({ inputs: [scalar(T, start), scalar(T, stop), scalar(Tidx, num)] })),
    edges: ({ T = "float32", Tidx = "int32" }) => [{ inputs: [scalar(T, 0), scalar(T, 1), scalar(Tidx, 0)] }],
    tolerance: { ulps: 2, scale: 8 },
  },
  {
    op: "ClipByValue",
    types: { T: numbers },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "any").map((input) => ({ inputs: [input, scalar(T, 1), scalar(T, 5)] })),
    // Bounds that cross.
    edges: ({ T = "float32" }) => [{ inputs: [integers(T, [1, 5, 6, 7, 9]), scalar(T, 7), scalar(T, 5)] }],
  },
  {
    op: "ClipByValue",
    types: { T: floats },
    // Bounds that are no numbers, and zeros.
    draw: ({ T = "float32" }) =>
      fc
        .tuple(tensor(T, [6], "any"), tensor(T, [], "any"), tensor(T, [6], "any"))
        .map((inputs) => ({ inputs })),
  },
  {
    op: "Cast",
    types: { SrcT: castTypes, DstT: castTypes },
    note: "of numbers that the other type can hold",
    // The result for a number that the other type cannot hold depends on the processor.
    draw: ({ SrcT = "float32", DstT = "int32" }) =>
      anyTensor(SrcT, DstT.startsWith("u") ? "positive" : "moderate").map((input) => ({ inputs: [input] })),
  },
  {
    op: "Bitcast",
    types: { T: bitcastTypes, type: bitcastTypes },
    draw: ({ T = "float32", type = "float32" }) =>
      // As many elements as make one of the larger dtype.
      tensor(T, [2, Math.max(1, itemSize(type) / itemSize(T))]).map((input) => ({ inputs: [input] })),
  },
  {
    op: "DynamicPartition",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [5, 2]), indices("int32", [5], 3, "never")).map((inputs) => ({
        inputs,
        attrs: { num_partitions: attr.int(3) },
      })),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [{ inputs: [Tensor.of([1], T), integers("int32", [3])], attrs: { num_partitions: attr.int(3) } }]
        : [],
  },
  ...specsOf(["DynamicStitch", "ParallelDynamicStitch"], {
    types: { T: few },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [2, 3]), tensor(T, [2, 3])).map(([a, b]) => ({
        inputs: [integers("int32", [2, 0]), integers("int32", [1, 3]), a, b],
        attrs: { N: attr.int(2) },
      })),
  }),
  ...specsOf(["Unique", "UniqueWithCounts"], {
    types: { T: everything, out_idx: indexTypes },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "unit", { minRank: 1, maxRank: 1, maxSize: 9 }).map((input) => ({ inputs: [input] })),
  }),
  {
    op: "UniqueV2",
    types: { T: ["float32", "int64"], Taxis: indexTypes, out_idx: indexTypes },
    draw: ({ T = "float32", Taxis = "int32" }) =>
      tensor(T, [4, 2], "unit").map((input) => ({ inputs: [input, integers(Taxis, [0])] })),
  },
  {
    op: "ListDiff",
    types: { T: ["int32", "int64", "string", "float32"], out_idx: indexTypes },
    draw: ({ T = "int32" }) =>
      fc.tuple(tensor(T, [7], "unit"), tensor(T, [2], "unit")).map((inputs) => ({ inputs })),
  },
  {
    op: "TopKV2",
    types: { T: numbers, Tk: ["int32"], index_type: ["int32"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [2, 5]), fc.integer({ min: 0, max: 5 })).map(([input, k]) => ({
        inputs: [input, scalar("int32", k)],
      })),
    edges: ({ T = "float32" }) =>
      T === "float32" ? [{ inputs: [Tensor.of(1, T, [2]), scalar("int32", 3)] }] : [],
  },
  {
    op: "InTopKV2",
    types: { T: indexTypes },
    draw: ({ T = "int32" }) =>
      fc.tuple(tensor("float32", [3, 4]), indices(T, [3], 4, "never")).map(([predictions, targets]) => ({
        inputs: [predictions, targets, scalar(T, 2)],
      })),
    edges: ({ T = "int32" }) => [
      {
        inputs: [
          Tensor.of([1, 1, 1, 1, 2, Number.NaN, 1, Infinity, 2, 3, 2, 1], "float32", [4, 3]),
          integers(T, [2, 0, 0, 5]),
          scalar(T, 1),
        ],
      },
      { inputs: [Tensor.of([1, 2], "float32", [1, 2]), integers(T, [0, 1]), scalar(T, 1)] },
    ],
  },
  {
    op: "InTopK",
    types: { T: indexTypes },
    draw: ({ T = "int32" }) =>
      fc
        .tuple(tensor("float32", [3, 4]), indices(T, [3], 4, "never"))
        .map((inputs) => ({ inputs, attrs: { k: attr.int(2) } })),
  },
  ...specsOf(["Diag", "DiagPart", "MatrixDiagPart", "MatrixDiag"], {
    types: { T: ["float32", "float64", "int32"] },
    draw: ({ T = "float32" }) => tensor(T, [3, 3]).map((input) => ({ inputs: [input] })),
    edges: ({ T = "float32" }) => [
      { inputs: [integers(T, [1, 2, 3, 4, 5, 6], [2, 3])] },
      { inputs: [integers(T, [1, 2, 3, 4, 5, 6], [3, 2])] },
      { inputs: [integers(T, [], [0, 0])] },
      { inputs: [scalar(T, 1)] },
    ],
  }),
  {
    op: "MatrixBandPart",
    types: { T: ["float32", "float64", "int32"], Tindex: indexTypes },
    draw: ({ T = "float32", Tindex = "int32" }) =>
      fc
        .tuple(tensor(T, [2, 3, 4]), fc.integer({ min: -1, max: 3 }), fc.integer({ min: -1, max: 4 }))
        .map(([input, lower, upper]) => ({ inputs: [input, scalar(Tindex, lower), scalar(Tindex, upper)] })),
  },
  {
    op: "MatrixSetDiag",
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [2, 3, 4]), tensor(T, [2, 3])).map((inputs) => ({ inputs })),
  },
  ...specsOf(["LowerBound", "UpperBound"], {
    types: { T: ["float32", "int32"], out_type: indexTypes },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3], "unit").map((values) => ({
        inputs: [
          integers(
            T,
            T.startsWith("u") ? [0, 0, 1, 1, 2, 0, 1, 1, 2, 5] : [-2, -1, 0, 0, 1, -1, 0, 0, 1, 5],
            [2, 5],
          ),
          values,
        ],
      })),
  }),
];
