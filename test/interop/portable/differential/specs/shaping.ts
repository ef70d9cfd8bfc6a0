/** Ops that move elements without computing with them: reshape, join, cut, repeat, reorder. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  axisOf,
  broadcastShapes,
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
import { type Drawn, type OpSpec, specsOf } from "../op-spec.js";

const few = ["float32", "int32", "string"] as const satisfies readonly DType[];

/** Tensors that differ along one axis only. */
function parts(T: DType, count: number): fc.Arbitrary<{ tensors: Tensor[]; axis: number }> {
  return shapes({ minRank: 1, maxRank: 3 }).chain((shape) =>
    fc
      .tuple(axisOf(shape.length), fc.array(fc.nat(3), { minLength: count, maxLength: count }))
      .chain(([axis, lengths]) =>
        fc
          .tuple(
            ...lengths.map((length) =>
              tensor(
                T,
                shape.map((size, i) => (i === (axis + shape.length) % shape.length ? length : size)),
                "moderate",
              ),
            ),
          )
          .map((tensors) => ({ tensors, axis })),
      ),
  );
}

const permutation = (length: number): fc.Arbitrary<number[]> =>
  fc.shuffledSubarray(
    Array.from({ length }, (_, i) => i),
    { minLength: length, maxLength: length },
  );

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

function transpose(op: string, dtypes: readonly DType[]): OpSpec {
  return {
    op,
    types: { T: dtypes, Tperm: indexTypes },
    draw: ({ T = "float32", Tperm = "int32" }) =>
      anyTensor(T).chain((input) =>
        permutation(input.shape.length).map((order) => ({ inputs: [input, integers(Tperm, order)] })),
      ),
    edges: ({ T = "float32", Tperm = "int32" }) =>
      T === "float32" ? [{ inputs: [Tensor.of(1, T, [2, 2]), integers(Tperm, [0, 0])] }] : [],
  };
}

export const shapingSpecs: readonly OpSpec[] = [
  {
    op: "Reshape",
    types: { T: everything, Tshape: indexTypes },
    draw: ({ T = "float32", Tshape = "int32" }) =>
      anyTensor(T).chain((input) =>
        fc.constantFrom([-1], [input.size], [1, -1], [input.size, 1, 1], [-1, 2]).map((to) => ({
          inputs: [input, integers(Tshape, to)],
        })),
      ),
    edges: ({ T = "float32", Tshape = "int32" }) =>
      T === "float32"
        ? [
            { inputs: [Tensor.of(1, T), integers(Tshape, [])] },
            { inputs: [Tensor.of([], T, [0, 3]), integers(Tshape, [3, 0, 2])] },
            { inputs: [Tensor.of(1, T, [4]), integers(Tshape, [-1, -1])] },
            { inputs: [Tensor.of(1, T, [4]), integers(Tshape, [3])] },
          ]
        : [],
  },
  {
    op: "ExpandDims",
    types: { T: few, Tdim: indexTypes },
    draw: ({ T = "float32", Tdim = "int32" }) =>
      anyTensor(T, "moderate", { maxRank: 3 }).chain((input) =>
        axisOf(input.shape.length + 1).map((axis) => ({ inputs: [input, scalar(Tdim, axis)] })),
      ),
  },
  {
    op: "Squeeze",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      fc.tuple(shapes({ maxRank: 2 }), fc.boolean()).chain(([shape, all]) =>
        tensor(T, [1, ...shape, 1]).map((input) => ({
          inputs: [input],
          attrs: { squeeze_dims: all ? attr.ints() : attr.ints(0) },
        })),
      ),
    edges: ({ T = "float32" }) =>
      T === "float32" ? [{ inputs: [Tensor.of(1, T, [2])], attrs: { squeeze_dims: attr.ints(0) } }] : [],
  },
  {
    op: "ShapeN",
    types: { T: few, out_type: indexTypes },
    draw: ({ T = "float32" }) =>
      fc.tuple(anyTensor(T), anyTensor(T)).map((inputs) => ({ inputs, attrs: { N: attr.int(2) } })),
  },
  {
    op: "ConcatV2",
    types: { T: everything, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      parts(T, 3).map(({ tensors, axis }) => ({
        inputs: [...tensors, scalar(Tidx, axis)],
        attrs: { N: attr.int(3) },
      })),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [
            {
              inputs: [Tensor.of(1, T, [2, 2]), Tensor.of(1, T, [3, 3]), scalar("int32", 0)],
              attrs: { N: attr.int(2) },
            },
          ]
        : [],
  },
  {
    op: "Concat",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      parts(T, 2).map(({ tensors, axis }) => ({
        inputs: [scalar("int32", axis), ...tensors],
        attrs: { N: attr.int(2) },
      })),
  },
  {
    op: "ConcatOffset",
    types: {},
    draw: () =>
      fc.array(fc.nat(4), { minLength: 3, maxLength: 3 }).map((lengths) => ({
        inputs: [scalar("int32", 1), ...lengths.map((length) => integers("int32", [2, length, 3]))],
        attrs: { N: attr.int(3) },
      })),
  },
  {
    op: "Pack",
    types: { T: everything },
    draw: ({ T = "float32" }) =>
      shapes({ maxRank: 3 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape), tensor(T, shape), axisOf(shape.length + 1))
          .map(([a, b, axis]) => ({ inputs: [a, b], attrs: { N: attr.int(2), axis: attr.int(axis) } })),
      ),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [{ inputs: [Tensor.of(1, T, [2]), Tensor.of(1, T, [3])], attrs: { N: attr.int(2) } }]
        : [],
  },
  {
    op: "Unpack",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      shapes({ minRank: 1, maxRank: 3, minSize: 1 }).chain((shape) =>
        fc
          .tuple(tensor(T, shape), fc.integer({ min: -shape.length, max: shape.length - 1 }))
          .map(([input, axis]) => ({
            inputs: [input],
            attrs: { num: attr.int(shape.at(axis) ?? 0), axis: attr.int(axis) },
          })),
      ),
  },
  {
    op: "Split",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      tensor(T, [4, 6]).chain((input) =>
        fc
          .constantFrom<[number, number]>([0, 2], [1, 3], [-1, 2], [0, 4], [1, 1], [1, 4])
          .map(([axis, count]) => ({
            inputs: [scalar("int32", axis), input],
            attrs: { num_split: attr.int(count) },
          })),
      ),
  },
  {
    op: "SplitV",
    types: { T: few, Tlen: indexTypes },
    draw: ({ T = "float32", Tlen = "int32" }) =>
      tensor(T, [2, 6]).chain((input) =>
        fc.constantFrom([1, 2, 3], [0, 6, 0], [2, -1, 1], [2, 2, 1]).map((lengths) => ({
          inputs: [input, integers(Tlen, lengths), scalar("int32", 1)],
          attrs: { num_split: attr.int(3) },
        })),
      ),
  },
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
    op: "Tile",
    types: { T: everything, Tmultiples: indexTypes },
    draw: ({ T = "float32", Tmultiples = "int32" }) =>
      anyTensor(T, "moderate", { maxRank: 3, maxSize: 3 }).chain((input) =>
        fc
          .array(fc.nat(3), { minLength: input.shape.length, maxLength: input.shape.length })
          .map((multiples) => ({ inputs: [input, integers(Tmultiples, multiples)] })),
      ),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [
            {
              inputs: [Tensor.of(1, T, [2]), integers("int32", [-1])],
              attrs: { Tmultiples: attr.type("int32") },
            },
          ]
        : [],
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
  },
  transpose("Transpose", everything),
  // With strings TensorFlow's process ends.
  transpose("ConjugateTranspose", numbers),
  {
    op: "InvertPermutation",
    types: { T: indexTypes },
    draw: ({ T = "int32" }) => permutation(6).map((order) => ({ inputs: [integers(T, order)] })),
    edges: ({ T = "int32" }) => [{ inputs: [integers(T, [0, 0])] }, { inputs: [integers(T, [])] }],
  },
  {
    op: "ReverseV2",
    types: { T: everything, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      anyTensor(T, "moderate", { maxRank: 3 }).chain((input) =>
        fc.subarray(input.shape.map((_, i) => i)).map((axes) => ({ inputs: [input, integers(Tidx, axes)] })),
      ),
  },
  {
    op: "ReverseSequence",
    types: { T: ["float32", "int32"], Tlen: indexTypes },
    draw: ({ T = "float32", Tlen = "int32" }) =>
      fc.tuple(tensor(T, [3, 4, 2]), indices(Tlen, [3], 5, "never")).map((inputs) => ({
        inputs,
        attrs: { seq_dim: attr.int(1), batch_dim: attr.int(0) },
      })),
  },
  {
    op: "Roll",
    types: { T: ["float32", "int32"], Tshift: indexTypes, Taxis: indexTypes },
    draw: ({ T = "float32", Tshift = "int32", Taxis = "int32" }) =>
      fc
        .tuple(tensor(T, [3, 4]), fc.integer({ min: -7, max: 7 }), fc.constantFrom(0, 1, -1))
        .map(([input, shift, axis]) => ({
          inputs: [input, scalar(Tshift, shift), scalar(Taxis, axis)],
        })),
  },
  {
    op: "Fill",
    types: { T: everything, index_type: indexTypes },
    draw: ({ T = "float32", index_type = "int32" }) =>
      fc
        .tuple(shapes(), tensor(T, []))
        .map(([shape, value]) => ({ inputs: [integers(index_type, shape), value] })),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [{ inputs: [integers("int32", [-1]), scalar(T, 1)], attrs: { index_type: attr.type("int32") } }]
        : [],
  },
  {
    op: "BroadcastTo",
    types: { T: everything, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      broadcastShapes(1).chain(([shape = []]) =>
        tensor(T, shape).map((input) => ({
          inputs: [input, integers(Tidx, [2, ...shape.map((size) => (size === 1 ? 3 : size))])],
        })),
      ),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [{ inputs: [Tensor.of(1, T, [2]), integers("int32", [3])], attrs: { Tidx: attr.type("int32") } }]
        : [],
  },
  ...specsOf(["BroadcastArgs", "BroadcastGradientArgs"], {
    types: { T: indexTypes },
    draw: ({ T = "int32" }) =>
      broadcastShapes(2).map(([a = [], b = []]) => ({ inputs: [integers(T, a), integers(T, b)] })),
    edges: ({ T = "int32" }) => [{ inputs: [integers(T, [2]), integers(T, [3])] }],
  }),
  ...specsOf(["DepthToSpace", "SpaceToDepth"], {
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 4, 2, 8]).map((input) => ({ inputs: [input], attrs: { block_size: attr.int(2) } })),
  }),
  {
    op: "EnsureShape",
    types: { T: few },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3]).map((input) => ({ inputs: [input], attrs: { shape: attr.shape(-1, 3) } })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(T === "string" ? "" : 1, T, [2])], attrs: { shape: attr.shape(3) } },
    ],
  },
  {
    op: "IdentityN",
    types: {},
    draw: () =>
      fc.tuple(anyTensor("float32"), anyTensor("string")).map((inputs) => ({
        inputs,
        attrs: { T: attr.types("float32", "string") },
      })),
  },
  {
    op: "PlaceholderWithDefault",
    types: { dtype: everything },
    draw: ({ dtype = "float32" }) =>
      anyTensor(dtype).map((input) => ({ inputs: [input], attrs: { shape: attr.unknownShape } })),
    edges: ({ dtype = "float32" }) =>
      dtype === "float32" ? [{ inputs: [Tensor.of(1, dtype, [2])], attrs: { shape: attr.shape(3) } }] : [],
  },
];
