import type { TensorShapeProto } from "../../protos/generated/tensorflow/tensor_shape.js";
import { invalidArgument } from "../protocol/status.js";

/**
 * The sizes of a tensor's dimensions; -1 for a size known only in a run. `undefined` instead means unknown rank.
 */
export type Shape = readonly number[];

/** A size known only in a run. */
export const UNKNOWN_DIMENSION = -1;

/** A shape as Python prints it, with "?" for what is unknown: "[2, ?]"; "?" for an unknown rank. */
export function shapeLabel(shape: Shape | undefined): string {
  if (!shape) return "?";
  return `[${shape.map((size) => (size < 0 ? "?" : size)).join(", ")}]`;
}

/** A shape from an attribute; undefined for an unknown rank. */
export function partialShapeFromProto(proto: TensorShapeProto | undefined): Shape | undefined {
  if (!proto || proto.unknownRank) return undefined;
  return proto.dim.map((dim) => Number(dim.size));
}

/** A shape as stored in an attribute. */
export function partialShapeToProto(shape: Shape | undefined): TensorShapeProto {
  if (!shape) return { dim: [], unknownRank: true };
  return { dim: shape.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false };
}

/** Number of elements; undefined if a dimension or the rank is unknown. */
export function knownSize(shape: Shape | undefined): number | undefined {
  if (!shape || shape.some((size) => size < 0)) return undefined;
  return shape.reduce((product, size) => product * size, 1);
}

/** Merges two shapes of one tensor; undefined if both have an unknown rank. */
export function mergeShapes(a: Shape | undefined, b: Shape | undefined, what: string): Shape | undefined {
  if (!a || !b) return a ?? b;
  if (a.length !== b.length) throw shapeMismatch(what, a, b);
  return a.map((size, i) => {
    const other = b[i] ?? -1;
    if (size < 0) return other;
    if (other >= 0 && other !== size) throw shapeMismatch(what, a, b);
    return size;
  });
}

/** The shape of an element-wise result: sizes are equal or one of them is 1, compared from the last dimension. */
export function broadcastShapes(a: Shape | undefined, b: Shape | undefined, what: string): Shape | undefined {
  if (!a || !b) return undefined;
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - rank + a.length] ?? 1;
    const y = b[i - rank + b.length] ?? 1;
    if (x === y) return x;
    if (x === 1) return y;
    if (y === 1) return x;
    // An unknown size paired with one above 1 must be that size or 1, so the result is known.
    if (x < 0 || y < 0) return Math.max(x, y) > 1 ? Math.max(x, y) : -1;
    throw shapeMismatch(what, a, b);
  });
}

/** The error for two incompatible shapes; names both, as TensorFlow does. */
export function shapeMismatch(what: string, a: Shape | undefined, b: Shape | undefined): Error {
  return invalidArgument(`${what}: shapes ${shapeLabel(a)} and ${shapeLabel(b)} do not fit together.`);
}
