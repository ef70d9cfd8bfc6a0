/** Ops that recognize speech, text and shapes: temporal classification, edit distances, dilations, patches. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { complexTensor, floats, indexTypes, indices, integers, tensor } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import { type Drawn, type OpSpec, specsOf } from "../op-spec.js";

const TIMES = 5;
const CLASSES = 4;

const lengths = fc
  .array(fc.integer({ min: 1, max: TIMES }), { minLength: 2, maxLength: 2 })
  .map((values) => integers("int32", values));

/** Labels of two sequences as a sparse matrix; one of the blank class is none, but for TensorFlow 2.21 not all may be. */
const labels = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: CLASSES - 2 }), { minLength: 1, maxLength: 4 }),
    fc
      .tuple(fc.integer({ min: 0, max: CLASSES - 2 }), fc.subarray([CLASSES - 1]))
      .map(([label, blanks]) => [label, ...blanks]),
  )
  .map((sequences) => ({
    indices: integers(
      "int64",
      sequences.flatMap((one, row) => one.flatMap((_, column) => [row, column])),
      [sequences.flat().length, 2],
    ),
    values: integers("int32", sequences.flat()),
  }));

const lossRules: fc.Arbitrary<Attrs> = fc
  .tuple(fc.boolean(), fc.boolean(), fc.boolean())
  .map(([collapses, merges, ignores]) => ({
    preprocess_collapse_repeated: attr.bool(collapses),
    ctc_merge_repeated: attr.bool(merges),
    ignore_longer_outputs_than_inputs: attr.bool(ignores),
  }));

/** Inputs of CTCLoss: the labels of two sequences, and how long the sequences are. */
function lossCase(T: DType, indices: readonly number[], values: readonly number[], times: readonly number[]) {
  return {
    inputs: [
      Tensor.of(0.5, T, [TIMES, 2, CLASSES]),
      integers("int64", indices, [values.length, 2]),
      integers("int32", values),
      integers("int32", times),
    ],
  };
}

/** A sparse tensor of rank 2 or 3 with sequences of letters. */
const sequences = (rank: number, dtype: DType): fc.Arbitrary<readonly Tensor[]> =>
  fc
    .array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((rows) => {
      const prefix = rank === 2 ? [] : [1];
      const values = rows.flat();
      return [
        integers(
          "int64",
          rows.flatMap((row, i) => row.flatMap((_, j) => [...prefix, i, j])),
          [values.length, rank],
        ),
        Tensor.of(
          values.map((value) => (dtype === "string" ? "abc".charAt(value) : value)),
          dtype,
          [values.length],
        ),
        integers("int64", [...prefix.map(() => 2), rows.length, 3]),
      ];
    });

const windows: fc.Arbitrary<Attrs> = fc
  .tuple(fc.constantFrom(1, 2), fc.constantFrom(1, 2), fc.constantFrom("SAME", "VALID"))
  .map(([stride, rate, padding]) => ({
    strides: attr.ints(1, stride, 1, 1),
    rates: attr.ints(1, rate, 1, 1),
    padding: attr.text(padding),
  }));

const dilationTypes = ["float32", "float64", "int32", "uint8"] as const;

/** The size of the output for images of 5 × 6 and filters of 2 × 3. */
function outputSize(attrs: Attrs): readonly [number, number] {
  const second = (name: string): number => {
    const list = attrs[name];
    return list?.$case === "list" ? Number(list.value.i[1]) : 1;
  };
  const padding = attrs.padding?.$case === "s" ? new TextDecoder().decode(attrs.padding.value) : "";
  const [stride, rate] = [second("strides"), second("rates")];
  return padding === "SAME" ? [Math.ceil(5 / stride), 6] : [Math.floor((5 - rate - 1) / stride) + 1, 4];
}

function dilationGradient(T: DType): fc.Arbitrary<Drawn> {
  return windows.chain((attrs) =>
    fc
      .tuple(tensor(T, [2, 5, 6, 2]), tensor(T, [2, 3, 2]), tensor(T, [2, ...outputSize(attrs), 2]))
      .map((inputs) => ({ inputs, attrs })),
  );
}

/** Numbers from -4 to 4, no two alike. */
function unlike(dtype: DType, shape: readonly number[], start: number): Tensor {
  const size = shape.reduce((a, b) => a * b, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => 4 * Math.sin((start + i) * 12.9898)),
    dtype,
    shape,
  );
}

export const recognitionSpecs: readonly OpSpec[] = [
  ...floats.map(
    (dtype): OpSpec => ({
      op: "CTCLoss",
      types: { T: [dtype] },
      draw: () =>
        fc
          .tuple(tensor(dtype, [TIMES, 2, CLASSES], "unit"), labels, lengths, lossRules)
          .map(([inputs, { indices, values }, times, attrs]) => ({
            inputs: [inputs, indices, values, times],
            attrs,
          })),
      edges: () => [
        lossCase(dtype, [0, 0], [1], [3, 2]),
        lossCase(dtype, [0, 0, 1, 0], [-1, 1], [3, 2]),
        lossCase(dtype, [0, 0, 1, 0], [1, 1], [3, 9]),
        lossCase(dtype, [0, 0, 5, 0], [1, 1], [3, 2]),
        lossCase(dtype, [0, 0, 0, 1, 1, 0], [3, 1, 1], [3, 2]),
        lossCase(dtype, [0, 0, 1, 0], [1, 1], [3]),
      ],
      // TensorFlow 2.21 computes with exponentials of single precision even where there is more.
      tolerance: { ulps: dtype === "float32" ? 32 : 4 * 2 ** 29, scale: "largest" },
    }),
  ),
  {
    op: "CTCGreedyDecoder",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          tensor(T, [TIMES, 2, CLASSES]),
          lengths,
          fc.boolean(),
          fc.integer({ min: -CLASSES, max: CLASSES - 1 }),
        )
        .map(([inputs, times, merges, blank]) => ({
          inputs: [inputs, times],
          attrs: { merge_repeated: attr.bool(merges), blank_index: attr.int(blank) },
        })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, [3, 2, 3]), integers("int32", [4, 2])] },
      { inputs: [Tensor.of(1, T, [3, 2, 3]), integers("int32", [3])] },
      {
        inputs: [Tensor.of(1, T, [3, 2, 3]), integers("int32", [3, 0])],
        attrs: { blank_index: attr.int(7) },
      },
    ],
    tolerance: { ulps: 4, scale: 64 },
  },
  // TensorFlow computes some of float64 as float32.
  ...(
    [
      ["float32", 64],
      ["float64", 2 ** 28],
    ] as const
  ).map(
    ([type, ulps]): OpSpec => ({
      op: "CTCBeamSearchDecoder",
      types: { T: [type] },
      // Numbers that are all different: which of two equal sequences comes first is not said.
      draw: ({ T = "float32" }) =>
        fc
          .tuple(
            fc.integer({ min: 1, max: 10_000 }),
            lengths,
            fc.boolean(),
            fc.constantFrom([1, 1], [3, 2], [50, 3]),
          )
          .map(([start, times, merges, [width = 1, paths = 1]]) => ({
            inputs: [unlike(T, [TIMES, 2, CLASSES], start), times],
            attrs: {
              merge_repeated: attr.bool(merges),
              beam_width: attr.int(width),
              top_paths: attr.int(paths),
            },
          })),
      edges: ({ T = "float32" }) =>
        [
          { lengths: [4, 2], width: 5, paths: 1 },
          { lengths: [3], width: 5, paths: 1 },
          { lengths: [3, 0], width: 5, paths: 1 },
          { lengths: [3, 0], width: 5, paths: 2 },
          { lengths: [3, 3], width: 1, paths: 2 },
          { lengths: [3, 3], width: 40, paths: 20 },
        ].map(({ lengths: times, width, paths }) => ({
          inputs: [unlike(T, [3, 2, 3], 7), integers("int32", times)],
          attrs: { beam_width: attr.int(width), top_paths: attr.int(paths) },
        })),
      tolerance: { ulps, scale: 1 },
    }),
  ),
  {
    op: "EditDistance",
    types: { T: ["string", "int32", "int64", "float32"] },
    draw: ({ T = "string" }) =>
      fc.tuple(fc.constantFrom(2, 3), fc.boolean()).chain(([rank, normalize]) =>
        fc.tuple(sequences(rank, T), sequences(rank, T)).map(([hypothesis, truth]) => ({
          inputs: [...hypothesis, ...truth],
          attrs: { normalize: attr.bool(normalize) },
        })),
      ),
    tolerance: { ulps: 1 },
  },
  {
    op: "Dilation2D",
    types: { T: dilationTypes },
    draw: ({ T = "float32" }) =>
      windows.chain((attrs) =>
        fc.tuple(tensor(T, [2, 5, 6, 2]), tensor(T, [2, 3, 2])).map((inputs) => ({ inputs, attrs })),
      ),
    tolerance: { ulps: 1 },
  },
  ...specsOf(["Dilation2DBackpropInput", "Dilation2DBackpropFilter"], {
    types: { T: dilationTypes },
    draw: ({ T = "float32" }) => dilationGradient(T),
    tolerance: { ulps: 8, scale: 64 },
  }),
  {
    op: "ExtractImagePatches",
    types: { T: ["float32", "uint8", "int64", "complex64"] },
    draw: ({ T = "float32" }) =>
      windows.chain(({ padding = attr.text("SAME"), ...moves }) =>
        (T === "complex64" ? complexTensor(T, [2, 5, 6, 2]) : tensor(T, [2, 5, 6, 2])).map((images) => ({
          inputs: [images],
          attrs: { ...moves, padding, ksizes: attr.ints(1, 2, 3, 1) },
        })),
      ),
    edges: ({ T = "float32" }) => [
      {
        inputs: [Tensor.of(1, T, [2, 3, 3])],
        attrs: patches(1, 2, 2, 1),
      },
      {
        inputs: [Tensor.of(1, T, [2, 3, 3, 2])],
        attrs: patches(1, 2, 2, 2),
      },
    ],
  },
  {
    op: "MaxPoolWithArgmax",
    types: { T: ["float32", "float64", "int32", "uint8"], Targmax: indexTypes },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(tensor(T, [2, 5, 6, 2]), fc.constantFrom("SAME", "VALID"), fc.boolean())
        .map(([images, padding, countsBatch]) => ({
          inputs: [images],
          attrs: pools(padding, countsBatch),
        })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of(1, T, [2, 3, 3])], attrs: pools("SAME", false) }],
  },
  {
    op: "MaxPoolGradWithArgmax",
    types: { T: ["float32", "float64"], Targmax: ["int64"] },
    draw: ({ T = "float32", Targmax = "int64" }) =>
      fc
        .tuple(
          tensor(T, [2, 5, 6, 2]),
          tensor(T, [2, 3, 3, 2]),
          indices(Targmax, [2, 3, 3, 2], 60, "never"),
          fc.boolean(),
        )
        .map(([images, gradients, argmax, countsBatch]) => ({
          inputs: [images, gradients, argmax],
          attrs: pools("SAME", countsBatch),
        })),
    tolerance: { ulps: 8, scale: 64 },
  },
  {
    op: "ComputeAccidentalHits",
    types: {},
    draw: () =>
      fc.tuple(indices("int64", [3, 2], 6, "never"), indices("int64", [4], 6, "never")).map((inputs) => ({
        inputs,
        attrs: { num_true: attr.int(2) },
      })),
    edges: () => [
      {
        inputs: [integers("int64", [1, 2]), integers("int64", [1])],
        attrs: { num_true: attr.int(2) },
      },
    ],
  },
];

function patches(...ksizes: number[]): Attrs {
  return {
    ksizes: attr.ints(...ksizes),
    strides: attr.ints(1, 1, 1, 1),
    rates: attr.ints(1, 1, 1, 1),
    padding: attr.text("SAME"),
  };
}

const pools = (padding: string, countsBatch: boolean): Attrs => ({
  ksize: attr.ints(1, 2, 3, 1),
  strides: attr.ints(1, 2, 2, 1),
  padding: attr.text(padding),
  include_batch_in_index: attr.bool(countsBatch),
});
