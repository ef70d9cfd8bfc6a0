/** Checks a run before anything is sent: an early error in plain words is better than a later one from the master. */
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { parseEdge, tensorName } from "../../worker-runtime/graph/edge.js";
import { topologicalOrder } from "../../worker-runtime/graph/topology.js";
import type { RunRequest } from "../api/runs.js";
import { messageOf, problem } from "../shared/problems.js";
import { dtypeOfOutput } from "./output-dtype.js";

/** A graph that can be run as requested, as far as can be checked here. */
export interface CheckedGraph {
  readonly graphDef: GraphDef;
  readonly nodes: ReadonlyMap<string, NodeDef>;
  /** Tensor names with the output's number, in the order of the request. */
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
}

const MAX_SHOWN_OF_CYCLE = 8;

/**
 * @throws ProblemError INVALID_ARGUMENT or NOT_FOUND, naming the node: names that the graph does not have, placeholders
 *   without a value, nothing to run.
 */
export function checkGraph(request: RunRequest): CheckedGraph {
  const graphDef = decodeGraph(request.graph);
  const nodes = new Map<string, NodeDef>();
  for (const node of graphDef.node) {
    if (nodes.has(node.name)) {
      throw problem("INVALID_ARGUMENT", `Two nodes of the graph are named ${node.name}.`, {
        node: node.name,
        remedy: "Rename one of them.",
      });
    }
    nodes.set(node.name, node);
  }
  if (request.fetches.length === 0 && request.targets.length === 0) {
    throw problem("INVALID_ARGUMENT", "There is nothing to run.", {
      reason: "No value is fetched and no operation is run.",
      remedy: "Fetch the output of a node, or add one as a target.",
    });
  }
  checkInputs(nodes);
  checkCycles(nodes);
  const fedNames = [...request.feeds.map(({ name }) => name), ...(request.reused?.names ?? [])];
  const fed = new Set(fedNames.map((name) => tensorOf(nodes, name, "fed")));
  const fetches = request.fetches.map((name) => tensorOf(nodes, name, "fetched"));
  for (const name of fetches) checkFetch(graphDef, nodes, name);
  for (const target of request.targets) requireNode(nodes, target, "run");
  // A target runs whatever is fed, like a control input.
  checkPlaceholders(nodes, fed, [...fetches, ...request.targets.map((name) => `^${name}`)]);
  return { graphDef, nodes, fetches, targets: request.targets };
}

function decodeGraph(bytes: Uint8Array): GraphDef {
  try {
    return GraphDef.decode(bytes);
  } catch (error) {
    throw problem("INVALID_ARGUMENT", "The graph cannot be read.", {
      reason: "The window did not send a GraphDef.",
      details: messageOf(error),
    });
  }
}

function requireNode(nodes: ReadonlyMap<string, NodeDef>, name: string, use: string): NodeDef {
  const node = nodes.get(name);
  if (node) return node;
  throw problem("NOT_FOUND", `The graph has no node ${name}, which is to be ${use}.`, {
    remedy: "It was probably renamed or deleted. Choose another.",
    node: name,
  });
}

/** The full name of a tensor of the graph: "z:0" for "z". */
function tensorOf(nodes: ReadonlyMap<string, NodeDef>, name: string, use: string): string {
  const edge = parseEdge(name);
  if (edge.control) {
    throw problem("INVALID_ARGUMENT", `${name} is a control input and has no value to be ${use}.`, {
      node: edge.node,
    });
  }
  requireNode(nodes, edge.node, use);
  return tensorName(edge.node, edge.output);
}

function checkInputs(nodes: ReadonlyMap<string, NodeDef>): void {
  for (const node of nodes.values()) {
    for (const input of node.input) {
      const from = parseEdge(input).node;
      if (nodes.has(from)) continue;
      throw problem(
        "INVALID_ARGUMENT",
        `${node.name} has an input from ${from}, which is not in the graph.`,
        {
          node: node.name,
          remedy: "Connect that input to another node.",
        },
      );
    }
  }
}

function checkCycles(nodes: ReadonlyMap<string, NodeDef>): void {
  // TensorFlow itself only reports how many nodes are in cycles.
  const { cycle } = topologicalOrder([...nodes.values()]);
  const [first] = cycle ?? [];
  if (!cycle || first === undefined) return;
  const shown = cycle.length > MAX_SHOWN_OF_CYCLE ? [...cycle.slice(0, MAX_SHOWN_OF_CYCLE), "…"] : cycle;
  throw problem(
    "INVALID_ARGUMENT",
    cycle.length === 1 ? `${first} depends on itself.` : `${first} depends on itself through other nodes.`,
    {
      reason: `The connections form a cycle: ${[...shown, first].join(" → ")}.`,
      remedy: "Remove one of these connections.",
      node: first,
    },
  );
}

/** Some outputs have no value that could be shown. */
function checkFetch(graphDef: GraphDef, nodes: ReadonlyMap<string, NodeDef>, name: string): void {
  const edge = parseEdge(name);
  const node = nodes.get(edge.node);
  if (!node || edge.control) return;
  const dtype = dtypeOfOutput(graphDef.library, node, edge.output);
  if (dtype !== "resource" && dtype !== "variant") return;
  throw problem("INVALID_ARGUMENT", `${name} has no value that could be fetched.`, {
    reason: `It is a handle (dtype ${dtype}): it refers to something that its task keeps.`,
    remedy: "Fetch a node that reads it, such as ReadVariableOp, or run it as a target.",
    node: node.name,
  });
}

/** Walks from the fetches to the graph's inputs; a fed tensor ends the walk, as in TensorFlow. */
function checkPlaceholders(
  nodes: ReadonlyMap<string, NodeDef>,
  fed: ReadonlySet<string>,
  asked: readonly string[],
): void {
  const visited = new Set<string>();
  const waiting = [...asked];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const edge = parseEdge(name);
    if (!edge.control && fed.has(tensorName(edge.node, edge.output))) continue;
    if (visited.has(edge.node)) continue;
    visited.add(edge.node);
    const node = nodes.get(edge.node);
    if (!node) continue;
    if (node.op === "Placeholder") {
      throw problem("INVALID_ARGUMENT", `The placeholder ${node.name} has no value.`, {
        reason: "The run depends on it.",
        remedy: `Give ${node.name} a value among the feeds: typed in, or from a .npy, .npz or .csv file.`,
        node: node.name,
      });
    }
    waiting.push(...node.input);
  }
}

/** The device that a node's device field requests. */
export interface Pin {
  readonly node: string;
  readonly device: string;
  readonly job: string | undefined;
  readonly task: number | undefined;
  /** "CPU" or "GPU", in capitals. */
  readonly type: string | undefined;
  readonly index: number | undefined;
}

/**
 * The devices that nodes are pinned to, one for each pinned node.
 *
 * @throws ProblemError INVALID_ARGUMENT for an invalid device name.
 */
export function pinsOf(nodes: ReadonlyMap<string, NodeDef>): Pin[] {
  const pins: Pin[] = [];
  for (const node of nodes.values()) {
    if (node.device === "") continue;
    try {
      const { job, task, type, index } = parseDeviceName(node.device);
      pins.push({ node: node.name, device: node.device, job, task, type: type?.toUpperCase(), index });
    } catch (error) {
      throw problem(
        "INVALID_ARGUMENT",
        `${node.name} is pinned to "${node.device}", which is not a device name.`,
        {
          reason: messageOf(error),
          remedy: "Pin it to a task of the cluster.",
          node: node.name,
        },
      );
    }
  }
  return pins;
}
