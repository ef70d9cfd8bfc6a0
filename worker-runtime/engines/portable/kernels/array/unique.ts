import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { bytesOfArray, isByteList } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { perInput, pureKernel } from "../support/define.js";
import { indexTypes, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor } from "../support/elements.js";
import { axisOf, productOf } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { takeAlong } from "./gather.js";

type Key = number | bigint | string | symbol;

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A key for each element that is the same for equal elements. NaN equals nothing, not even itself. */
function elementKeys(input: Tensor): Key[] {
  const { data } = input;
  if (isByteList(data)) {
    return data.map(textOfBytes);
  }
  if (input.dtype.startsWith("complex")) {
    return rowKeys(input, input.size);
  }
  return Array.from(data as ArrayLike<number | bigint>, (value) => (Number.isNaN(value) ? Symbol() : value));
}

/** Like `elementKeys`, for each of `rows` slices of equal length. */
function rowKeys(input: Tensor, rows: number): Key[] {
  const { data } = input;
  if (isByteList(data)) {
    const length = data.length / rows;
    return Array.from({ length: rows }, (_, row) =>
      data
        .slice(row * length, (row + 1) * length)
        .map((bytes) => `${bytes.length}:${textOfBytes(bytes)}`)
        .join(""),
    );
  }
  const bytes = bytesOfArray(data);
  const length = bytes.length / rows;
  return Array.from({ length: rows }, (_, row) =>
    textOfBytes(bytes.subarray(row * length, (row + 1) * length)),
  );
}

interface Distinct {
  /** The first index of each distinct key. */
  readonly first: number[];
  /** For each key, the number of the distinct key that it equals. */
  readonly index: number[];
  readonly counts: number[];
}

function distinct(keys: readonly Key[]): Distinct {
  const numbers = new Map<Key, number>();
  const result: Distinct = { first: [], index: [], counts: [] };
  for (const [i, key] of keys.entries()) {
    let number = numbers.get(key);
    if (number === undefined) {
      number = result.first.length;
      numbers.set(key, number);
      result.first.push(i);
      result.counts.push(0);
    }
    result.index.push(number);
    result.counts[number] = (result.counts[number] ?? 0) + 1;
  }
  return result;
}

function unique(input: Tensor, axisInput: Tensor | undefined, indexType: DType): [Tensor, Tensor, Tensor] {
  const axes = axisInput === undefined ? [] : integersOf(axisInput);
  if (axes.length > 1) {
    throw invalidArgument(`axis does not support input tensors larger than 1 elements`);
  }
  const given = axes[0];
  if (given === undefined && input.shape.length !== 1) {
    throw invalidArgument("unique expects a 1D vector.");
  }
  const rank = input.shape.length;
  const axis = given === undefined ? 0 : axisOf(given, rank, `axis has to be between [0, ${rank})`);
  const length = input.shape[axis] ?? 0;
  let keys: Key[];
  if (rank === 1) {
    keys = elementKeys(input);
  } else {
    const others = input.shape.map((_, d) => d).filter((d) => d !== axis);
    keys =
      productOf(input.shape) === 0
        ? new Array<Key>(length).fill("")
        : rowKeys(transposed(input, [axis, ...others]), length);
  }
  const { first, index, counts } = distinct(keys);
  return [
    takeAlong(input, axis, first),
    integerTensor(indexType, [length], index),
    integerTensor(indexType, [counts.length], counts),
  ];
}

function listDiff(x: Tensor, y: Tensor, indexType: DType): Tensor[] {
  for (const [name, tensor] of [
    ["x", x],
    ["y", y],
  ] as const) {
    if (tensor.shape.length !== 1) {
      throw invalidArgument(`${name} should be a 1D vector.`);
    }
  }
  const unwanted = new Set(elementKeys(y));
  const kept = elementKeys(x).flatMap((key, i) => (unwanted.has(key) ? [] : [i]));
  return [takeAlong(x, 0, kept), integerTensor(indexType, [kept.length], kept)];
}

/** Numbers are their own keys; strings, slices and pairs are converted to text first. */
function uniqueCost(input: Tensor): number {
  const isLookedUp =
    input.shape.length === 1 && !isByteList(input.data) && !input.dtype.startsWith("complex");
  return input.data.length * (isLookedUp ? 300 : 1200);
}

function uniqueKernel(op: string, outputs: 2 | 3, hasAxis: boolean): KernelDefinition {
  return pureKernel(
    op,
    (node: KernelNode) => {
      const indexType = node.type("out_idx");
      return (inputs) =>
        unique(inputAt(inputs, 0), hasAxis ? inputAt(inputs, 1) : undefined, indexType).slice(0, outputs);
    },
    {
      types: {
        T: [...realTypes, "bool", "string"],
        out_idx: indexTypes,
        ...(hasAxis ? { Taxis: indexTypes } : {}),
      },
      cost: (_, inputs) => uniqueCost(inputAt(inputs, 0)),
    },
  );
}

/** Distinct elements, in the order of their first appearance. */
export const uniqueKernels: readonly KernelDefinition[] = [
  uniqueKernel("Unique", 2, false),
  uniqueKernel("UniqueV2", 2, true),
  uniqueKernel("UniqueWithCounts", 3, false),
  uniqueKernel("UniqueWithCountsV2", 3, true),
  pureKernel(
    "ListDiff",
    (node) => {
      const indexType = node.type("out_idx");
      return (inputs) => listDiff(inputAt(inputs, 0), inputAt(inputs, 1), indexType);
    },
    { types: { T: [...realTypes, "string"], out_idx: indexTypes }, cost: perInput(600) },
  ),
];
