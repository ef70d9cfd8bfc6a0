/** Integers that are known before a run: shapes, and what graphs compute from them. */
import type { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import type { Tensor } from "../protocol/tensor.js";
import type { Shape } from "./shape.js";

/** The elements of a scalar or a vector; undefined: known only in a run. */
export interface KnownInts {
  readonly rank: 0 | 1;
  readonly elements: readonly (number | undefined)[];
}

/** Longer vectors are not followed: they are data, not shapes. */
export const MAX_KNOWN_INTS = 64;

const INTEGERS: ReadonlySet<DataType> = new Set([
  DataType.DT_INT8,
  DataType.DT_INT16,
  DataType.DT_INT32,
  DataType.DT_INT64,
  DataType.DT_UINT8,
  DataType.DT_UINT16,
  DataType.DT_UINT32,
  DataType.DT_UINT64,
]);

/** Whether a constant has integers that are followed. It need not be decoded for this: weights are large. */
export function hasKnownInts({ dtype, tensorShape }: TensorProto): boolean {
  const sizes = tensorShape?.dim ?? [];
  return sizes.length <= 1 && Number(sizes[0]?.size ?? 1) <= MAX_KNOWN_INTS && INTEGERS.has(dtype);
}

/** The integers of a constant; undefined for other dtypes, matrices and long vectors. */
export function intsOfTensor(tensor: Tensor | undefined): KnownInts | undefined {
  if (!tensor || !/^u?int/.test(tensor.dtype)) return undefined;
  const rank = tensor.shape.length;
  if ((rank !== 0 && rank !== 1) || tensor.size > MAX_KNOWN_INTS) return undefined;
  return { rank, elements: Array.from({ length: tensor.size }, (_, i) => Number(tensor.at(i))) };
}

/** The sizes of a shape as the vector that the op Shape gives. */
export function intsOfShape(shape: Shape | undefined): KnownInts | undefined {
  if (!shape || shape.length > MAX_KNOWN_INTS) return undefined;
  return { rank: 1, elements: shape.map((size) => (size < 0 ? undefined : size)) };
}

/** The elements, if all of them are known. */
export function allKnown(ints: KnownInts | undefined): readonly number[] | undefined {
  const known = ints?.elements.filter((one) => one !== undefined);
  return known && known.length === ints?.elements.length ? known : undefined;
}

/** Whether the same is known. */
export function sameInts(one: KnownInts | undefined, other: KnownInts | undefined): boolean {
  if (one === other) return true;
  return (
    one !== undefined &&
    other !== undefined &&
    one.rank === other.rank &&
    one.elements.length === other.elements.length &&
    one.elements.every((element, i) => element === other.elements[i])
  );
}
