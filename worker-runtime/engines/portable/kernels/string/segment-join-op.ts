import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { costOfReading } from "../kernel-cost.js";
import type { KernelNode } from "../kernel-node.js";
import { checkedSize } from "../support/allocation.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, scalarOf, stringsOf } from "../support/elements.js";
import { productOf, sameShape } from "../support/shapes.js";

function create(node: KernelNode): Compute {
  const separator = node.bytes("separator");
  return (inputs) => {
    const [input, ids] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const segments = scalarOf(inputAt(inputs, 2), "num_segments");
    if (segments < 0) {
      throw invalidArgument(`Number of segments must be non-negative but got ${segments}`);
    }
    const rank = ids.shape.length;
    if (rank === 0 || !sameShape(input.shape.slice(0, rank), ids.shape)) {
      throw invalidArgument("segment_ids must be a prefix of the shape of the inputs.");
    }
    const shape = [segments, ...input.shape.slice(rank)];
    const inner = productOf(input.shape, rank);
    const parts = Array.from({ length: checkedSize("string", shape) }, (): Uint8Array[] => []);
    const strings = stringsOf(input);
    for (const [row, id] of integersOf(ids).entries()) {
      if (id < 0 || id >= segments) {
        throw invalidArgument(
          "segment_ids are not allowed to exceed num_segments or to have negative values.",
        );
      }
      for (let i = 0; i < inner; i += 1) {
        const list = parts[id * inner + i] as Uint8Array[];
        const text = strings[row * inner + i] as Uint8Array;
        // As in TensorFlow, empty strings at the beginning of a segment are dropped.
        if (list.length > 0) {
          list.push(separator);
        }
        if (list.length > 0 || text.length > 0) {
          list.push(text);
        }
      }
    }
    return [
      new Tensor(
        "string",
        shape,
        parts.map((list) => Buffer.concat(list)),
      ),
    ];
  };
}

/** Per string of the result: its list, and joining it. */
const NANOS_PER_RESULT = 800;
const NANOS_PER_STRING = 500;

function cost(_: KernelNode, inputs: readonly Tensor[]): number {
  const [input, ids] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const segments = Number(inputAt(inputs, 2).data[0] ?? 0);
  const results = Math.max(0, segments) * productOf(input.shape, ids.shape.length);
  return results * NANOS_PER_RESULT + input.size * NANOS_PER_STRING + costOfReading(inputs);
}

/** Joins the strings of each segment, in order; "" for an empty segment. */
export const segmentJoinKernel: PureKernelDefinition = pureKernel("UnsortedSegmentJoin", create, {
  types: { Tindices: indexTypes, Tnumsegments: indexTypes },
  cost,
});
