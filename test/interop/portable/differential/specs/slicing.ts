/** Ops that cut a part out of a tensor, and those that put one around it. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  everything,
  floats,
  indexTypes,
  integers,
  numbers,
  scalar,
  shapes,
  tensor,
} from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

const few = ["float32", "int32", "string"] as const satisfies readonly DType[];

/** An amount before and after for each dimension. */
const paddings = (rank: number, limits: readonly number[]): fc.Arbitrary<number[]> =>
  fc.tuple(
    ...limits.slice(0, rank).flatMap((limit) => [fc.nat(Math.max(0, limit)), fc.nat(Math.max(0, limit))]),
  );

function strided(
  shape: readonly number[],
): fc.Arbitrary<{ begin: number[]; end: number[]; strides: number[]; attrs: Drawn["attrs"] }> {
  const rank = shape.length;
  const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: rank, maxLength: rank });
  const mask = fc.nat(2 ** rank - 1);
  return fc
    .tuple(
      many(fc.integer({ min: -5, max: 5 })),
      many(fc.integer({ min: -5, max: 5 })),
      many(fc.constantFrom(1, 1, 2, -1, -2)),
      mask,
      mask,
      fc.constantFrom(0, 0, 1),
      fc.constantFrom(0, 0, 2),
      fc.constantFrom(0, 0, 4),
    )
    .map(([begin, end, strides, beginMask, endMask, shrink, newAxis, ellipsis]) => ({
      begin,
      end,
      strides,
      attrs: {
        begin_mask: attr.int(beginMask),
        end_mask: attr.int(endMask),
        shrink_axis_mask: attr.int(shrink),
        new_axis_mask: attr.int(newAxis),
        ellipsis_mask: attr.int(ellipsis),
      },
    }));
}

export const slicingSpecs: readonly OpSpec[] = [
  {
    op: "Slice",
    types: { T: everything, Index: indexTypes },
    draw: ({ T = "float32", Index = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape), fc.tuple(...shape.map((size) => fc.nat(size))), fc.boolean())
          .map(([input, begin, rest]) => ({
            inputs: [
              input,
              integers(Index, begin),
              integers(
                Index,
                rest ? shape.map(() => -1) : shape.map((size, i) => Math.max(0, size - (begin[i] ?? 0) - 1)),
              ),
            ],
          })),
      ),
    edges: ({ T = "float32", Index = "int32" }) =>
      T === "float32" ? [{ inputs: [Tensor.of(1, T, [2]), integers(Index, [1]), integers(Index, [2])] }] : [],
  },
  {
    op: "StridedSlice",
    types: { T: few, Index: indexTypes },
    draw: ({ T = "float32", Index = "int32" }) =>
      shapes({ minRank: 3, maxRank: 3 }).chain((shape) =>
        fc.tuple(tensor(T, shape), strided(shape)).map(([input, { begin, end, strides, attrs }]) => ({
          inputs: [input, integers(Index, begin), integers(Index, end), integers(Index, strides)],
          ...(attrs === undefined ? {} : { attrs }),
        })),
      ),
    edges: ({ T = "float32", Index = "int32" }) => {
      const row = (...values: number[]) => integers(Index, values);
      const input = Tensor.of(T === "string" ? "a" : 1, T, [3, 4]);
      return [
        { inputs: [input, row(1), row(2), row(1)], attrs: { shrink_axis_mask: attr.int(1) } },
        { inputs: [input, row(0, 0), row(0, 0), row(1, 1)], attrs: { ellipsis_mask: attr.int(1) } },
        { inputs: [input, row(0), row(2), row(0)] },
        { inputs: [input, row(7), row(8), row(1)], attrs: { shrink_axis_mask: attr.int(1) } },
      ];
    },
  },
  {
    op: "StridedSliceGrad",
    types: { T: ["float32", "int32"], Index: indexTypes },
    draw: ({ T = "float32", Index = "int32" }) =>
      fc
        .tuple(
          tensor(T, [2, 2]),
          fc.constantFrom<readonly number[]>([0, 0, 1, 1], [1, 1, 1, 2], [0, 1, 2, 2]),
        )
        .map(([gradient, [r = 0, c = 0, dr = 1, dc = 1]]) => ({
          inputs: [
            integers(Index, [4, 5]),
            integers(Index, [r, c]),
            integers(Index, [r + 2 * dr - (dr - 1), c + 2 * dc - (dc - 1)]),
            integers(Index, [dr, dc]),
            gradient,
          ],
        })),
  },
  {
    op: "Pad",
    types: { T: [...numbers, "bool"], Tpaddings: indexTypes },
    draw: ({ T = "float32", Tpaddings = "int32" }) =>
      anyTensor(T, "moderate", { maxRank: 3 }).chain((input) =>
        paddings(input.shape.length, [2, 2, 2]).map((amounts) => ({
          inputs: [input, integers(Tpaddings, amounts, [input.shape.length, 2])],
        })),
      ),
  },
  {
    op: "PadV2",
    types: { T: floats, Tpaddings: indexTypes },
    draw: ({ T = "float32", Tpaddings = "int32" }) =>
      anyTensor(T, "moderate", { maxRank: 3 }).chain((input) =>
        paddings(input.shape.length, [2, 2, 2]).map((amounts) => ({
          inputs: [input, integers(Tpaddings, amounts, [input.shape.length, 2]), scalar(T, 7)],
        })),
      ),
  },
  {
    op: "MirrorPad",
    types: { T: ["float32", "int32"], Tpaddings: indexTypes },
    draw: ({ T = "float32", Tpaddings = "int32" }) =>
      fc
        .tuple(tensor(T, [3, 4]), paddings(2, [2, 3]), fc.constantFrom("REFLECT", "SYMMETRIC"))
        .map(([input, amounts, mode]) => ({
          inputs: [input, integers(Tpaddings, amounts, [2, 2])],
          attrs: { mode: attr.text(mode) },
        })),
    // Empty tensors, which have no element to leave out.
    edges: ({ T = "float32", Tpaddings = "int32" }) =>
      ["REFLECT", "SYMMETRIC"].flatMap((mode) =>
        [
          [0, 0, 0, 0],
          [0, 0, 1, 0],
          [1, 0, 0, 0],
        ].map((amounts) => ({
          inputs: [Tensor.of([], T, [0, 3]), integers(Tpaddings, amounts, [2, 2])],
          attrs: { mode: attr.text(mode) },
        })),
      ),
  },
];
