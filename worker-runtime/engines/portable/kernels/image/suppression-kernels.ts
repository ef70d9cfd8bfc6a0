import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelTypes, PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { intersectionOverUnion } from "./box-overlap.js";
import { type Selection, suppressNonMaxima } from "./non-max-suppression.js";
import { type ComputedPixels, newPixels, pixelsOf, pixelTensor } from "./pixels.js";

/** Lower than any finite score, so every score passes. */
const LOWEST_FLOAT = -3.4028234663852886e38;

/** @throws TensorFlowError INVALID_ARGUMENT if boxes and scores do not fit together. */
function checkBoxes(boxes: Tensor, scores: Tensor, columns: number): void {
  if (boxes.shape.length !== 2 || boxes.shape[1] !== columns) {
    throw invalidArgument(`boxes must be 2-D with ${columns} columns: ${cppShapeText(boxes.shape)}`);
  }
  if (scores.shape.length !== 1 || scores.shape[0] !== boxes.shape[0]) {
    throw invalidArgument(`scores has incompatible shape: ${cppShapeText(scores.shape)}`);
  }
}

function scalarInput(input: Tensor, what: string): number {
  if (input.shape.length !== 0) {
    throw invalidArgument(`${what} must be 0-D, got shape ${cppShapeText(input.shape)}`);
  }
  return pixelsOf(input)[0] ?? 0;
}

/** The maximum number of selected boxes. @throws TensorFlowError INVALID_ARGUMENT */
function outputSize(input: Tensor): number {
  const size = scalarInput(input, "max_output_size");
  if (size < 0) {
    throw invalidArgument("output size must be non-negative");
  }
  return size;
}

/** @throws TensorFlowError INVALID_ARGUMENT unless it is between 0 and 1. */
function checkThreshold(threshold: number): number {
  if (!(threshold >= 0 && threshold <= 1)) {
    throw invalidArgument("iou_threshold must be in [0, 1]");
  }
  return threshold;
}

/** The inputs of all versions; undefined for those that a version lacks. */
interface SuppressionInputs {
  readonly boxes: Tensor;
  readonly scores: Tensor;
  readonly limit: Tensor;
  readonly threshold: number;
  readonly minScore: Tensor | undefined;
  readonly softness: Tensor | undefined;
}

function select({ boxes, scores, limit, threshold, minScore, softness }: SuppressionInputs): Selection {
  const soft = softness === undefined ? 0 : scalarInput(softness, "soft_nms_sigma");
  if (soft < 0) {
    throw invalidArgument("soft_nms_sigma must be >= 0");
  }
  const size = outputSize(limit);
  checkThreshold(threshold);
  checkBoxes(boxes, scores, 4);
  const corners = pixelsOf(boxes);
  return suppressNonMaxima(pixelsOf(scores), (i, j) => intersectionOverUnion(corners, i, j), {
    limit: size,
    similarity: threshold,
    minScore: minScore === undefined ? LOWEST_FLOAT : scalarInput(minScore, "score_threshold"),
    softness: soft,
  });
}

/** The numbers as float32, followed by zeros up to a length. */
function paddedNumbers(values: readonly number[], length: number): ComputedPixels {
  const padded = newPixels([length]);
  padded.set(values);
  return padded;
}

/** Assumes that every pair among a thousand of the boxes is compared. */
function suppressionCost(_: unknown, inputs: readonly Tensor[]): number {
  const count = inputAt(inputs, 1).size;
  const limit = Number(inputAt(inputs, 2).data[0] ?? 0);
  return count * 100 + count * Math.min(count, Math.max(0, limit)) * 30;
}

/** The inputs and outputs of a version of the op. */
interface Version {
  readonly op: string;
  readonly types: KernelTypes;
  readonly threshold: "attribute" | "input";
  /** Which inputs it has after the first four. */
  readonly minScore?: boolean;
  readonly softness?: boolean;
  readonly outputs: "indices" | "count" | "scores";
}

function version({ op, types, threshold, minScore, softness, outputs }: Version): PureKernelDefinition {
  return pureKernel(
    op,
    (node: KernelNode) => {
      const fixed = threshold === "attribute" ? node.float("iou_threshold") : undefined;
      const pads = outputs !== "indices" && node.bool("pad_to_max_output_size");
      const dtype: DType = node.has("T") ? node.type("T") : "float32";
      return (inputs) => {
        const limit = inputAt(inputs, 2);
        const { indices, scores } = select({
          boxes: inputAt(inputs, 0),
          scores: inputAt(inputs, 1),
          limit,
          threshold: fixed ?? scalarInput(inputAt(inputs, 3), "iou_threshold"),
          minScore: minScore === true ? inputAt(inputs, 4) : undefined,
          softness: softness === true ? inputAt(inputs, 5) : undefined,
        });
        const length = pads ? scalarOf(limit, "max_output_size") : indices.length;
        const selected = integerTensor("int32", [length], paddedNumbers(indices, length));
        if (outputs === "indices") {
          return [selected];
        }
        const count = integerTensor("int32", [], [indices.length]);
        return outputs === "count"
          ? [selected, count]
          : [selected, pixelTensor(dtype, [length], paddedNumbers(scores, length)), count];
      };
    },
    { types, cost: suppressionCost },
  );
}

/** Selects by similarities that are passed as a matrix. */
const withOverlaps = pureKernel(
  "NonMaxSuppressionWithOverlaps",
  () => (inputs) => {
    const [overlaps, scores] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    checkBoxes(overlaps, scores, scores.size);
    const similarities = pixelsOf(overlaps);
    const { indices } = suppressNonMaxima(
      pixelsOf(scores),
      (i, j) => similarities[i * scores.size + j] ?? 0,
      {
        limit: outputSize(inputAt(inputs, 2)),
        similarity: scalarInput(inputAt(inputs, 3), "overlap_threshold"),
        minScore: scalarInput(inputAt(inputs, 4), "score_threshold"),
        softness: 0,
      },
    );
    return [integerTensor("int32", [indices.length], indices)];
  },
  { types: noTypes, cost: suppressionCost },
);

const boxTypes = ["float16", "float32"] as const;
const bothTypes = { T: boxTypes, T_threshold: boxTypes };

/** Selects boxes without those that overlap a better one. */
export const suppressionKernels: readonly PureKernelDefinition[] = [
  version({ op: "NonMaxSuppression", types: noTypes, threshold: "attribute", outputs: "indices" }),
  version({ op: "NonMaxSuppressionV2", types: bothTypes, threshold: "input", outputs: "indices" }),
  version({
    op: "NonMaxSuppressionV3",
    types: bothTypes,
    threshold: "input",
    minScore: true,
    outputs: "indices",
  }),
  version({
    op: "NonMaxSuppressionV4",
    types: bothTypes,
    threshold: "input",
    minScore: true,
    outputs: "count",
  }),
  version({
    op: "NonMaxSuppressionV5",
    types: { T: boxTypes },
    threshold: "input",
    minScore: true,
    softness: true,
    outputs: "scores",
  }),
  withOverlaps,
];
