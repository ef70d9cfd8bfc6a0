import { structureOf } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KernelDefinition } from "../kernels/kernel.js";
import { costOf } from "../kernels/kernel-cost.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OpFacts } from "../kernels/op-facts.js";
import type { NodeWork, PureWork } from "./compiled-node.js";
import { nodeError } from "./node-error.js";

/** A node with its kernel, before its edges become references. */
export interface BoundNode {
  readonly node: KernelNode;
  readonly work: NodeWork;
  /** The type of device that its kernel is for. */
  readonly deviceType: string;
  /** The facts about its op. */
  readonly facts: OpFacts;
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

/** The work of a node whose op is the name of a function of the graph's library. */
export function callWork(node: KernelNode): NodeWork {
  const callee = { name: node.op, attr: node.def.attr };
  return {
    kind: "stateful",
    run: ({ inputs, step }) => step.functions.call(callee, inputs, node.device, step),
  };
}

/** By attributes, which nodes of a received graph share if they are equal. */
const sharedWork = new WeakMap<KernelNode["def"]["attr"], Map<KernelDefinition, PureWork>>();

/**
 * The kernel of a node. Nodes of one attribute map have the same, unless it looks at the node: a step that runs one kernel
 * for a thousand nodes finds it in the processor's cache.
 * @throws TensorFlowError the kernel's errors about the node's attributes.
 */
export function kernelWork(definition: KernelDefinition, node: KernelNode): NodeWork {
  if (definition.kind === "stateful" || definition.create.length > 0) {
    return newWork(definition, node);
  }
  const { attr } = node.def;
  const known = sharedWork.get(attr)?.get(definition);
  if (known !== undefined) {
    return known;
  }
  const made = newWork(definition, node);
  if (made.kind === "pure") {
    const works = sharedWork.get(attr) ?? new Map<KernelDefinition, PureWork>();
    sharedWork.set(attr, works.set(definition, made));
  }
  return made;
}

function newWork(definition: KernelDefinition, node: KernelNode): NodeWork {
  try {
    if (definition.kind === "stateful") {
      return { kind: "stateful", run: definition.create(node) };
    }
    return {
      kind: "pure",
      run: definition.create(node),
      cost: (inputs) => costOf(definition, node, inputs),
      small: definition.small,
      split: (inputs, most) => definition.split?.(node, inputs, most),
    };
  } catch (error) {
    throw nodeError(error, node.name);
  }
}
