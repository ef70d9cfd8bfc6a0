import type { TensorShapeProto } from "../../protos/generated/tensorflow/tensor_shape.js";
import { invalidArgument } from "./status.js";

/** A shape as Python prints it: "[2, 3]", "[]" for a scalar. */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

/**
 * Number of elements of a fully known shape.
 * @throws TensorFlowError INVALID_ARGUMENT for a negative or fractional dimension, or more elements than 2^53.
 */
export function elementsOfShape(shape: readonly number[]): number {
  let count = 1;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw invalidArgument(
        `Shape ${shapeText(shape)} has the dimension ${size}; a dimension is a whole number from 0.`,
      );
    }
    count *= size;
  }
  // Checked last, because a 0 anywhere makes the product valid.
  if (!Number.isSafeInteger(count)) {
    throw invalidArgument(`Shape ${shapeText(shape)} has more elements than any machine can hold.`);
  }
  return count;
}

/**
 * The sizes of a TensorShapeProto of a value (which, unlike a placeholder's, is fully known).
 * @throws TensorFlowError INVALID_ARGUMENT for an unknown rank, an unknown or negative dimension, or one above 2^53.
 */
export function shapeFromProto(proto: TensorShapeProto | undefined): number[] {
  if (proto === undefined) {
    return [];
  }
  if (proto.unknownRank) {
    throw invalidArgument("The shape of a tensor's value must be known, but its rank is not.");
  }
  return proto.dim.map((dim, index) => {
    if (dim.size < 0n) {
      throw invalidArgument(
        `Dimension ${index} of a tensor's value is ${dim.size}; it must be known and not negative.`,
      );
    }
    if (dim.size > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw invalidArgument(
        `Dimension ${index} of a tensor's value is ${dim.size}, more than any machine can hold.`,
      );
    }
    return Number(dim.size);
  });
}

export function shapeToProto(shape: readonly number[]): TensorShapeProto {
  return { dim: shape.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false };
}
