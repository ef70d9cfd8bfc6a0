/** Ops that move elements without computing with them: reshape, repeat, reorder. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  axisOf,
  broadcastShapes,
  everything,
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

const permutation = (length: number): fc.Arbitrary<number[]> =>
  fc.shuffledSubarray(
    Array.from({ length }, (_, i) => i),
    { minLength: length, maxLength: length },
  );

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
    op: "PlaceholderWithDefault",
    types: { dtype: everything },
    draw: ({ dtype = "float32" }) =>
      anyTensor(dtype).map((input) => ({ inputs: [input], attrs: { shape: attr.unknownShape } })),
    edges: ({ dtype = "float32" }) =>
      dtype === "float32" ? [{ inputs: [Tensor.of(1, dtype, [2])], attrs: { shape: attr.shape(3) } }] : [],
  },
];
