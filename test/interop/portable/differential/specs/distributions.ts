/** Functions of statistics, simulated quantization, and elements by their order and place. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  anyTensor,
  broadcastShapes,
  floats,
  indexTypes,
  indices,
  integers,
  numbers,
  scalar,
  tensor,
} from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Series and continued fractions whose last terms are left out elsewhere. */
const series: Tolerance = { ulps: 256, scale: 0.25 };

const twoPositive: Pick<OpSpec, "types" | "draw"> = {
  types: { T: floats },
  draw: ({ T = "float32" }) =>
    broadcastShapes(2)
      .chain(([a = [], b = []]) => fc.tuple(tensor(T, a, "positive"), tensor(T, b, "positive")))
      .map((inputs) => ({ inputs })),
};

const float = (value: number): Tensor => scalar("float32", value);

const bits: fc.Arbitrary<Attrs> = fc
  .tuple(fc.constantFrom(2, 4, 8, 16), fc.boolean())
  .map(([count, narrow]) => ({ num_bits: attr.int(count), narrow_range: attr.bool(narrow) }));

const ranges = fc.constantFrom([-6, 6], [0, 1], [-1.3, 4.1], [2, 5], [-7, -1]);

/** Levels are far apart where there are few of them. */
const quantized: Tolerance = { ulps: 8, scale: 8 };

/** With 14 levels from -1 to 4 some of these are in the middle between two. */
const quarters = Tensor.of(
  Array.from({ length: 24 }, (_, i) => (i - 5) / 4),
  "float32",
);
const fourBits: Attrs = { num_bits: attr.int(4), narrow_range: attr.bool(true) };

export const distributionSpecs: readonly OpSpec[] = [
  ...specsOf(["Igamma", "Igammac", "IgammaGradA"], {
    ...twoPositive,
    edges: ({ T = "float32" }) => [
      {
        inputs: [Tensor.of([1, 0, -1, 2, 2, Number.NaN], T), Tensor.of([0, 1, 1, -1, 0.5, 1], T)],
      },
    ],
    tolerance: series,
  }),
  { op: "RandomGammaGrad", ...twoPositive, tolerance: { ulps: 512, scale: 1 } },
  {
    op: "Zeta",
    ...twoPositive,
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of([1, 0.5, 2, 3, 2, 2.5], T), Tensor.of([1, 1, -1, -2, -0.5, -0.5], T)] },
    ],
    tolerance: { ulps: 64, scale: 0.001 },
  },
  {
    op: "Polygamma",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          fc.constantFrom(0, 1, 2, 3, 4).map((n) => Tensor.of(n, T, [5])),
          tensor(T, [5], "positive"),
        )
        .map((inputs) => ({ inputs })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of([0.5, -1, 1], T), Tensor.of([1, 1, 0], T)] }],
    tolerance: { ulps: 64, scale: 0.001 },
  },
  {
    op: "Betainc",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          tensor(T, [3], "positive"),
          fc.constantFrom([], [3]).chain((shape) => tensor(T, shape, "positive")),
          fc.array(fc.integer({ min: 0, max: 64 }), { minLength: 3, maxLength: 3 }),
        )
        .map(([a, b, x]) => ({
          inputs: [
            a,
            b,
            Tensor.of(
              x.map((n) => n / 64),
              T,
            ),
          ],
        })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of([1, 2], T), Tensor.of([1, 2, 3], T), Tensor.of([0.5, 0.5, 0.5], T)] },
    ],
    tolerance: { ulps: 64, scale: 1 },
  },
  ...specsOf(["BesselI0", "BesselI1", "BesselI0e", "BesselI1e"], {
    types: { T: floats },
    draw: ({ T = "float32" }) => anyTensor(T).map((input) => ({ inputs: [input] })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of([0, 39, 41, -41, 80, Number.NaN], T)] }],
    tolerance: { ulps: 32 },
  }),
  {
    op: "FakeQuantWithMinMaxArgs",
    types: {},
    draw: () =>
      fc.tuple(anyTensor("float32"), bits, ranges).map(([input, attrs, [min = 0, max = 1]]) => ({
        inputs: [input],
        attrs: { ...attrs, min: attr.float(min), max: attr.float(max) },
      })),
    edges: () => [
      { inputs: [float(1)], attrs: { min: attr.float(3), max: attr.float(2) } },
      { inputs: [float(1)], attrs: { num_bits: attr.int(1) } },
      { inputs: [quarters], attrs: { ...fourBits, min: attr.float(-1), max: attr.float(4) } },
    ],
    tolerance: quantized,
  },
  {
    op: "FakeQuantWithMinMaxArgsGradient",
    types: {},
    draw: () =>
      fc
        .tuple(tensor("float32", [2, 3]), tensor("float32", [2, 3]), bits, ranges)
        .map(([gradients, input, attrs, [min = 0, max = 1]]) => ({
          inputs: [gradients, input],
          attrs: { ...attrs, min: attr.float(min), max: attr.float(max) },
        })),
    tolerance: quantized,
  },
  {
    op: "FakeQuantWithMinMaxVars",
    types: {},
    draw: () =>
      fc.tuple(anyTensor("float32"), bits, ranges).map(([input, attrs, [min = 0, max = 1]]) => ({
        inputs: [input, float(min), float(max)],
        attrs,
      })),
    edges: () => [
      { inputs: [Tensor.of([1, -1], "float32"), float(0), float(0)] },
      { inputs: [Tensor.of([1, -1], "float32"), Tensor.of([0], "float32"), float(0)] },
      { inputs: [quarters, float(-1), float(4)], attrs: fourBits },
    ],
    tolerance: quantized,
  },
  {
    op: "FakeQuantWithMinMaxVarsGradient",
    types: {},
    draw: () =>
      fc
        .tuple(tensor("float32", [2, 3]), tensor("float32", [2, 3]), bits, ranges)
        .map(([gradients, input, attrs, [min = 0, max = 1]]) => ({
          inputs: [gradients, input, float(min), float(max)],
          attrs,
        })),
    edges: () => [
      { inputs: [Tensor.of([1, 2], "float32"), Tensor.of([1, -1], "float32"), float(0), float(0)] },
      { inputs: [Tensor.of([1], "float32"), Tensor.of([1, -1], "float32"), float(0), float(1)] },
    ],
    tolerance: { ulps: 8, scale: 64 },
  },
  {
    op: "FakeQuantWithMinMaxVarsPerChannel",
    types: {},
    draw: () =>
      fc.tuple(tensor("float32", [3, 2]), bits).map(([input, attrs]) => ({
        inputs: [input, Tensor.of([-1, 0], "float32"), Tensor.of([4, 2.5], "float32")],
        attrs,
      })),
    edges: () => [
      {
        inputs: [Tensor.of(1, "float32", [3, 2]), Tensor.of([0], "float32"), Tensor.of([4, 2.5], "float32")],
      },
      {
        inputs: [
          Tensor.of(quarters.data, "float32", [24, 1]),
          Tensor.of([-1], "float32"),
          Tensor.of([4], "float32"),
        ],
        attrs: fourBits,
      },
    ],
    tolerance: quantized,
  },
  {
    op: "FakeQuantWithMinMaxVarsPerChannelGradient",
    types: {},
    draw: () =>
      fc
        .tuple(tensor("float32", [3, 2]), tensor("float32", [3, 2]), bits)
        .map(([gradients, input, attrs]) => ({
          inputs: [gradients, input, Tensor.of([-1, 0], "float32"), Tensor.of([4, 2.5], "float32")],
          attrs,
        })),
    tolerance: { ulps: 8, scale: 64 },
  },
  {
    op: "NthElement",
    types: { T: numbers },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(tensor(T, [2, 4]), fc.integer({ min: -1, max: 4 }), fc.boolean())
        .map(([input, n, reverse]) => ({
          inputs: [input, scalar("int32", n)],
          attrs: { reverse: attr.bool(reverse) },
        })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, []), scalar("int32", 0)] },
      { inputs: [Tensor.of(1, T, [2]), integers("int32", [0])] },
    ],
  },
  {
    op: "UnravelIndex",
    types: { Tidx: indexTypes },
    draw: ({ Tidx = "int32" }) =>
      fc
        .constantFrom<number[]>([], [5])
        .chain((shape) => indices(Tidx, shape, 24))
        .map((indices) => ({ inputs: [indices, integers(Tidx, [2, 3, 4])] })),
    edges: ({ Tidx = "int32" }) => [
      { inputs: [integers(Tidx, [1], [1, 1]), integers(Tidx, [3, 4])] },
      { inputs: [integers(Tidx, [1]), integers(Tidx, [0, 4])] },
      { inputs: [integers(Tidx, [1]), scalar(Tidx, 4)] },
    ],
  },
];
