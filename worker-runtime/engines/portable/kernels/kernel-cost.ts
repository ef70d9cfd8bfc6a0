import type { Tensor } from "../../../protocol/tensor.js";
import { isByteList } from "../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";

/** Plain loops over numbers of any dtype take from one to twenty, on a slow core. */
const NANOS_PER_NUMBER = 10;
/** A string is an object of its own. */
const NANOS_PER_STRING = 300;
const NANOS_PER_STRING_BYTE = 3;

/** The time that a kernel is expected to take for these inputs, in nanoseconds: as it says itself, or by their size. */
export function costOf(
  definition: PureKernelDefinition,
  node: KernelNode,
  inputs: readonly Tensor[],
): number {
  return definition.cost === undefined ? costOfReading(inputs) : definition.cost(node, inputs);
}

/** An estimate for a kernel that looks at each element of its inputs and makes nothing larger of them. */
export function costOfReading(inputs: readonly Tensor[]): number {
  let nanos = 0;
  for (const { data, byteLength } of inputs) {
    nanos += isByteList(data)
      ? data.length * NANOS_PER_STRING + byteLength * NANOS_PER_STRING_BYTE
      : data.length * NANOS_PER_NUMBER;
  }
  return nanos;
}
