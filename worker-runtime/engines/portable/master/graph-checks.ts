import type { SignatureArg } from "../../../graph/node-signature.js";
import { closesLoop } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import type { GraphNode, NodeLookup, TensorRef } from "./graph-node.js";

/**
 * Checks how new nodes are connected: to nodes and outputs that exist, of the right types, without cycles except those
 * of while loops.
 * @param added the new nodes; existing nodes cannot lead to them.
 * @param graph all nodes, including the new ones.
 * @param ahead of the new nodes, as `noteEdgesAhead` has found them: without any, there are no cycles.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words.
 */
export function* checkEdges(
  added: readonly GraphNode[],
  graph: NodeLookup,
  ahead: readonly EdgeAhead[],
): PausingWork<void> {
  yield* eachOf(added, (node) => checkInputs(node, graph), NODES_PER_PAUSE);
  if (yield* leadsForward(added, ahead)) {
    yield* checkCycles(added);
  }
}

/** An edge to a node from one that comes later, or that was there already. */
export interface EdgeAhead {
  readonly source: string;
  readonly target: GraphNode;
}

/**
 * Notes the edges to a node from those that do not come before it. Most clients send nodes in the order of creation:
 * they have none, and nothing more is to be looked at.
 * @param before the nodes of the same message that come before.
 */
export function noteEdgesAhead(
  node: GraphNode,
  before: ReadonlyMap<string, GraphNode>,
  ahead: EdgeAhead[],
): void {
  for (const { node: source } of node.inputs) {
    if (!before.has(source)) {
      ahead.push({ source, target: node });
    }
  }
  for (const source of node.controls) {
    if (!before.has(source)) {
      ahead.push({ source, target: node });
    }
  }
}

/** Whether a node precedes one of its inputs, other than in a loop. */
function* leadsForward(added: readonly GraphNode[], ahead: readonly EdgeAhead[]): PausingWork<boolean> {
  if (ahead.length === 0) {
    return false;
  }
  const names = yield* byName(added);
  return ahead.some(({ source, target }) => {
    const from = names.get(source);
    return from !== undefined && !closesLoop(from.op, target.op);
  });
}

function* byName(nodes: readonly GraphNode[]): PausingWork<Map<string, GraphNode>> {
  const map = new Map<string, GraphNode>();
  yield* eachOf(nodes, (node) => map.set(node.name, node));
  return map;
}

function checkInputs(node: GraphNode, graph: NodeLookup): void {
  for (const control of node.controls) {
    if (!graph.has(control)) {
      throw invalidArgument(`Node '${node.name}': Unknown input node '^${control}'`);
    }
  }
  const wanted = node.kernelNode.inputs;
  for (let index = 0; index < node.inputs.length; index += 1) {
    const input = node.inputs[index] as TensorRef;
    const source = graph.get(input.node);
    if (source === undefined) {
      const name = input.output === 0 ? input.node : `${input.node}:${input.output}`;
      throw invalidArgument(`Node '${node.name}': Unknown input node '${name}'`);
    }
    const given = source.outputs[input.output];
    if (given === undefined) {
      throw invalidArgument(
        `Node '${node.name}': Connecting to invalid output ${input.output} of source node ${input.node} which has ` +
          `${source.outputs.length} outputs.`,
      );
    }
    const arg = wanted[index];
    if (arg === undefined) {
      throw invalidArgument(
        `Input ${index} of node ${node.name} does not exist. Node only has ${wanted.length} inputs.`,
      );
    }
    if (given.dtype !== arg.dtype || (arg.isRef && !given.isRef)) {
      throw invalidArgument(
        `Input ${index} of node ${node.name} was passed ${typeText(given)} from ${input.node}:${input.output} ` +
          `incompatible with expected ${typeText(arg)}.`,
      );
    }
  }
}

function typeText({ dtype, isRef }: SignatureArg): string {
  return dtype === undefined ? "INVALID" : `${cppTypeName(dtypeOf(dtype))}${isRef ? "_ref" : ""}`;
}

/** Counts down the inputs that each node waits for; nodes that still wait at the end are in cycles or behind one. */
function* checkCycles(added: readonly GraphNode[]): PausingWork<void> {
  const names = yield* byName(added);
  const waiting = new Map<string, number>();
  const behind = new Map<string, string[]>();
  const wait = (node: GraphNode, source: string) => {
    const from = names.get(source);
    if (from === undefined || closesLoop(from.op, node.op)) {
      return;
    }
    waiting.set(node.name, (waiting.get(node.name) ?? 0) + 1);
    const list = behind.get(source);
    if (list === undefined) {
      behind.set(source, [node.name]);
    } else {
      list.push(node.name);
    }
  };
  const waitForAll = (node: GraphNode) => {
    for (const input of node.inputs) {
      wait(node, input.node);
    }
    for (const control of node.controls) {
      wait(node, control);
    }
  };
  yield* eachOf(added, waitForAll, NODES_PER_PAUSE);
  const ready = added.filter((node) => !waiting.has(node.name)).map(({ name }) => name);
  let left = added.length;
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    left -= 1;
    if (left % NODES_PER_PAUSE === 0) {
      yield;
    }
    for (const consumer of behind.get(name) ?? []) {
      const count = (waiting.get(consumer) ?? 0) - 1;
      waiting.set(consumer, count);
      if (count === 0) {
        ready.push(consumer);
      }
    }
  }
  if (left > 0) {
    const stuck = added.filter(({ name }) => (waiting.get(name) ?? 0) > 0).slice(0, 5);
    throw invalidArgument(
      `${left} nodes in a cycle, or behind one: ${stuck.map(({ name }) => name).join(", ")}${left > stuck.length ? ", …" : ""}.`,
    );
  }
}

/**
 * Checks that the nodes of a step have all their inputs.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function* checkComplete(nodes: Iterable<GraphNode>): PausingWork<void> {
  yield* eachOf(nodes, (node) => {
    const missing = node.kernelNode.inputs.length - node.inputs.length;
    if (missing > 0) {
      throw invalidArgument(`Incomplete graph, missing ${missing} inputs for ${node.name}`);
    }
  });
}
