/** Which nodes give variables their first value and begin iterators, and which of them have to run before a run. Pure. */
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { indexOf } from "../../worker-runtime/graph/graph-index.js";
import { isInitialiser, isVariable } from "../../worker-runtime/graph/initialisers.js";
import { ancestors, wiringOf } from "./wiring.js";

export interface Initialisation {
  /** Operations that are run once, before everything else. */
  readonly targets: readonly string[];
  /** Variables that are needed, but that no node gives a first value. */
  readonly missing: readonly string[];
}

/**
 * The operations that begin all variables and iterators that `roots` depend on; of the former a single group, if the graph has one.
 *
 * @param live variables that have a value and keep it
 */
export function initialisation(
  nodes: ReadonlyMap<string, NodeDef>,
  roots: Iterable<string>,
  live: ReadonlySet<string> = new Set(),
): Initialisation {
  const found = new Set<string>();
  const missing: string[] = [];
  const iterators = new Set<string>();
  for (const name of ancestors(nodes, roots)) {
    for (const begin of beginningsOf(nodes, name)) iterators.add(begin);
    if (!isVariable(nodes.get(name)) || live.has(name)) continue;
    const initialiser = initialiserOf(nodes, name);
    if (initialiser === undefined) missing.push(name);
    else found.add(initialiser);
  }
  // A group may give values to others, too.
  const group = found.size > 0 && live.size === 0 ? smallestGroup(nodes, found) : undefined;
  return { targets: [...(group === undefined ? found : [group]), ...iterators], missing };
}

/** The nodes that make an iterator begin; none for other nodes. */
function beginningsOf(nodes: ReadonlyMap<string, NodeDef>, name: string): string[] {
  if (!/^Iterator(V2)?$/.test(nodes.get(name)?.op ?? "")) return [];
  return (wiringOf(nodes).outgoing.get(name) ?? []).flatMap(({ to, output }) =>
    output === 0 && nodes.get(to)?.op === "MakeIterator" ? [to] : [],
  );
}

/** The assignments of first values of just these variables, which other groups of assignments may contain, too. */
export function initialisersOf(
  nodes: ReadonlyMap<string, NodeDef>,
  variables: readonly string[],
): Initialisation {
  const found = variables.map((name) => [name, initialiserOf(nodes, name)] as const);
  return {
    targets: found.flatMap(([, initialiser]) => initialiser ?? []),
    missing: found.flatMap(([name, initialiser]) => (initialiser === undefined ? [name] : [])),
  };
}

/** The assignment of a variable's first value: the one with TensorFlow's own name, else the first. */
function initialiserOf(nodes: ReadonlyMap<string, NodeDef>, variable: string): string | undefined {
  const candidates = (wiringOf(nodes).outgoing.get(variable) ?? []).flatMap(({ to, input, output }) =>
    output === 0 && input === 0 && isInitialiser(indexOf(nodes), to) ? [to] : [],
  );
  return candidates.find((name) => name === `${variable}/Assign`) ?? candidates[0];
}

/** The smallest node that runs all of `wanted` and nothing but initialisers, as global_variables_initializer makes it. */
function smallestGroup(nodes: ReadonlyMap<string, NodeDef>, wanted: ReadonlySet<string>): string | undefined {
  let best: { readonly name: string; readonly size: number } | undefined;
  for (const { name, op } of nodes.values()) {
    if (op !== "NoOp") continue;
    const members = membersOf(nodes, name);
    if (members.size < wanted.size || (best && members.size >= best.size)) continue;
    if (![...wanted].every((one) => members.has(one))) continue;
    if ([...members].every((one) => isInitialiser(indexOf(nodes), one))) best = { name, size: members.size };
  }
  return best?.name;
}

/** The nodes that a group runs; groups of groups, one per device, are looked into. */
function membersOf(nodes: ReadonlyMap<string, NodeDef>, group: string): Set<string> {
  const members = new Set<string>();
  const seen = new Set<string>();
  const open = [group];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (nodes.get(name)?.op !== "NoOp") members.add(name);
    else for (const { from } of wiringOf(nodes).incoming.get(name) ?? []) open.push(from);
  }
  return members;
}

/** True when a run failed because a variable has no value, or an iterator no data, yet. The patterns are TensorFlow's texts. */
export function isUninitialised({ code, message, details }: Problem): boolean {
  if (code !== "FAILED_PRECONDITION" && code !== "NOT_FOUND") return false;
  return /uninitialized value|reading resource variable|Could not find variable|iterator has not been initialized/i.test(
    `${message} ${details ?? ""}`,
  );
}
