import { invalidArgument, outOfRange, resourceExhausted } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { checkedSize } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, stringsOf } from "../support/elements.js";
import { memoryBudget } from "../support/memory-budget.js";
import {
  broadcastShape,
  broadcastStrides,
  cppShapeText,
  productOf,
  sameShape,
  stridesOf,
} from "../support/shapes.js";
import { characterCount, characterOffsets } from "./utf8.js";

/** A kernel that maps each string to a string. */
function mapKernel(
  op: string,
  create: (encoding: string) => (bytes: Uint8Array) => Uint8Array,
): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const map = create(node.has("encoding") ? node.string("encoding") : "");
      return (inputs) => {
        const input = inputAt(inputs, 0);
        return [new Tensor("string", input.shape, stringsOf(input).map(map))];
      };
    },
    { types: noTypes },
  );
}

/** Changes the case of ASCII letters, or of all letters if the encoding is UTF-8. */
function caseChange(
  encoding: string,
  first: string,
  offset: number,
  change: (text: string) => string,
): (bytes: Uint8Array) => Uint8Array {
  if (encoding !== "" && encoding !== "utf-8") {
    throw invalidArgument(`only utf-8 or '' are supported; encoding: ${encoding}`);
  }
  if (encoding === "utf-8") {
    return (bytes) => Buffer.from(change(Buffer.from(bytes).toString("utf8")));
  }
  const from = first.charCodeAt(0);
  return (bytes) => bytes.map((byte) => (byte >= from && byte < from + 26 ? byte + offset : byte));
}

const isSpace = (byte: number | undefined) => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);

function strip(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start])) {
    start += 1;
  }
  while (end > start && isSpace(bytes[end - 1])) {
    end -= 1;
  }
  return bytes.subarray(start, end);
}

function join(inputs: readonly Tensor[], separator: Uint8Array): Tensor {
  const shape = inputs.find((input) => input.shape.length > 0)?.shape ?? [];
  for (const input of inputs) {
    if (input.shape.length > 0 && !sameShape(input.shape, shape)) {
      throw invalidArgument(
        `Input shapes do not match: ${cppShapeText(shape)} vs. ${cppShapeText(input.shape)}`,
      );
    }
  }
  const lists = inputs.map((input) => ({ strings: stringsOf(input), step: input.shape.length > 0 ? 1 : 0 }));
  const count = checkedSize("string", shape);
  const bytes = lists.reduce(
    (sum, { strings, step }) => sum + bytesOf(strings) * (step === 0 ? count : 1),
    count * separator.length * Math.max(0, inputs.length - 1),
  );
  checkRoom(shape, count, bytes);
  const joined = Array.from({ length: count }, (_, index) =>
    joinBytes(
      lists.map(({ strings, step }) => strings[index * step] ?? new Uint8Array(0)),
      separator,
    ),
  );
  return new Tensor("string", shape, joined);
}

function bytesOf(strings: readonly Uint8Array[]): number {
  return strings.reduce((sum, { length }) => sum + length, 0);
}

/** @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory for `count` strings with `bytes` bytes in total. */
function checkRoom(shape: readonly number[], count: number, bytes: number): void {
  if (!(memoryBudget.hasRoomForStrings(count) && memoryBudget.hasRoomFor(bytes))) {
    throw resourceExhausted(
      `OOM when allocating tensor with shape${cppShapeText(shape)} and type string: ${bytes} bytes${memoryBudget.refusal(bytes)}`,
    );
  }
}

function joinBytes(parts: readonly Uint8Array[], separator: Uint8Array): Uint8Array {
  return Buffer.concat(
    separator.length === 0 ? parts : parts.flatMap((part, at) => (at > 0 ? [separator, part] : [part])),
  );
}

/** Joins along dimensions one after the other, in the given order. */
function reduceJoin(input: Tensor, indices: Tensor, keepDims: boolean, separator: Uint8Array): Tensor {
  const rank = input.shape.length;
  const axes = integersOf(indices).map((axis) => {
    if (axis < -rank || axis >= rank) {
      throw outOfRange(`Invalid reduction dimension ${axis} for input with ${rank} dimension(s)`);
    }
    return axis < 0 ? axis + rank : axis;
  });
  if (new Set(axes).size !== axes.length) {
    throw invalidArgument(
      `Duplicate reduction dimension ${axes.find((axis, at) => axes.indexOf(axis) !== at)}`,
    );
  }
  let shape = [...input.shape];
  let strings = stringsOf(input);
  for (const axis of axes) {
    const strides = stridesOf(shape);
    const count = shape[axis] ?? 0;
    const stride = strides[axis] ?? 1;
    const reduced = shape.map((size, dimension) => (dimension === axis ? 1 : size));
    const current = strings;
    strings = Array.from({ length: productOf(reduced) }, (_, index) => {
      const first = Math.floor(index / stride) * stride * count + (index % stride);
      const parts = Array.from(
        { length: count },
        (__, at) => current[first + at * stride] ?? new Uint8Array(0),
      );
      return joinBytes(parts, separator);
    });
    shape = reduced;
  }
  const kept = keepDims ? shape : shape.filter((_, dimension) => !axes.includes(dimension));
  return new Tensor("string", kept, strings);
}

/** The substring at `position`; a negative length extends to the end. Both count bytes or characters. */
function substring(
  bytes: Uint8Array,
  position: number,
  length: number,
  index: number,
  characters: boolean,
): Uint8Array {
  const offsets = characters ? characterOffsets(bytes) : undefined;
  const size = offsets === undefined ? bytes.length : offsets.length - 1;
  if (position < -size || position > size) {
    throw invalidArgument(
      `pos ${position} out of range for string b'${Buffer.from(bytes).toString("utf8")}' at index ${index}`,
    );
  }
  const start = position < 0 ? position + size : position;
  const end = length < 0 ? size : Math.min(size, start + length);
  return offsets === undefined ? bytes.subarray(start, end) : bytes.subarray(offsets[start], offsets[end]);
}

function substr(input: Tensor, positions: Tensor, lengths: Tensor, characters: boolean): Tensor {
  if (!sameShape(positions.shape, lengths.shape)) {
    throw invalidArgument(
      `pos and len should have the same shape, got: ${cppShapeText(positions.shape)} vs. ${cppShapeText(lengths.shape)}`,
    );
  }
  const shape = broadcastShape(input.shape, positions.shape);
  const strings = stringsOf(input);
  const starts = integersOf(positions);
  const counts = integersOf(lengths);
  const strides = stridesOf(shape);
  const ownStrides = broadcastStrides(input.shape, shape);
  const positionStrides = broadcastStrides(positions.shape, shape);
  const offsetOf = (index: number, own: readonly number[]) =>
    strides.reduce(
      (sum, stride, dimension) =>
        sum + (Math.floor(index / stride) % (shape[dimension] ?? 1)) * (own[dimension] ?? 0),
      0,
    );
  return new Tensor(
    "string",
    shape,
    Array.from({ length: productOf(shape) }, (_, index) => {
      const at = offsetOf(index, positionStrides);
      return substring(
        strings[offsetOf(index, ownStrides)] ?? new Uint8Array(0),
        starts[at] ?? 0,
        counts[at] ?? 0,
        index,
        characters,
      );
    }),
  );
}

function byteCount({ length }: Uint8Array): number {
  return length;
}

/** Ops on whole strings: case, length, substring, join. */
export const textKernels: readonly PureKernelDefinition[] = [
  mapKernel("StringLower", (encoding) => caseChange(encoding, "A", 32, (text) => text.toLowerCase())),
  mapKernel("StringUpper", (encoding) => caseChange(encoding, "a", -32, (text) => text.toUpperCase())),
  mapKernel("StringStrip", () => strip),
  pureKernel(
    "StringLength",
    (node) => {
      const lengthOf = node.string("unit") === "UTF8_CHAR" ? characterCount : byteCount;
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const lengths = new Int32Array(input.size);
        for (const [i, bytes] of stringsOf(input).entries()) {
          lengths[i] = lengthOf(bytes);
        }
        return [new Tensor("int32", input.shape, lengths)];
      };
    },
    { types: noTypes },
  ),
  pureKernel(
    "StringJoin",
    (node) => {
      const separator = node.bytes("separator");
      return (inputs) => [join(inputs, separator)];
    },
    { types: noTypes },
  ),
  pureKernel(
    "ReduceJoin",
    (node) => {
      const separator = node.bytes("separator");
      const keepDims = node.bool("keep_dims");
      return (inputs) => [reduceJoin(inputAt(inputs, 0), inputAt(inputs, 1), keepDims, separator)];
    },
    { types: noTypes },
  ),
  pureKernel(
    "Substr",
    (node) => {
      const characters = node.string("unit") === "UTF8_CHAR";
      return (inputs) => [substr(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), characters)];
    },
    { types: { T: indexTypes } },
  ),
];
