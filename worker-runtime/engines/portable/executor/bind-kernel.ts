import { structureOf } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KernelDefinition } from "../kernels/kernel.js";
import { costOf } from "../kernels/kernel-cost.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { NodeWork } from "./compiled-node.js";
import { nodeError } from "./node-error.js";

/** A node with its kernel, before its edges are turned into references. */
export interface BoundNode {
  readonly node: KernelNode;
  readonly work: NodeWork;
  readonly deviceType: string;
  /** Whether an output may be missing, as a Switch leaves one of its two. */
  readonly mayLeaveDead: boolean;
}

/** The work of a node that passes values between a function and its caller, for which no kernel is needed. */
export function boundaryWork(node: KernelNode): NodeWork | undefined {
  const { boundary } = structureOf(node.op);
  return boundary && { kind: boundary, index: indexOf(node) };
}

function indexOf(node: KernelNode): number {
  const index = node.int("index");
  if (index < 0) {
    throw invalidArgument(
      `Node '${node.name}' of op ${node.op} has the index ${index}; it must be at least 0.`,
    );
  }
  return index;
}

/** The work of a node that calls a function of the graph's library by using its name as op. */
export function callWork(node: KernelNode): NodeWork {
  const callee = { name: node.op, attr: node.def.attr };
  return {
    kind: "stateful",
    run: ({ inputs, step }) => step.functions.call(callee, inputs, node.device, step),
  };
}

/** Makes the kernel of a node. @throws TensorFlowError what the kernel says of the node's attributes. */
export function kernelWork(definition: KernelDefinition, node: KernelNode): NodeWork {
  try {
    if (definition.kind === "stateful") {
      return { kind: "stateful", run: definition.create(node) };
    }
    return {
      kind: "pure",
      run: definition.create(node),
      cost: (inputs) => costOf(definition, node, inputs),
      split: (inputs, most) => definition.split?.(node, inputs, most),
    };
  } catch (error) {
    throw nodeError(error, node.name);
  }
}
