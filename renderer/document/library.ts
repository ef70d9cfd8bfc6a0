/** The functions of a document's library, and the nodes that call them. */
import { type FunctionDef, FunctionDefLibrary } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { namedFunctions } from "./function-effects.js";
import type { GraphDocument } from "./model.js";

type Library = ReadonlyMap<string, FunctionDef>;

const remembered = new WeakMap<readonly FunctionDef[], Library>();
const NONE: readonly FunctionDef[] = [];

/** All functions, in the order of the file. */
export function functionsOf({ graphDef }: MetaGraphDef): readonly FunctionDef[] {
  return graphDef?.library?.function ?? NONE;
}

/** The functions by name. */
export function libraryOf(metaGraph: MetaGraphDef): Library {
  const functions = functionsOf(metaGraph);
  const known = remembered.get(functions);
  if (known) return known;
  const library = new Map(functions.map((definition) => [nameOf(definition), definition]));
  remembered.set(functions, library);
  return library;
}

export function nameOf({ signature }: FunctionDef): string {
  return signature?.name ?? "";
}

/** The document's parts besides nodes, with other functions. */
export function withFunctions(metaGraph: MetaGraphDef, functions: readonly FunctionDef[]): MetaGraphDef {
  const graphDef = metaGraph.graphDef ?? GraphDef.fromPartial({});
  const library = graphDef.library ?? FunctionDefLibrary.fromPartial({});
  return { ...metaGraph, graphDef: { ...graphDef, library: { ...library, function: [...functions] } } };
}

/** A function that a node calls. */
export interface Call {
  /** The attribute that names it: "f", "then_branch", "branches[1]"; empty if the node's op is the function. */
  readonly as: string;
  readonly name: string;
}

/** The functions of the library that a node calls, in the order of its op's attributes as the node has them. */
export function callsOf(node: NodeDef, { metaGraph }: Pick<GraphDocument, "metaGraph">): readonly Call[] {
  const library = libraryOf(metaGraph);
  if (library.size === 0) return [];
  const calls: Call[] = library.has(node.op) ? [{ as: "", name: node.op }] : [];
  for (const [as, { value }] of node.attr) {
    if (value?.$case === "func") calls.push({ as, name: value.value.name });
    if (value?.$case === "list") {
      value.value.func.forEach(({ name }, index) => {
        calls.push({ as: `${as}[${index}]`, name });
      });
    }
  }
  return calls.filter(({ name }) => library.has(name));
}

/** The function that is opened first of several that a node calls: what a loop does before what ends it. */
export function mainCall(calls: readonly Call[]): Call | undefined {
  return calls.find(({ as }) => as === "body" || as === "then_branch") ?? calls[0];
}

/** A function of the library as the list of them tells it. */
export interface FunctionUse {
  readonly definition: FunctionDef;
  /** Nodes of the graph and of other functions that call it; one that names it twice counts twice. */
  readonly calls: number;
  /** False if no node of the graph calls it, nor any function that one calls: it can be deleted. */
  readonly isUsed: boolean;
}

/** All functions with the number of their calls. */
export function functionUses({
  nodes,
  metaGraph,
}: Pick<GraphDocument, "nodes" | "metaGraph">): FunctionUse[] {
  const library = libraryOf(metaGraph);
  const calls = new Map<string, number>();
  const count = (node: NodeDef) => {
    for (const name of namedFunctions(node)) {
      if (library.has(name)) calls.set(name, (calls.get(name) ?? 0) + 1);
    }
  };
  for (const node of nodes.values()) count(node);
  for (const { nodeDef } of library.values()) nodeDef.forEach(count);
  const used = usedFunctions(nodes.values(), metaGraph);
  return [...library].map(([name, definition]) => ({
    definition,
    calls: calls.get(name) ?? 0,
    isUsed: used.has(name),
  }));
}

/** Names of the functions that these nodes call, and that those call in turn, with their gradients. */
export function usedFunctions(nodes: Iterable<NodeDef>, metaGraph: MetaGraphDef): ReadonlySet<string> {
  const library = libraryOf(metaGraph);
  const gradients = metaGraph.graphDef?.library?.gradient ?? [];
  const used = new Set<string>();
  const open: string[] = [];
  const use = (name: string) => {
    if (!library.has(name) || used.has(name)) return;
    used.add(name);
    open.push(name);
  };
  for (const node of nodes) for (const name of namedFunctions(node)) use(name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const node of library.get(name)?.nodeDef ?? [])
      for (const called of namedFunctions(node)) use(called);
    for (const { functionName, gradientFunc } of gradients) if (functionName === name) use(gradientFunc);
  }
  return used;
}

/** The names of these nodes that call functions which differ between two libraries, or lead to such. */
export function callersOfChanged(
  nodes: ReadonlyMap<string, NodeDef>,
  before: MetaGraphDef,
  after: MetaGraphDef,
): ReadonlySet<string> {
  const [were, are] = [libraryOf(before), libraryOf(after)];
  const changed = new Set<string>();
  for (const [name, definition] of are) if (were.get(name) !== definition) changed.add(name);
  for (const name of were.keys()) if (!are.has(name)) changed.add(name);
  const leads = (node: NodeDef) => namedFunctions(node).some((name) => changed.has(name));
  for (let count = -1; count < changed.size && changed.size > 0; ) {
    count = changed.size;
    for (const [name, { nodeDef }] of are) if (!changed.has(name) && nodeDef.some(leads)) changed.add(name);
  }
  const callers = new Set<string>();
  if (changed.size > 0) for (const node of nodes.values()) if (leads(node)) callers.add(node.name);
  return callers;
}

/** Whether the functions of two libraries are called the same way. */
export function sameSignatures(before: MetaGraphDef, after: MetaGraphDef): boolean {
  const [were, are] = [functionsOf(before), functionsOf(after)];
  return were.length === are.length && were.every((one, index) => one.signature === are[index]?.signature);
}
