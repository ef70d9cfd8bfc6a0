/** The inputs and outputs of a model, and what they are called. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { invalidArgument, notFound } from "../../protocol/status.js";
import { parseEdge, tensorName } from "../edge.js";
import { indexOf, neededFor } from "../graph-index.js";
import { didYouMean } from "../similar-names.js";

/** The tensors of a model, "x:0", by the names that its users know them by. */
export interface ModelTensors {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * The placeholders that outputs need, by names for a signature: "x" for "digits/x:0" unless two have that name.
 *
 * @param fed tensors that are inputs anyway: what only they need is not needed
 * @throws TensorFlowError NOT_FOUND for an output that the graph does not have
 */
export function placeholdersFor(
  node: readonly NodeDef[],
  outputs: readonly string[],
  fed: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const nodes = new Map(node.map((one) => [one.name, one]));
  const roots = outputs.map((name) => parseEdge(knownTensor(nodes, name)).node);
  const needed = neededFor(indexOf(nodes), roots, fed);
  return signatureNames(
    node
      .filter(({ name, op }) => op === "Placeholder" && needed.has(name))
      .map(({ name }) => tensorName(name)),
  );
}

/** Names for tensors that can be arguments in Python: the last part of the node's name, or all of it if two share that. */
export function signatureNames(tensors: readonly string[]): Record<string, string> {
  const argument = (text: string) => text.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "_");
  const short = (tensor: string) => {
    const edge = parseEdge(tensor);
    const last = edge.node.slice(edge.node.lastIndexOf("/") + 1);
    return argument(edge.control || edge.output === 0 ? last : `${last}_${edge.output}`);
  };
  const taken = new Map<string, number>();
  for (const tensor of tensors) taken.set(short(tensor), (taken.get(short(tensor)) ?? 0) + 1);
  const long = (tensor: string) => argument(tensor.replace(/:0$/, ""));
  return Object.fromEntries(
    tensors.map((tensor) => [taken.get(short(tensor)) === 1 ? short(tensor) : long(tensor), tensor]),
  );
}

/** "x:0" for "x". */
export function knownTensor(nodes: ReadonlyMap<string, NodeDef>, name: string): string {
  const edge = parseEdge(name);
  if (edge.control) throw invalidArgument(`"${name}" names no tensor; write node or node:output.`);
  if (nodes.has(edge.node)) return tensorName(edge.node, edge.output);
  throw notFound(`The graph has no node "${edge.node}".${didYouMean(edge.node, nodes.keys())}`);
}
