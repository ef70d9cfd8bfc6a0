/** Whether the values of a file fit a placeholder, as far as shapes and kinds of values tell. */
import type { FeedBatches, FeedContents, FeedValue } from "../../main/api/feeds.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { shapeAsFed } from "../../worker-runtime/graph/feed-shape.js";
import { type DType, dtypeOf, isDType } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";

const words = texts.document.feedFit;

/** The shape that a placeholder declares: -1 for a dimension of any size; undefined for any rank. */
export function placeholderShape(node: NodeDef): readonly number[] | undefined {
  const shape = node.op.startsWith("Placeholder") ? node.attr.get("shape")?.value : undefined;
  if (shape?.$case !== "shape" || shape.value.unknownRank) return undefined;
  return shape.value.dim.map(({ size }) => Number(size));
}

/** The dtype that a placeholder declares; undefined for other nodes. */
export function placeholderDType(node: NodeDef): DType | undefined {
  const dtype = node.op.startsWith("Placeholder") ? node.attr.get("dtype")?.value : undefined;
  return dtype?.$case === "type" ? dtypeOf(dtype.value) : undefined;
}

/** "[?, 784]" */
export function wantedShapeText(shape: readonly number[]): string {
  return `[${shape.map((size) => (size < 0 ? "?" : size)).join(", ")}]`;
}

/** The images that a placeholder takes; a size below 0 is any. */
export interface ImageShape {
  /** Undefined for a single image without a dimension for the batch. */
  readonly batch: number | undefined;
  readonly height: number;
  readonly width: number;
  /** 1 grey, 3 red, green and blue, 4 with opacity. */
  readonly channels: 1 | 3 | 4;
}

/** Undefined if the shape cannot be one of images: (batch), height, width, channels. */
export function imageShapeOf(node: NodeDef): ImageShape | undefined {
  const shape = placeholderShape(node);
  if (shape?.length !== 3 && shape?.length !== 4) return undefined;
  const dtype = node.attr.get("dtype")?.value;
  if (dtype?.$case === "type" && ["string", "bool"].includes(dtypeOf(dtype.value))) return undefined;
  const [height = -1, width = -1, channels = -1] = shape.slice(-3);
  if (channels !== 1 && channels !== 3 && channels !== 4) return undefined;
  return { batch: shape.length === 4 ? shape[0] : undefined, height, width, channels };
}

/** Why the array of a file does not fit, as a sentence; undefined if it does or is not known. */
export function feedMismatch(
  node: NodeDef,
  feed: Exclude<FeedValue, { kind: "literal" }>,
  { arrays }: FeedContents,
  batches: FeedBatches,
): string | undefined {
  const array =
    arrays.length === 1 && feed.column === undefined
      ? arrays[0]
      : arrays.find(({ name }) => name === String(feed.column));
  if (!array) return missingArray(arrays, feed.column);
  const dtype = node.attr.get("dtype")?.value;
  if (dtype?.$case === "type" && isDType(array.dtype)) {
    const wanted = dtypeOf(dtype.value);
    if ((wanted === "string") !== (array.dtype === "string"))
      return words.wrongDtype({ given: array.dtype, node: node.name, wanted });
  }
  const given = feed.batched ? [batches.size, ...array.shape.slice(1)] : array.shape;
  if (feed.batched && array.shape.length === 0) return words.noRows;
  const shape = placeholderShape(node);
  if (!shape || shapesFit(given, shape)) return undefined;
  const told = { given: array.shape.join(", "), node: node.name, wanted: wantedShapeText(shape) };
  return feed.batched ? words.wrongShapeInBatches({ ...told, size: batches.size }) : words.wrongShape(told);
}

function missingArray(
  arrays: FeedContents["arrays"],
  column: string | number | undefined,
): string | undefined {
  if (arrays.length === 0) return undefined;
  const names = arrays.flatMap(({ name }) => name ?? []).join(", ");
  return column === undefined
    ? words.severalArrays({ names })
    : words.noArray({ name: String(column), names });
}

/** Whether a placeholder takes a file's values of a shape, also in another one of `shapeAsFed`. */
export function shapesFit(given: readonly number[], wanted: readonly number[]): boolean {
  return shapeAsFed(given, wanted) !== undefined;
}
