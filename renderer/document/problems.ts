/** Problems of a node, found without running it. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { atOnce, paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import { callProblems, slicedCalls } from "./call-problems.js";
import { differingKeys } from "./differing-keys.js";
import { outputType } from "./follow-types.js";
import { MapDraft } from "./layered-map.js";
import type { GraphDocument } from "./model.js";
import type { NodeProblem, ProblemMap } from "./node-problem.js";
import { type ShapeMap, slicedShapes } from "./shapes.js";
import { dataInputs, type NodeSignature, type OpLookup, signatureOf } from "./signature.js";
import { parseInput } from "./tensor-names.js";
import { type Wiring, wiringOf } from "./wiring.js";

const words = texts.document.problems;

export type { NodeProblem, ProblemMap } from "./node-problem.js";

/** The problems by node, in the order of the document. */
export function problemsInOrder(
  problems: ProblemMap,
  nodes: GraphDocument["nodes"],
): [node: string, list: readonly NodeProblem[]][] {
  const ordered: [string, readonly NodeProblem[]][] = [];
  if (problems.size === 0) return ordered;
  for (const name of nodes.keys()) {
    const list = problems.get(name);
    if (list) ordered.push([name, list]);
  }
  return ordered;
}

/** Those of graphs with a circle. */
const circular = new WeakSet<ProblemMap>();

/** The problems of nodes that are on a circle. */
export function circleProblems(problems: ProblemMap): NodeProblem[] {
  if (!circular.has(problems)) return [];
  return [...problems.values()].flat().filter(({ short }) => short === words.circular.short);
}

/** @param opsKnown false while the op list is not there: an op that is not found is then no problem */
export function findProblems(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  opsKnown: boolean,
): ProblemMap {
  return atOnce(slicedProblems(document, lookup, shapes, opsKnown));
}

/** As `findProblems`, in slices. */
export function* slicedProblems(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  opsKnown: boolean,
): Sliced<ProblemMap> {
  yield* slicedCalls(document.nodes.values(), lookup, examination(opsKnown));
  return yield* slicedOwnProblems(document, lookup, shapes, opsKnown);
}

/** As `slicedProblems`, with the bodies that are called examined already. */
function* slicedOwnProblems(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  opsKnown: boolean,
): Sliced<ProblemMap> {
  const problems = new Map<string, readonly NodeProblem[]>();
  yield* paused(document.nodes.values(), (node) => {
    const found = ownProblems(node, document, lookup, shapes, opsKnown);
    if (found.length > 0) problems.set(node.name, found);
  });
  for (const name of yield* circle(document.nodes)) {
    if (problems.has(name)) continue;
    problems.set(name, [onCircle(name)]);
    circular.add(problems);
  }
  return problems;
}

/** The problems in the body of a function, of whose arguments no shapes are known, as where it is opened. */
function examination(opsKnown: boolean) {
  return {
    opsKnown,
    *examine(nodes: GraphDocument["nodes"], lookup: OpLookup): Sliced<ProblemMap> {
      const shapes = yield* slicedShapes(nodes, lookup);
      return yield* slicedOwnProblems({ nodes }, lookup, shapes, opsKnown);
    },
  };
}

/** Edits of more nodes than this are looked through as a whole. */
const MAX_CHANGED = 64;

/**
 * Problems after an edit, from those before it: only `touched` and nodes whose shapes differ are checked again. The
 * same object if nothing changed.
 *
 * @param edit names of nodes that were changed, added or removed; `touched`: and of what reads them; `rewired`: those with
 *   other inputs
 */
export function findProblemsAgain(
  before: { readonly problems: ProblemMap; readonly shapes: ShapeMap },
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  opsKnown: boolean,
  { changed, touched, rewired }: ProblemEdit,
): ProblemMap {
  const { nodes } = document;
  const wiring = wiringOf(nodes);
  const hadCircle = circular.has(before.problems);
  if (changed.size > MAX_CHANGED || hadCircle || rewired.some((name) => isOnCircle(name, nodes, wiring))) {
    return findProblems(document, lookup, shapes, opsKnown);
  }
  const looked = new Set(touched);
  for (const name of differingKeys(before.shapes.errors, shapes.errors)) looked.add(name);
  const nodesToLook = [...looked].flatMap((name) => nodes.get(name) ?? []);
  atOnce(slicedCalls(nodesToLook, lookup, examination(opsKnown)));
  const problems = new MapDraft(before.problems);
  let differs = false;
  for (const name of looked) {
    const node = nodes.get(name);
    const found = node ? ownProblems(node, document, lookup, shapes, opsKnown) : [];
    const known = before.problems.get(name) ?? [];
    if (found.length === known.length && JSON.stringify(found) === JSON.stringify(known)) continue;
    differs = true;
    problems.set(name, found.length > 0 ? found : undefined);
  }
  return differs ? problems.done() : before.problems;
}

interface ProblemEdit {
  readonly changed: ReadonlySet<string>;
  readonly touched: ReadonlySet<string>;
  readonly rewired: readonly string[];
}

/**
 * Whether a node depends on itself. What it depends on and what depends on it are followed in turn: without a circle the
 * smaller of both ends the search.
 */
function isOnCircle(start: string, nodes: ReadonlyMap<string, NodeDef>, wiring: Wiring): boolean {
  const counts = (to: string) => !isMerge(nodes.get(to));
  const after = (name: string) =>
    (wiring.outgoing.get(name) ?? []).flatMap(({ to }) => (counts(to) ? [to] : []));
  const before = (name: string) =>
    counts(name) ? (wiring.incoming.get(name) ?? []).map(({ from }) => from) : [];
  const searches = [reaching(start, after), reaching(start, before)];
  for (;;) {
    for (const search of searches) {
      const { done, value } = search.next();
      if (done === true) return value;
    }
  }
}

/** Goes on from a node step by step; returns whether it came back to it. */
function* reaching(start: string, next: (name: string) => readonly string[]): Generator<void, boolean, void> {
  const seen = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const to of next(name)) {
      if (to === start) return true;
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
    yield;
  }
  return false;
}

/** Loops of TensorFlow 1 go round through a Merge. */
function isMerge(node: NodeDef | undefined): boolean {
  return node !== undefined && roleOf(node.op) === "merge";
}

function ownProblems(
  node: NodeDef,
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  opsKnown: boolean,
): NodeProblem[] {
  const signature = signatureOf(node, lookup);
  const found = signature ? problemsOf(node, signature, document, lookup) : opsKnown ? [unknownOp(node)] : [];
  found.push(...callProblems(node, lookup));
  const shapeError = shapes.errors.get(node.name);
  if (found.length === 0 && shapeError) found.push(shapeProblem(node, shapeError));
  return found;
}

function onCircle(name: string): NodeProblem {
  return {
    code: "INVALID_ARGUMENT",
    node: name,
    ...words.circular,
    message: words.circular.message({ node: name }),
  };
}

function unknownOp(node: NodeDef): NodeProblem {
  return {
    code: "NOT_FOUND",
    node: node.name,
    ...words.unknownOp,
    message: words.unknownOp.message({ op: node.op }),
  };
}

/** The `short` of problems that `parts/problem-fixes.tsx` can fix. */
export const SHAPES_DIFFER = words.shapesDiffer.short;
export const DTYPES_DIFFER = words.dtypesDiffer.short;

function shapeProblem(node: NodeDef, message: string): NodeProblem {
  return {
    code: "INVALID_ARGUMENT",
    node: node.name,
    short: SHAPES_DIFFER,
    // The rule names op and node as TensorFlow does; here the node is enough.
    message: message.replace(/^\S+ node "[^"]*": /, `${node.name}: `),
    remedy: words.shapesDiffer.remedy,
  };
}

function problemsOf(
  node: NodeDef,
  signature: NodeSignature,
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
): NodeProblem[] {
  const problems: NodeProblem[] = [];
  const invalid = (short: string, message: string, remedy: string, input?: number) => {
    problems.push({
      code: "INVALID_ARGUMENT",
      node: node.name,
      short,
      message,
      remedy,
      ...(input === undefined ? {} : { input }),
    });
  };
  for (const definition of signature.opDef.attr) {
    if (definition.defaultValue || node.attr.get(definition.name)?.value) continue;
    const attribute = definition.name;
    invalid(
      words.notSet.short({ attribute }),
      words.notSet.message({ node: node.name, attribute }),
      words.notSet.remedy,
    );
  }
  const inputs = dataInputs(node);
  for (const slot of signature.inputs) {
    const reference = parseInput(inputs[slot.index] ?? "");
    const at = { input: slot.label, node: node.name };
    if (reference.kind !== "data") {
      invalid(
        words.missing.short({ input: slot.label }),
        words.missing.message(at),
        words.missing.remedy({ input: slot.label }),
        slot.index,
      );
      continue;
    }
    const producer = document.nodes.get(reference.node);
    if (!producer) {
      invalid(
        words.noProducer.short({ producer: reference.node }),
        words.noProducer.message({ ...at, producer: reference.node }),
        words.noProducer.remedy,
        slot.index,
      );
      continue;
    }
    const outputs = signatureOf(producer, lookup)?.outputs;
    if (outputs && !outputs[reference.output]) {
      invalid(
        words.noOutput.short({ tensor: inputs[slot.index] ?? "" }),
        words.noOutput.message({
          ...at,
          output: reference.output,
          producer: reference.node,
          count: outputs.length,
        }),
        words.noOutput.remedy,
        slot.index,
      );
      continue;
    }
    const dtype = outputType(document.nodes, lookup, reference.node, reference.output);
    if (dtype !== slot.dtype && dtype !== DataType.DT_INVALID && slot.dtype !== DataType.DT_INVALID) {
      invalid(
        DTYPES_DIFFER,
        words.dtypesDiffer.message({
          ...at,
          wanted: dtypeName(slot.dtype),
          producer: reference.node,
          given: dtypeName(dtype),
        }),
        words.dtypesDiffer.remedy,
        slot.index,
      );
    }
  }
  if (inputs.length > signature.inputs.length) {
    invalid(
      words.tooManyInputs.short,
      words.tooManyInputs.message({
        node: node.name,
        given: inputs.length,
        op: node.op,
        wanted: signature.inputs.length,
      }),
      words.tooManyInputs.remedy,
      signature.inputs.length,
    );
  }
  return problems;
}

/** Names of the nodes on circles; edges into Merge, which a while loop of TensorFlow 1 needs, do not count. */
function* circle(nodes: ReadonlyMap<string, NodeDef>): Sliced<string[]> {
  const waiting = new Map<string, number>();
  const consumers = new Map<string, string[]>();
  yield* paused(nodes.values(), (node) => {
    const producers = node.input.flatMap((text) => {
      const reference = parseInput(text);
      return reference.kind === "missing" || !nodes.has(reference.node) ? [] : [reference.node];
    });
    const counted = isMerge(node) ? [] : producers;
    waiting.set(node.name, counted.length);
    for (const producer of counted) {
      const list = consumers.get(producer);
      if (list) list.push(node.name);
      else consumers.set(producer, [node.name]);
    }
  });
  const ready: string[] = [];
  yield* paused(waiting, ([name, count]) => {
    if (count === 0) ready.push(name);
  });
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    waiting.delete(name);
    if (waiting.size % STEPS_AT_ONCE === 0) yield;
    for (const consumer of consumers.get(name) ?? []) {
      const left = (waiting.get(consumer) ?? 0) - 1;
      waiting.set(consumer, left);
      if (left === 0) ready.push(consumer);
    }
  }
  // Nodes after a cycle also wait; only those that also lead back into it are part of it.
  return [...waiting.keys()].filter((name) => leadsTo(name, name, consumers, waiting));
}

function leadsTo(
  from: string,
  to: string,
  consumers: ReadonlyMap<string, readonly string[]>,
  within: ReadonlyMap<string, number>,
): boolean {
  const seen = new Set<string>();
  const open = [...(consumers.get(from) ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === to) return true;
    if (seen.has(name) || !within.has(name)) continue;
    seen.add(name);
    open.push(...(consumers.get(name) ?? []));
  }
  return false;
}
