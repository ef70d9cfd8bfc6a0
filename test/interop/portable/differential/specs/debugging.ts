/** Ops that copy and summarize watched tensors; what they publish is compared by watched-tensors.test.ts. */
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { anyTensor, everything, numbers } from "../arbitraries.js";
import { attr } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const watched = { tensor_name: attr.text("x:0") };

export const debuggingSpecs: readonly OpSpec[] = [
  ...specsOf(["Copy", "CopyHost", "DebugIdentity"], {
    types: { T: everything },
    draw: ({ T = "float32" }) => anyTensor(T, "any").map((input) => ({ inputs: [input], attrs: watched })),
  }),
  {
    op: "DebugNanCount",
    types: { T: numbers },
    draw: ({ T = "float32" }) => anyTensor(T, "any").map((input) => ({ inputs: [input], attrs: watched })),
    edges: ({ T = "float32" }) => [
      ...(T === "float32" || T === "float64"
        ? [{ inputs: [Tensor.of([Number.NaN, 1, Number.NaN], T)], attrs: watched }]
        : []),
      { inputs: [Tensor.of([], T, [0])], attrs: watched },
    ],
  },
  {
    op: "DebugNumericSummary",
    types: { T: [...numbers, "bool"] },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "moderate").map((input) => ({ inputs: [input], attrs: watched })),
    edges: ({ T = "float32" }) => [
      {
        inputs: [Tensor.of([0, 1, 1, 0], T, [2, 2])],
        attrs: { ...watched, lower_bound: attr.float(0), upper_bound: attr.float(1) },
      },
      { inputs: [Tensor.of([], T, [2, 0])], attrs: watched },
      ...(T === "float32" || T === "float64"
        ? [{ inputs: [Tensor.of([Number.NaN, Infinity, -Infinity, -2, 0.5], T)], attrs: watched }]
        : []),
    ],
    // The sums of the mean and the variance are added in another order.
    tolerance: { ulps: 16 },
  },
];
