import type { Tensor } from "../../../protocol/tensor.js";
import { isByteList } from "../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";

/** Plain loops over numbers take from one to twenty nanoseconds on a slow core, depending on the dtype. */
const NANOS_PER_NUMBER = 10;
/** A string is a separate object. */
const NANOS_PER_STRING = 300;
const NANOS_PER_STRING_BYTE = 3;

/** The expected run time of a kernel for these inputs, in nanoseconds: its own estimate, or one based on their size. */
export function costOf(
  definition: PureKernelDefinition,
  node: KernelNode,
  inputs: readonly Tensor[],
): number {
  return definition.cost === undefined ? costOfReading(inputs) : definition.cost(node, inputs);
}

/** An estimate for a kernel that reads each element of its inputs once and has no larger outputs. */
export function costOfReading(inputs: readonly Tensor[]): number {
  let nanos = 0;
  for (const { data, byteLength } of inputs) {
    nanos += isByteList(data)
      ? data.length * NANOS_PER_STRING + byteLength * NANOS_PER_STRING_BYTE
      : data.length * NANOS_PER_NUMBER;
  }
  return nanos;
}
