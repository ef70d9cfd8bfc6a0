/** Boxes in images: drawn, and selected by what they show. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { scalar } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

/** A tensor of numbers from 0 to 1. */
export function shades(dtype: DType, shape: readonly number[]): fc.Arbitrary<Tensor> {
  const size = shape.reduce((product, length) => product * length, 1);
  const shade = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000);
  return fc
    .array(shade, { minLength: size, maxLength: size })
    .map((values) => Tensor.of(values, dtype, shape));
}

/** Corners of boxes, some of them turned around or beyond the image. */
export const boxes = (count: number): fc.Arbitrary<Tensor> =>
  fc
    .array(
      fc.integer({ min: -2, max: 10 }).map((n) => n / 8),
      { minLength: 4 * count, maxLength: 4 * count },
    )
    .map((values) => Tensor.of(values, "float32", [count, 4]));

/** Scores of which some are equal. */
const scores = (count: number): fc.Arbitrary<Tensor> =>
  fc
    .array(
      fc.integer({ min: 0, max: 8 }).map((n) => n / 8),
      { minLength: count, maxLength: count },
    )
    .map((values) => Tensor.of(values, "float32", [count]));

const thresholds = fc.constantFrom(0, 0.125, 0.3, 0.5, 1);
const float = (value: number) => scalar("float32", value);

/** The inputs of the versions of NonMaxSuppression, as many as there are. */
function suppression(inputCount: number, attrs: fc.Arbitrary<Attrs>): fc.Arbitrary<Drawn> {
  return fc
    .tuple(boxes(8), scores(8), fc.constantFrom(0, 2, 5, 10), thresholds, thresholds, attrs)
    .map(([corners, values, limit, similarity, minScore, more]) => ({
      inputs: [corners, values, scalar("int32", limit), float(similarity), float(minScore), float(0.5)].slice(
        0,
        inputCount,
      ),
      attrs: more,
    }));
}

const padding: fc.Arbitrary<Attrs> = fc.boolean().map((pad) => ({ pad_to_max_output_size: attr.bool(pad) }));

const wrongSuppression = (inputCount: number): Drawn[] => {
  const all = [
    Tensor.of(1, "float32", [2, 4]),
    Tensor.of(1, "float32", [2]),
    scalar("int32", 2),
    float(0.5),
    float(0),
    float(0),
  ];
  const replaced = (at: number, input: Tensor): Drawn => ({
    inputs: all.map((one, i) => (i === at ? input : one)).slice(0, inputCount),
  });
  return [
    replaced(0, Tensor.of(1, "float32", [2, 3])),
    replaced(1, Tensor.of(1, "float32", [3])),
    replaced(2, scalar("int32", -1)),
    ...(inputCount > 3 ? [replaced(3, float(1.5))] : []),
    ...(inputCount > 5 ? [replaced(5, float(-1))] : []),
  ];
};

const float32 = { T: ["float32"] } as const;

export const boxSpecs: readonly OpSpec[] = [
  {
    op: "DrawBoundingBoxesV2",
    types: float32,
    draw: () =>
      fc
        .tuple(
          fc.constantFrom(1, 3, 4).chain((channels) => shades("float32", [2, 5, 6, channels])),
          boxes(6),
          fc.constantFrom([0, 4], [2, 4], [1, 2]).chain((size) => shades("float32", size)),
        )
        .map(([images, corners, colors]) => ({
          inputs: [images, corners.reshape([2, 3, 4]), colors],
        })),
  },
  {
    op: "DrawBoundingBoxes",
    types: float32,
    draw: () =>
      fc
        .tuple(
          fc.constantFrom(1, 2, 3, 4).chain((channels) => shades("float32", [2, 5, 6, channels])),
          boxes(6),
        )
        .map(([images, corners]) => ({ inputs: [images, corners.reshape([2, 3, 4])] })),
  },
  {
    op: "NonMaxSuppression",
    types: {},
    draw: () =>
      suppression(
        3,
        thresholds.map((value) => ({ iou_threshold: attr.float(value) })),
      ),
    edges: () => wrongSuppression(3),
  },
  {
    op: "NonMaxSuppressionV2",
    types: float32,
    draw: () => suppression(4, fc.constant({})),
    edges: () => wrongSuppression(4),
  },
  {
    op: "NonMaxSuppressionV3",
    types: float32,
    draw: () => suppression(5, fc.constant({})),
    edges: () => wrongSuppression(5),
  },
  {
    op: "NonMaxSuppressionV4",
    types: float32,
    draw: () => suppression(5, padding),
    edges: () => wrongSuppression(5),
  },
  {
    op: "NonMaxSuppressionV5",
    types: float32,
    draw: () => suppression(6, padding),
    edges: () => wrongSuppression(6),
    tolerance: { ulps: 16 },
  },
  {
    op: "NonMaxSuppressionWithOverlaps",
    types: {},
    draw: () =>
      fc
        .tuple(shades("float32", [5, 5]), scores(5), fc.constantFrom(1, 5), thresholds, thresholds)
        .map(([overlaps, values, limit, similarity, minScore]) => ({
          inputs: [overlaps, values, scalar("int32", limit), float(similarity), float(minScore)],
        })),
  },
  {
    op: "CombinedNonMaxSuppression",
    types: {},
    draw: () =>
      fc
        .tuple(
          fc.constantFrom(1, 2),
          fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 16, maxLength: 16 }),
          fc.constantFrom([1, 5], [3, 4], [4, 20]),
          thresholds,
          fc.boolean(),
          fc.boolean(),
        )
        .chain(([boxClasses, values, [perClass = 1, total = 1], similarity, pads, clips]) =>
          boxes(8 * boxClasses).map((corners) => ({
            inputs: [
              corners.reshape([2, 4, boxClasses, 4]),
              // No two are equal: the order of such is not said.
              Tensor.of(
                values.map((value) => value / 200),
                "float32",
                [2, 4, 2],
              ),
              scalar("int32", perClass),
              scalar("int32", total),
              float(similarity),
              float(0.25),
            ],
            attrs: { pad_per_class: attr.bool(pads), clip_boxes: attr.bool(clips) },
          })),
        ),
  },
];
