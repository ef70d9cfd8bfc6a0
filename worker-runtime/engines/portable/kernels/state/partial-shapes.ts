import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PartialShape } from "../kernel-node.js";
import { integersOf } from "../support/elements.js";

/** A partial shape as printed in errors: "[2,?]", "<unknown>". */
export function partialText(shape: PartialShape): string {
  return shape === undefined ? "<unknown>" : `[${shape.map((size) => (size < 0 ? "?" : size)).join(",")}]`;
}

/** Whether a shape is compatible with a partial shape. */
export function fitsPartial(shape: readonly number[], allowed: PartialShape): boolean {
  return (
    allowed === undefined ||
    (allowed.length === shape.length && allowed.every((size, i) => size < 0 || size === shape[i]))
  );
}

/** The shape, if it is fully known. */
export function fullShape(shape: PartialShape): readonly number[] | undefined {
  return shape === undefined || shape.some((size) => size < 0) ? undefined : shape;
}

/**
 * Merges two partial shapes of one tensor.
 * @throws TensorFlowError INVALID_ARGUMENT if they contradict each other.
 */
export function mergedShape(a: PartialShape, b: PartialShape): PartialShape {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  if (a.length !== b.length) {
    throw invalidArgument(`PartialTensorShape: Incompatible ranks during merge: ${a.length} vs. ${b.length}`);
  }
  return a.map((size, i) => {
    const other = b[i] ?? -1;
    if (size >= 0 && other >= 0 && size !== other) {
      throw invalidArgument(
        `PartialTensorShape: Incompatible shapes during merge: ${partialText(a)} vs. ${partialText(b)}`,
      );
    }
    return size < 0 ? other : size;
  });
}

/**
 * The partial shape given by a tensor of sizes; the scalar -1 is an unknown rank.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function partialShapeOf(tensor: Tensor): PartialShape {
  const sizes = integersOf(tensor);
  if (tensor.shape.length === 0) {
    if (sizes[0] !== -1) {
      throw invalidArgument("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    }
    return undefined;
  }
  if (sizes.some((size) => size < -1)) {
    throw invalidArgument(`Invalid shape ${partialText(sizes)}`);
  }
  return sizes;
}
