/** Ops that join tensors, and those that take one apart. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  axisOf,
  dataTypes,
  everything,
  indexTypes,
  integers,
  scalar,
  shapes,
  tensor,
} from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";

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

export const joiningSpecs: readonly OpSpec[] = [
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
    onlyFed: ["int8"],
    draw: ({ T = "float32", Tlen = "int32" }) =>
      tensor(T, [2, 6]).chain((input) =>
        fc.constantFrom([1, 2, 3], [0, 6, 0], [2, -1, 1], [2, 2, 1]).map((lengths) => ({
          inputs: [input, integers(Tlen, lengths), scalar("int32", 1)],
          attrs: { num_split: attr.int(3) },
        })),
      ),
  },
  {
    op: "IdentityN",
    types: {},
    draw: () =>
      fc.tuple(anyTensor("float32"), anyTensor("string")).map((inputs) => ({
        inputs,
        attrs: { T: attr.types("float32", "string") },
      })),
    edges: () =>
      dataTypes.map((dtype) => ({
        inputs: [scalar(dtype, 1), integers(dtype, [0, 1])],
        attrs: { T: attr.types(dtype, dtype) },
      })),
  },
];
