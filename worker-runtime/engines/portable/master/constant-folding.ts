import { type ConfigProto, OptimizerOptions_Level } from "../../../../protos/generated/tensorflow/config.js";
import { RewriterConfig_Toggle } from "../../../../protos/generated/tensorflow/rewriter_config.js";
import { typeAttr } from "../../../graph/attr-values.js";
import { constantProto } from "../../../graph/constant-proto.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernels/kernel.js";
import { costOf } from "../kernels/kernel-cost.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { GraphNode, makeNodeDef, type NodeMap } from "./graph-node.js";
import type { StepGraph } from "./step-graph.js";

/** Larger results are kept only if they are not larger than their inputs (as in TensorFlow's grappler). */
const MAX_GROWN_BYTES = 100 * 1024;
/** Folding delays a first step by no more than this. */
const MAX_NODE_NANOS = 20e6;
const MAX_GRAPH_NANOS = 100e6;

export interface FoldingTools {
  readonly kernels: KernelRegistry;
  readonly ops: OpRegistry;
}

/** Whether a session's configuration permits folding. */
export function mayFold(config: ConfigProto): boolean {
  const { optimizerOptions, rewriteOptions } = config.graphOptions ?? {};
  return !(
    optimizerOptions?.optLevel === OptimizerOptions_Level.L0 ||
    rewriteOptions?.disableMetaOptimizer === true ||
    rewriteOptions?.constantFolding === RewriterConfig_Toggle.OFF
  );
}

/**
 * Replaces nodes whose inputs are constants by constants of their names, and drops nodes that are no longer needed. A
 * node that cannot be computed here stays: if it is invalid, the step will report that.
 */
export function* foldConstants(graph: StepGraph, tools: FoldingTools): PausingWork<StepGraph> {
  const values = new Map<string, Tensor>();
  const folded = new Map<string, GraphNode>();
  let nanosLeft = MAX_GRAPH_NANOS;
  let looked = 0;
  for (const node of graph.nodes.values()) {
    looked += 1;
    if (looked % NODES_PER_PAUSE === 0) {
      yield;
    }
    const plan = planOf(node, graph.nodes, values, tools.kernels);
    if (plan === undefined || plan.nanos > Math.min(MAX_NODE_NANOS, nanosLeft)) {
      continue;
    }
    nanosLeft -= plan.nanos;
    const value = compute(node, plan);
    if (value !== undefined) {
      values.set(node.name, value);
      folded.set(node.name, constantNode(node.name, value, tools.ops));
    }
    yield;
  }
  return folded.size === 0 ? graph : yield* withoutUnused(graph, folded);
}

interface Plan {
  readonly definition: PureKernelDefinition;
  readonly inputs: readonly Tensor[];
  readonly inputBytes: number;
  readonly nanos: number;
}

/** The inputs and kernel to compute a node now; undefined if it cannot or should not be computed. */
function planOf(
  node: GraphNode,
  nodes: NodeMap,
  values: Map<string, Tensor>,
  kernels: KernelRegistry,
): Plan | undefined {
  const isCandidate =
    node.inputs.length > 0 &&
    node.controls.length === 0 &&
    node.outputs.length === 1 &&
    !node.opDef.isStateful &&
    node.inputs.every(({ node: source }) => values.has(source) || isFreeConstant(nodes.get(source), kernels));
  const definition = isCandidate ? kernels.find(node.kernelNode, "CPU") : undefined;
  if (definition?.kind !== "pure") {
    return undefined;
  }
  const inputs: Tensor[] = [];
  for (const { node: source } of node.inputs) {
    const value = values.get(source) ?? constantValue(nodes.get(source));
    if (value === undefined) {
      return undefined;
    }
    values.set(source, value);
    inputs.push(value);
  }
  const nanos = costOf(definition, node.kernelNode, inputs);
  const inputBytes = inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { definition, inputs, inputBytes, nanos };
}

/** A constant in a loop or a branch waits for it, and its folded consumers would have to wait, too. */
function isFreeConstant(node: GraphNode | undefined, facts: OpFactsSource): boolean {
  return node?.controls.length === 0 && facts.facts(node.op).isConstant === true;
}

function constantValue(node: GraphNode | undefined): Tensor | undefined {
  try {
    return node?.kernelNode.tensor("value");
  } catch {
    // A Const that cannot be read is refused by the worker that is to run it.
    return undefined;
  }
}

function compute(node: GraphNode, { definition, inputs, inputBytes }: Plan): Tensor | undefined {
  try {
    const [value] = definition.create(node.kernelNode)(inputs);
    const mayKeep = value !== undefined && value.byteLength <= Math.max(MAX_GROWN_BYTES, inputBytes);
    return mayKeep ? value : undefined;
  } catch {
    // The error belongs to the step, which may never reach this node.
    return undefined;
  }
}

function constantNode(name: string, value: Tensor, ops: OpRegistry): GraphNode {
  const def = makeNodeDef(name, "Const", [
    ["dtype", typeAttr(value.dtype)],
    ["value", { value: { $case: "tensor", value: constantProto(value) } }],
  ]);
  return new GraphNode(def, ops.require("Const"), [], []);
}

function* withoutUnused(graph: StepGraph, folded: ReadonlyMap<string, GraphNode>): PausingWork<StepGraph> {
  const needed = new Set<string>();
  const todo = [...graph.roots];
  const nodeOf = (name: string) => folded.get(name) ?? graph.nodes.get(name);
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const node = needed.has(name) ? undefined : nodeOf(name);
    needed.add(name);
    todo.push(...(node?.inputs ?? []).map((input) => input.node), ...(node?.controls ?? []));
    if (needed.size % NODES_PER_PAUSE === 0) {
      yield;
    }
  }
  const nodes = new Map<string, GraphNode>();
  yield* eachOf(graph.nodes, ([name, node]) => {
    if (needed.has(name)) {
      nodes.set(name, folded.get(name) ?? node);
    }
  });
  return { ...graph, nodes };
}
