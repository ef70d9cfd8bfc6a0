/** Ops that make fewer elements of many: along axes, by segment, or by value. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  axisOf,
  type Domain,
  floats,
  indexTypes,
  indices,
  integers,
  numbers,
  scalar,
  shapes,
  someAxes,
  tensor,
} from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type Drawn, type OpSpec, specsOf } from "../op-spec.js";

/** Sums of a few dozen moderate numbers, in whatever order. */
const summed: Tolerance = { ulps: 8, scale: 64 };

function alongAxes(T: DType, Tidx: DType, domain: Domain): fc.Arbitrary<Drawn> {
  return shapes().chain((shape) =>
    fc
      .tuple(tensor(T, shape, domain), someAxes(shape.length), fc.boolean(), fc.boolean())
      .map(([input, axes, keep, one]) => ({
        // A scalar is taken for a list of one axis.
        inputs: [input, integers(Tidx, axes, one && axes.length === 1 ? [] : [axes.length])],
        attrs: { keep_dims: attr.bool(keep) },
      })),
  );
}

function reduction(
  ops: readonly string[],
  dtypes: readonly DType[],
  domain: Domain,
  tolerance?: Tolerance,
): OpSpec[] {
  return specsOf(ops, {
    types: { T: dtypes, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) => alongAxes(T, Tidx, domain),
    edges: ({ T = "float32", Tidx = "int32" }) => [
      // Reductions of nothing: 0, 1, NaN or the end of the range, by op.
      { inputs: [Tensor.of([], T, [0, 2]), integers(Tidx, [0])], attrs: { keep_dims: attr.bool(false) } },
      // As of a shape.
      { inputs: [integers(T, [2, 3, 5]), integers(Tidx, [0])], attrs: { keep_dims: attr.bool(true) } },
      ...(T === "float32"
        ? [
            { inputs: [Tensor.of(1, T, [2, 2]), integers(Tidx, [2])] },
            { inputs: [Tensor.of(1, T, [2, 2]), integers(Tidx, [0, 0])] },
          ]
        : []),
    ],
    ...(tolerance === undefined ? {} : { tolerance }),
  });
}

function boolReduction(ops: readonly string[]): OpSpec[] {
  return specsOf(ops, {
    types: { Tidx: indexTypes },
    draw: ({ Tidx = "int32" }) => alongAxes("bool", Tidx, "any"),
    edges: ({ Tidx = "int32" }) => [{ inputs: [Tensor.of([], "bool", [0, 2]), integers(Tidx, [0])] }],
  });
}

function arg(ops: readonly string[]): OpSpec[] {
  return specsOf(ops, {
    types: { T: numbers, Tidx: indexTypes, output_type: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      shapes({ minRank: 1, minSize: 1 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape, "moderate"), axisOf(shape.length))
          .map(([input, axis]) => ({ inputs: [input, scalar(Tidx, axis)] })),
      ),
  });
}

function cumulative(ops: readonly string[], domain: Domain): OpSpec[] {
  return specsOf(ops, {
    types: { T: ["float32", "float64", "int32", "int64"], Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      shapes({ minRank: 1 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape, domain), axisOf(shape.length), fc.boolean(), fc.boolean())
          .map(([input, axis, exclusive, reverse]) => ({
            inputs: [input, scalar(Tidx, axis)],
            attrs: { exclusive: attr.bool(exclusive), reverse: attr.bool(reverse) },
          })),
      ),
    tolerance: summed,
  });
}

/** Rows and the segment that each belongs to, in ascending order. */
function segments(ops: readonly string[], dtypes: readonly DType[]): OpSpec[] {
  return specsOf(ops, {
    types: { T: dtypes, Tindices: indexTypes },
    draw: ({ T = "float32", Tindices = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3, minSize: 1 }).chain((shape) =>
        fc
          .tuple(
            tensor(T, shape, "unit"),
            fc.array(fc.nat(4), { minLength: shape[0] ?? 1, maxLength: shape[0] ?? 1 }),
          )
          .map(([data, ids]) => ({
            inputs: [
              data,
              integers(
                Tindices,
                ids.sort((a, b) => a - b),
              ),
            ],
          })),
      ),
    edges: ({ T = "float32", Tindices = "int32" }) =>
      T === "int32"
        ? [
            // Sums and products that do not fit.
            { inputs: [Tensor.of([2 ** 31 - 1, 2 ** 30, 7, -7, 3], T), integers(Tindices, [0, 0, 2, 2, 2])] },
            { inputs: [Tensor.of([], T, [0, 2]), integers(Tindices, [])] },
          ]
        : [
            { inputs: [Tensor.of([1, 2, 3], T), integers(Tindices, [2, 1, 0])] },
            { inputs: [Tensor.of([1, 2], T), integers(Tindices, [-1, 0])] },
            { inputs: [Tensor.of([1, 2], T), integers(Tindices, [0])] },
            { inputs: [Tensor.of([], T, [0, 2]), integers(Tindices, [])] },
            { inputs: [Tensor.of([], T, [2, 0]), integers(Tindices, [1, 1])] },
            {
              inputs: [
                Tensor.of([Number.POSITIVE_INFINITY, 1, Number.NEGATIVE_INFINITY, -0], T),
                integers(Tindices, [1, 1, 3, 4]),
              ],
            },
          ],
    tolerance: summed,
  });
}

/** As segments, in any order, of a given number; a negative id drops the row. */
function unsortedSegments(ops: readonly string[]): OpSpec[] {
  return specsOf(ops, {
    types: { T: ["float32", "float64", "int32", "int64"], Tindices: indexTypes, Tnumsegments: indexTypes },
    draw: ({ T = "float32", Tindices = "int32", Tnumsegments = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3 }).chain((shape) =>
        fc
          .tuple(
            tensor(T, shape, "unit"),
            fc.array(fc.integer({ min: -1, max: 3 }), { minLength: shape[0] ?? 0, maxLength: shape[0] ?? 0 }),
          )
          .map(([data, ids]) => ({ inputs: [data, integers(Tindices, ids), scalar(Tnumsegments, 4)] })),
      ),
    edges: ({ T = "float32", Tindices = "int32", Tnumsegments = "int32" }) => {
      const of = (data: Tensor, ids: Tensor, count: number) => ({
        inputs: [data, ids, scalar(Tnumsegments, count)],
      });
      const pair = Tensor.of([1, 2], T);
      return [
        of(pair, integers(Tindices, [0, 2]), 2),
        of(pair, integers(Tindices, [0, 1, 0]), 2),
        of(pair, integers(Tindices, [0, 1]), -1),
        of(pair, integers(Tindices, [-1, -3]), 0),
        of(Tensor.of([], T, [0, 2]), integers(Tindices, []), 3),
        of(Tensor.of([], T, [2, 0]), integers(Tindices, [1, 0]), 3),
        // Ids of more than one dimension, and a scalar one.
        of(Tensor.of([1, 2, 3, 4, 5, 6, 7, 8], T, [2, 2, 2]), integers(Tindices, [2, -1, 2, 0], [2, 2]), 3),
        of(pair, scalar(Tindices, 1), 2),
        ...(T === "int32"
          ? [of(Tensor.of([2 ** 31 - 1, 2 ** 30, 7], T), integers(Tindices, [1, 1, 1]), 2)]
          : []),
        ...(T === "float32" || T === "float64"
          ? [
              of(
                Tensor.of([Number.POSITIVE_INFINITY, 1, Number.NEGATIVE_INFINITY, -0], T),
                integers(Tindices, [3, 3, 1, 0]),
                4,
              ),
            ]
          : []),
      ];
    },
    tolerance: summed,
  });
}

export const reductionSpecs: readonly OpSpec[] = [
  ...reduction(["Sum", "Prod", "Mean"], ["float32", "float64", "int32", "int64"], "unit", summed),
  // Which of 0 and -0 is the greater depends on the order in which TensorFlow's threads look at them.
  ...reduction(["Max", "Min"], numbers, "any", { ulps: 0, eitherZero: true }),
  ...reduction(["EuclideanNorm"], floats, "moderate", summed),
  ...boolReduction(["All", "Any"]),
  ...arg(["ArgMax", "ArgMin"]),
  ...cumulative(["Cumsum", "Cumprod"], "unit"),
  ...segments(
    ["SegmentSum", "SegmentProd", "SegmentMean", "SegmentMax", "SegmentMin"],
    ["float32", "float64", "int32"],
  ),
  ...unsortedSegments([
    "UnsortedSegmentSum",
    "UnsortedSegmentProd",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
  ]),
  {
    op: "L2Loss",
    types: { T: floats },
    draw: ({ T = "float32" }) => anyTensor(T, "unit").map((input) => ({ inputs: [input] })),
    tolerance: summed,
  },
  {
    op: "AddN",
    types: { T: ["float32", "float64", "int32", "int64"] },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(shapes(), fc.integer({ min: 1, max: 9 }))
        .chain(([shape, n]) =>
          fc
            .array(tensor(T, shape, "moderate"), { minLength: n, maxLength: n })
            .map((inputs) => ({ inputs, attrs: { N: attr.int(n) } })),
        ),
    tolerance: summed,
  },
  {
    op: "Bincount",
    types: { T: ["int32", "int64", "float32", "float64"] },
    draw: ({ T = "float32" }) =>
      indices("int32", [6], 5, "never").chain((input) =>
        fc
          .constantFrom([6], [0])
          .chain((shape) => tensor(T, shape, "positive"))
          .map((weights) => ({ inputs: [input, scalar("int32", 4), weights] })),
      ),
    tolerance: summed,
  },
];
