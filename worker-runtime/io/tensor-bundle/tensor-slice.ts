import type { TensorSliceProto } from "../../../protos/generated/tensorflow/tensor_slice.js";
import { internalError, invalidArgument } from "../../protocol/status.js";
import { orderedNumber, orderedSigned, orderedString } from "./ordered-code.js";

/** A range of one dimension; undefined for all of it. */
type Extent = { readonly start: number; readonly length: number } | undefined;

/** A box within a tensor, dimension by dimension. */
export type TensorSlice = readonly Extent[];

/** The part of a tensor that is saved or restored: "10 4 0,5:-", the full shape and the box within it. */
export interface ShapeAndSlice {
  readonly fullShape: readonly number[];
  readonly slice: TensorSlice;
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid text, INTERNAL for a box outside the shape. */
export function parseShapeAndSlice(text: string): ShapeAndSlice {
  const parts = text.split(" ");
  const sliceText = parts.pop() ?? "";
  if (parts.length === 0) {
    throw invalidArgument(`Need least two elements in shape_and_slice specification: ${text}`);
  }
  const fullShape = parts.map((part) => {
    if (!/^-?\d+$/.test(part)) {
      throw invalidArgument(`Non numerical dimension in shape_and_slice: ${text}`);
    }
    return Number(part);
  });
  const slice = parseSlice(sliceText);
  sliceShape(fullShape, slice);
  return { fullShape, slice };
}

function parseSlice(text: string): TensorSlice {
  if (text === "") {
    return [];
  }
  return text.split(":").map((part) => {
    if (part === "-") {
      return undefined;
    }
    const match = /^(-?\d+),(-?\d+)$/.exec(part);
    const start = Number(match?.[1] ?? Number.NaN);
    const length = Number(match?.[2] ?? Number.NaN);
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length)) {
      throw invalidArgument(`Expected a pair of numbers or '-' but got '${part}': string = ${text}`);
    }
    if (start < 0 || length <= 0) {
      throw invalidArgument(
        `Expected non-negative start and positive length but got start = ${start}, length = ${length}: string = ${text}`,
      );
    }
    return { start, length };
  });
}

/** Sizes of the box. @throws TensorFlowError INTERNAL (TensorFlow's own code for it) if it is outside the shape. */
export function sliceShape(fullShape: readonly number[], slice: TensorSlice): number[] {
  if (slice.length !== fullShape.length) {
    throw internalError(`Mismatching ranks: shape = [${fullShape.join(",")}], slice = ${sliceText(slice)}`);
  }
  return fullShape.map((size, dimension) => {
    const extent = slice[dimension];
    if (extent !== undefined && extent.start + extent.length > size) {
      throw internalError(
        `Extent in dimension ${dimension} out of bounds: shape = [${fullShape.join(",")}], slice = ${sliceText(slice)}`,
      );
    }
    return extent?.length ?? size;
  });
}

/** "0,5:-". */
export function sliceText(slice: TensorSlice): string {
  return slice.map((extent) => (extent === undefined ? "-" : `${extent.start},${extent.length}`)).join(":");
}

/** The box of a whole tensor. */
export function fullSlice(rank: number): TensorSlice {
  return new Array<undefined>(rank).fill(undefined);
}

/** True if the box is the whole tensor. */
export function isFullSlice(fullShape: readonly number[], slice: TensorSlice): boolean {
  const shape = sliceShape(fullShape, slice);
  return shape.every((size, dimension) => size === fullShape[dimension]);
}

/** The key of a tensor's slice in a checkpoint. */
export function sliceKey(name: Uint8Array, slice: TensorSlice): Uint8Array {
  return Uint8Array.from([
    ...orderedNumber(0),
    ...orderedString(name),
    ...orderedNumber(slice.length),
    ...slice.flatMap((extent) => [
      ...orderedSigned(extent?.start ?? 0),
      ...orderedSigned(extent?.length ?? -1),
    ]),
  ]);
}

export function sliceToProto(slice: TensorSlice): TensorSliceProto {
  return {
    extent: slice.map((extent) =>
      extent === undefined
        ? { start: 0n, hasLengthHack: undefined }
        : { start: BigInt(extent.start), hasLengthHack: { $case: "length", value: BigInt(extent.length) } },
    ),
  };
}

export function sliceFromProto({ extent }: TensorSliceProto): TensorSlice {
  return extent.map(({ start, hasLengthHack }) =>
    hasLengthHack === undefined ? undefined : { start: Number(start), length: Number(hasLengthHack.value) },
  );
}

/** A run of elements that are contiguous in both boxes, counted in elements. */
export interface Overlap {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The intersection of two boxes of a tensor: runs of elements by their offsets within each box, row-major. */
export function* overlapsOf(
  fullShape: readonly number[],
  source: TensorSlice,
  target: TensorSlice,
): Generator<Overlap> {
  const sourceShape = sliceShape(fullShape, source);
  const targetShape = sliceShape(fullShape, target);
  const ranges = fullShape.map((_, dimension) => {
    const sourceStart = source[dimension]?.start ?? 0;
    const targetStart = target[dimension]?.start ?? 0;
    const start = Math.max(sourceStart, targetStart);
    const end = Math.min(
      sourceStart + (sourceShape[dimension] ?? 0),
      targetStart + (targetShape[dimension] ?? 0),
    );
    return { from: start - sourceStart, to: start - targetStart, count: end - start };
  });
  if (ranges.some(({ count }) => count <= 0)) {
    return;
  }
  const rank = ranges.length;
  function* level(dimension: number, from: number, to: number): Generator<Overlap> {
    const range = ranges[dimension];
    if (range === undefined) {
      yield { from, to, count: 1 };
      return;
    }
    const firstFrom = from * (sourceShape[dimension] ?? 1) + range.from;
    const firstTo = to * (targetShape[dimension] ?? 1) + range.to;
    if (dimension === rank - 1) {
      yield { from: firstFrom, to: firstTo, count: range.count };
      return;
    }
    for (let index = 0; index < range.count; index += 1) {
      yield* level(dimension + 1, firstFrom + index, firstTo + index);
    }
  }
  yield* level(0, 0, 0);
}
