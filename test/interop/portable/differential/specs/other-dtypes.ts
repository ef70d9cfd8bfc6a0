/** Ops with dtypes of which programs have few: what computes the usual ones may not be right for them. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { anyTensor, indexTypes, integers, scalar, shapes, someAxes, tensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const complex = ["complex64", "complex128"] as const satisfies readonly DType[];
const smallFloats = ["float16", "bfloat16"] as const satisfies readonly DType[];

/** Folds of up to four numbers of a size up to two. */
const folded: Tolerance = { ulps: 8, scale: "element" };

const ordered = (count: number) =>
  fc
    .array(fc.nat(4), { minLength: count, maxLength: count })
    .map((ids) => ids.sort((left, right) => left - right));

export const otherDtypeSpecs: readonly OpSpec[] = [
  ...specsOf(["SegmentSum", "SegmentProd", "SegmentMean"], {
    types: { T: complex, Tindices: indexTypes },
    draw: ({ T = "complex64", Tindices = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3, minSize: 1 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape, "unit"), ordered(shape[0] ?? 1))
          .map(([data, ids]) => ({ inputs: [data, integers(Tindices, ids)] })),
      ),
    // Segments without rows in between, and several rows of one.
    edges: ({ T = "complex64", Tindices = "int32" }) => [
      {
        inputs: [
          Tensor.of(
            [1, 0, 3].map((re, i) => ({ re, im: 2 * i + 1 })),
            T,
            [3],
          ),
          integers(Tindices, [0, 0, 2]),
        ],
      },
    ],
    tolerance: folded,
  }),
  ...specsOf(["UnsortedSegmentSum", "UnsortedSegmentProd"], {
    types: { T: complex, Tindices: indexTypes, Tnumsegments: ["int32"] },
    draw: ({ T = "complex64", Tindices = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3 }).chain((shape) =>
        fc.tuple(tensor(T, shape, "unit"), ordered(shape[0] ?? 0)).map(([data, ids]) => ({
          inputs: [
            data,
            integers(
              Tindices,
              ids.map((id) => id - 1),
            ),
            scalar("int32", 4),
          ],
        })),
      ),
    tolerance: folded,
  }),
  ...specsOf(["Sum", "Mean"], {
    types: { T: complex, Tidx: indexTypes },
    draw: ({ T = "complex64", Tidx = "int32" }) =>
      shapes({ maxRank: 3 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape, "unit"), someAxes(shape.length))
          .map(([input, axes]) => ({ inputs: [input, integers(Tidx, axes)] })),
      ),
    edges: ({ T = "complex64", Tidx = "int32" }) =>
      [[0], [0, 1], []].map((axes) => ({ inputs: [Tensor.of([], T, [0, 2]), integers(Tidx, axes)] })),
    tolerance: { ulps: 8, scale: 64 },
  }),
  {
    op: "ClipByValue",
    types: { T: complex },
    draw: ({ T = "complex64" }) =>
      shapes({ maxRank: 3 }).chain((shape) =>
        fc
          .tuple(
            tensor(T, shape),
            fc.constantFrom(shape, []).chain((sizes) => tensor(T, sizes, "unit")),
            fc.constantFrom(shape, []).chain((sizes) => tensor(T, sizes, "positive")),
          )
          .map((inputs) => ({ inputs })),
      ),
    edges: ({ T = "complex64" }) => [
      { inputs: [[3], [2], []].map((sizes) => Tensor.of({ re: 1, im: 1 }, T, sizes)) },
    ],
  },
  {
    op: "EditDistance",
    types: { T: [...complex, ...smallFloats, "bool"] },
    draw: ({ T = "complex64" }) =>
      fc.tuple(tensor(T, [3], "unit"), tensor(T, [3], "unit")).map(([hypothesis, truth]) => ({
        inputs: [hypothesis, truth].flatMap((values) => [
          integers("int64", [0, 0, 0, 1, 1, 0], [3, 2]),
          values,
          integers("int64", [2, 2]),
        ]),
        attrs: { normalize: attr.bool(false) },
      })),
    edges: ({ T = "complex64" }) =>
      T === "bool"
        ? []
        : [
            {
              inputs: [
                [-0, Number.NaN],
                [0, Number.NaN],
              ].flatMap((values) => [
                integers("int64", [0, 0, 0, 1], [2, 2]),
                Tensor.of(T.startsWith("complex") ? values.map((re) => ({ re, im: -re })) : values, T),
                integers("int64", [1, 2]),
              ]),
            },
          ],
  },
  {
    op: "Where",
    types: { T: [...complex, "bfloat16"] },
    draw: ({ T = "complex64" }) => anyTensor(T, "unit", { minRank: 1 }).map((input) => ({ inputs: [input] })),
    edges: ({ T = "complex64" }) =>
      T === "bfloat16" ? [{ inputs: [Tensor.of([-0, 0, 1, Number.NaN, Infinity], T)] }] : [],
  },
  {
    op: "ScatterNd",
    types: { T: ["bool", ...complex, ...smallFloats], Tindices: ["int32"] },
    draw: ({ T = "bool" }) =>
      tensor(T, [3, 2], "unit").map((updates) => ({
        inputs: [integers("int32", [0, 2, 0], [3, 1]), updates, integers("int32", [5, 2])],
      })),
    edges: ({ T = "bool" }) =>
      T === "bool"
        ? [
            {
              inputs: [integers("int32", [1, 1], [2, 1]), Tensor.of([true, true], T), integers("int32", [3])],
            },
          ]
        : [],
    tolerance: { ulps: 2, scale: 2 },
  },
  {
    op: "Tile",
    types: { T: ["uint16", "uint32", "uint64", ...complex, ...smallFloats], Tmultiples: ["int32"] },
    draw: ({ T = "uint16" }) =>
      fc
        .tuple(tensor(T, [2, 3]), fc.constantFrom([1, 1], [2, 1], [0, 2], [1, 3]))
        .map(([input, multiples]) => ({ inputs: [input, integers("int32", multiples)] })),
    edges: ({ T = "uint16" }) =>
      [
        [1, 1],
        [2, 1],
      ].map((multiples) => ({
        inputs: [
          Tensor.of(T === "uint64" ? 1n : T.startsWith("complex") ? { re: 1, im: 2 } : 1, T, [2, 3]),
          integers("int32", multiples),
        ],
      })),
  },
];
