import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { intersectionOverUnion } from "./box-overlap.js";
import { suppressNonMaxima } from "./non-max-suppression.js";
import { newPixels } from "./pixels.js";

interface Detection {
  readonly box: Float32Array;
  readonly score: number;
  readonly class: number;
}

interface Sizes {
  readonly batch: number;
  readonly boxes: number;
  /** 1 if all classes share the same boxes. */
  readonly boxClasses: number;
  readonly classes: number;
}

function sizesOf(boxes: Tensor, scores: Tensor): Sizes {
  const [batch = 0, count = 0, boxClasses = 0, four] = boxes.shape;
  const [scoreBatch, scoreCount, classes = 0] = scores.shape;
  if (boxes.shape.length !== 4 || four !== 4) {
    throw invalidArgument(`boxes must be 4-D, got shape ${cppShapeText(boxes.shape)}`);
  }
  if (scores.shape.length !== 3 || scoreBatch !== batch || scoreCount !== count) {
    throw invalidArgument(`scores has incompatible shape: ${cppShapeText(scores.shape)}`);
  }
  if (boxClasses !== 1 && boxClasses !== classes) {
    throw invalidArgument(
      "third dimension of boxes must be either 1 or equal to the third dimension of scores",
    );
  }
  return { batch, boxes: count, boxClasses, classes };
}

function scalarInput(input: Tensor, what: string): number {
  if (input.shape.length !== 0) {
    throw invalidArgument(`${what} must be 0-D, got shape ${cppShapeText(input.shape)}`);
  }
  return numbersOf(input)[0] ?? 0;
}

interface Limits {
  readonly perClass: number;
  readonly similarity: number;
  readonly minScore: number;
}

/** The detections in one image, from the highest score to the lowest. */
function detectionsOf(
  boxes: Tensor,
  scores: Tensor,
  image: number,
  { boxes: count, boxClasses, classes }: Sizes,
  { perClass, similarity, minScore }: Limits,
): Detection[] {
  const [allBoxes, allScores] = [numbersOf(boxes), numbersOf(scores)];
  const found: Detection[] = [];
  for (let one = 0; one < classes; one += 1) {
    const own = new Float32Array(count * 4);
    const ownScores = new Float32Array(count);
    for (let i = 0; i < count; i += 1) {
      const at = ((image * count + i) * boxClasses + (boxClasses === 1 ? 0 : one)) * 4;
      own.set(allBoxes.subarray(at, at + 4), i * 4);
      ownScores[i] = allScores[(image * count + i) * classes + one] as number;
    }
    const { indices, scores: kept } = suppressNonMaxima(
      ownScores,
      (i, j) => intersectionOverUnion(own, i, j),
      { limit: perClass, similarity, minScore, softness: 0 },
    );
    for (const [index, i] of indices.entries()) {
      found.push({ box: own.slice(i * 4, i * 4 + 4), score: kept[index] ?? 0, class: one });
    }
  }
  return found.sort((a, b) => b.score - a.score);
}

/** Suppresses detections per class and returns the best of all classes, padded with zeros. */
export const combinedSuppressionKernel: PureKernelDefinition = pureKernel(
  "CombinedNonMaxSuppression",
  (node) => {
    const [padPerClass, clips] = [node.bool("pad_per_class"), node.bool("clip_boxes")];
    return (inputs) => {
      const [boxes, scores] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const perClass = scalarInput(inputAt(inputs, 2), "max_size_per_class");
      const total = scalarInput(inputAt(inputs, 3), "max_total_size");
      const similarity = scalarInput(inputAt(inputs, 4), "iou_threshold");
      const minScore = scalarInput(inputAt(inputs, 5), "score_threshold");
      if (perClass <= 0) {
        throw invalidArgument("max_size_per_class must be positive");
      }
      if (total <= 0) {
        throw invalidArgument("max_total_size must be > 0");
      }
      if (!(similarity >= 0 && similarity <= 1)) {
        throw invalidArgument("iou_threshold must be in [0, 1]");
      }
      const sizes = sizesOf(boxes, scores);
      const length = padPerClass ? Math.min(total, perClass * sizes.classes) : total;
      const outBoxes = newPixels([sizes.batch, length, 4]);
      const outScores = newPixels([sizes.batch, length]);
      const outClasses = newPixels([sizes.batch, length]);
      const counts: number[] = [];
      for (let image = 0; image < sizes.batch; image += 1) {
        const all = detectionsOf(boxes, scores, image, sizes, { perClass, similarity, minScore });
        const kept = all.slice(0, length);
        counts.push(kept.length);
        for (const [index, detection] of kept.entries()) {
          const at = image * length + index;
          outBoxes.set(
            clips ? detection.box.map((edge) => Math.min(Math.max(edge, 0), 1)) : detection.box,
            at * 4,
          );
          outScores[at] = detection.score;
          outClasses[at] = detection.class;
        }
      }
      return [
        new Tensor("float32", [sizes.batch, length, 4], outBoxes),
        new Tensor("float32", [sizes.batch, length], outScores),
        new Tensor("float32", [sizes.batch, length], outClasses),
        integerTensor("int32", [sizes.batch], counts),
      ];
    };
  },
  {
    types: noTypes,
    cost: (_, inputs) => {
      const count = inputAt(inputs, 1).shape[1] ?? 0;
      const perClass = Number(inputAt(inputs, 2).data[0] ?? 0);
      return inputAt(inputs, 1).size * (150 + 30 * Math.min(count, Math.max(0, perClass)));
    },
  },
);
