import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { OpDef, OpDef_ArgDef } from "../../../protos/generated/tensorflow/op_def.js";
import type { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { whyNotFunction } from "../function-border.js";
import { hasEffect, isStateful } from "../function-effects.js";
import type { GraphDocument, RunConfig } from "../model.js";
import { withPosition } from "../node-places.js";
import type { NodeChange, Operation } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { dataInput, parseInput, parseTensorName, tensorName, uniqueName } from "../tensor-names.js";
import { ancestors, wiringOf } from "../wiring.js";
import { firstFreePlace, originOf } from "./paste.js";
import { commonScope } from "./rename.js";
import { changeEachConfig } from "./run-configs.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.extractFunction;

/** A tensor that crosses the border of a function. */
interface Crossing {
  /** As `NodeDef.input` names it in the graph: "x", "x:1". */
  readonly tensor: string;
  readonly node: string;
  readonly output: number;
  readonly dtype: DataType;
  /** The name of the argument or result. */
  readonly name: string;
}

/** The result for the nodes. */
interface Extraction {
  readonly document: GraphDocument;
  readonly lookup: OpLookup;
  /** In the document's order. */
  readonly inside: readonly NodeDef[];
  readonly names: ReadonlySet<string>;
  readonly args: readonly Crossing[];
  readonly results: readonly Crossing[];
  /** Nodes that something outside waits for, or that a run asks for, or that are run for their effect. */
  readonly effects: readonly string[];
}

/**
 * Makes nodes a function of the graph's library, with what they read as its arguments and what others read of them as
 * its results, and puts one node that calls it in their place. The call is a PartitionedCall, or a
 * StatefulPartitionedCall if a node of it has state, as TensorFlow's own functions decide it.
 */
export function extractFunction(
  document: GraphDocument,
  lookup: OpLookup,
  nodes: readonly string[],
): EditResult {
  const names = new Set(nodes.filter((name) => document.nodes.has(name)));
  if (names.size === 0) return refused(texts.document.edits.common.nothingSelected);
  const reason = whyNotFunction(document, lookup, names);
  if (reason !== undefined) return refused(reason);
  const extraction = extractionOf(document, lookup, names);
  if (typeof extraction === "string") return refused(extraction);
  const name = functionName(document, lookup, [...names]);
  const call = callOf(extraction, name);
  const { inside } = extraction;
  return edit({
    label: words.label({ nodes: nodesText([...names]), name }),
    operations: [
      libraryOperation(document.metaGraph, functionOf(extraction, name)),
      { type: "nodes", changes: nodeChanges(extraction, call) },
      ...layoutOperations(document, inside, call),
      ...changeEachConfig(document, (config) => inRunConfig(config, extraction, call.name)),
    ],
    select: [call.name],
  });
}

function extractionOf(
  document: GraphDocument,
  lookup: OpLookup,
  names: ReadonlySet<string>,
): Extraction | string {
  const inside = [...document.nodes.values()].filter(({ name }) => names.has(name));
  const { incoming, outgoing } = wiringOf(document.nodes);
  const taken = new Set(inside.map(({ name }) => name));
  const crossing = (node: string, output: number, fallback: string): Crossing | string => {
    const producer = document.nodes.get(node);
    const slot = producer && signatureOf(producer, lookup)?.outputs[output];
    if (!slot || slot.dtype === 0) return words.typeNotKnown({ tensor: tensorName(node, output) });
    const name = uniqueName(argumentName(node, fallback), taken);
    taken.add(name);
    return { tensor: dataInput(node, output), node, output, dtype: slot.dtype, name };
  };
  const args = new Map<string, Crossing>();
  const results = new Map<string, Crossing>();
  const waited = new Set<string>();
  const add = (to: Map<string, Crossing>, node: string, output: number, fallback: string) => {
    const key = tensorName(node, output);
    if (to.has(key)) return undefined;
    const made = crossing(node, output, fallback);
    if (typeof made === "string") return made;
    to.set(key, made);
    return undefined;
  };
  const asked = askedOf(document, names);
  for (const node of inside) {
    for (const { from, output } of incoming.get(node.name) ?? []) {
      const problem = output < 0 || names.has(from) ? undefined : add(args, from, output, "arg");
      if (problem !== undefined) return problem;
    }
  }
  for (const node of inside) {
    const readers = outgoing.get(node.name) ?? [];
    const outside = readers.filter(({ to }) => !names.has(to));
    const isLast = readers.length === 0;
    const count = signatureOf(node, lookup)?.outputs.length ?? 0;
    const read = new Set([
      ...outside.map(({ output }) => output).filter((output) => output >= 0),
      ...(asked.tensors.get(node.name) ?? []),
      ...(isLast ? Array.from({ length: count }, (_, output) => output) : []),
    ]);
    for (const output of [...read].sort((one, other) => one - other)) {
      const problem = add(results, node.name, output, "result");
      if (problem !== undefined) return problem;
    }
    const isWaitedFor = outside.some(({ output }) => output < 0) || asked.targets.has(node.name);
    if (isWaitedFor || (isLast && count === 0)) waited.add(node.name);
  }
  const withEffect = inside.filter((node) => hasEffect(node, lookup)).map(({ name }) => name);
  const exits = new Set([...[...results.values()].map(({ node }) => node), ...waited]);
  for (const exit of exits) {
    const needed = ancestors(document.nodes, [exit]);
    const more = withEffect.find((name) => !needed.has(name));
    if (more !== undefined) {
      return words.runForAll({ node: more, exit });
    }
  }
  const stateful = inside.filter((node) => isStateful(node, lookup)).map(({ name }) => name);
  return {
    ...{ document, lookup, inside, names },
    args: [...args.values()],
    results: [...results.values()],
    effects: [...new Set([...waited, ...stateful])],
  };
}

/** The requests of runs for the nodes by name. */
function askedOf({ runConfig, otherRuns }: GraphDocument, names: ReadonlySet<string>) {
  const tensors = new Map<string, number[]>();
  const targets = new Set<string>();
  for (const { fetches, targets: run, stops } of [runConfig, ...otherRuns]) {
    for (const tensor of [...fetches, ...stops.map((stop) => stop.tensor)]) {
      const { node, output } = parseTensorName(tensor);
      if (names.has(node)) tensors.set(node, [...(tensors.get(node) ?? []), output]);
    }
    for (const name of run) if (names.has(name)) targets.add(name);
  }
  return { tensors, targets };
}

/** An argument's name as TensorFlow derives it from a node's: lower case letters, digits and _, beginning with a letter. */
function argumentName(node: string, fallback: string): string {
  const plain = node
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .replace(/^[^a-z]+/, "");
  return plain === "" ? fallback : plain;
}

/** A name that neither an op, a function nor a node has: after the scope of the nodes, if they have one. */
function functionName(document: GraphDocument, lookup: OpLookup, nodes: readonly string[]): string {
  const scope = commonScope(nodes).split("/").at(-1) ?? "";
  const wanted = scope === "" ? "extracted" : scope.replace(/[^A-Za-z0-9_]+/g, "_");
  const isTaken = (name: string) => lookup(name) !== undefined || document.nodes.has(name);
  return uniqueName(wanted, { has: isTaken });
}

function functionOf({ inside, names, args, results, effects, document, lookup }: Extraction, name: string) {
  const argOf = ({ name: arg, dtype }: Crossing) => OpDef_ArgDef.fromPartial({ name: arg, type: dtype });
  const inputs = new Map(args.map((arg) => [tensorName(arg.node, arg.output), arg.name]));
  const inBody = (text: string): readonly string[] => {
    const reference = parseInput(text);
    if (reference.kind === "missing") return [text];
    if (reference.kind === "control") return names.has(reference.node) ? [text] : [];
    const { node, output } = reference;
    return [inputs.get(tensorName(node, output)) ?? bodyTensor(document, lookup, node, output)];
  };
  // Not copied by fromPartial: weights of large constants stay shared with the steps that can be undone.
  return {
    ...FunctionDef.fromPartial({}),
    signature: OpDef.fromPartial({
      name,
      inputArg: args.map(argOf),
      outputArg: results.map(argOf),
      controlOutput: [...effects],
      isStateful: inside.some((node) => isStateful(node, lookup)),
    }),
    nodeDef: inside.map((node) => {
      const place = document.layout.get(node.name);
      const placed = place ? withPosition(node, place) : node;
      return { ...placed, input: node.input.flatMap(inBody) };
    }),
    ret: new Map(
      results.map((result) => [result.name, bodyTensor(document, lookup, result.node, result.output)]),
    ),
    controlRet: new Map(effects.map((effect) => [effect, effect])),
  };
}

/** "node:output_arg:0": how a function's body names a tensor. */
function bodyTensor({ nodes }: GraphDocument, lookup: OpLookup, name: string, output: number): string {
  const node = nodes.get(name);
  const slot = node && signatureOf(node, lookup)?.outputs[output];
  return `${name}:${slot?.arg.name ?? ""}:${slot?.position ?? 0}`;
}

function callOf({ document, inside, names, args, results, lookup }: Extraction, name: string): NodeDef {
  const left = new Set([...document.nodes.keys()].filter((one) => !names.has(one)));
  const scope = commonScope([...names])
    .split("/")
    .slice(0, -1)
    .join("/");
  const isPinnedTogether = inside.every(({ device }) => device === inside[0]?.device);
  const waits = new Set(
    inside.flatMap(({ input }) =>
      input.filter((text) => {
        const reference = parseInput(text);
        return reference.kind === "control" && !names.has(reference.node);
      }),
    ),
  );
  const types = (list: readonly Crossing[]): AttrValue => ({
    value: {
      $case: "list",
      value: {
        s: [],
        i: [],
        f: [],
        b: [],
        type: list.map(({ dtype }) => dtype),
        shape: [],
        tensor: [],
        func: [],
      },
    },
  });
  return {
    ...NodeDef.fromPartial({}),
    name: uniqueName(scope === "" ? name : `${scope}/${name}`, left),
    op: inside.some((node) => isStateful(node, lookup)) ? "StatefulPartitionedCall" : "PartitionedCall",
    device: isPinnedTogether ? (inside[0]?.device ?? "") : "",
    input: [...args.map(({ tensor }) => tensor), ...waits],
    attr: new Map<string, AttrValue>([
      ["Tin", types(args)],
      ["Tout", types(results)],
      ["f", { value: { $case: "func", value: { name, attr: new Map() } } }],
    ]),
  };
}

function nodeChanges({ document, inside, names, results }: Extraction, call: NodeDef): NodeChange[] {
  const changes: NodeChange[] = [];
  const outputs = new Map(results.map(({ node, output }, index) => [tensorName(node, output), index]));
  const readers = new Set(
    inside.flatMap(({ name }) => (wiringOf(document.nodes).outgoing.get(name) ?? []).map(({ to }) => to)),
  );
  let index = 0;
  let first: number | undefined;
  for (const before of document.nodes.values()) {
    if (names.has(before.name)) {
      changes.push({ before, index });
      first ??= index;
    } else if (readers.has(before.name)) {
      changes.push({ before, after: readingCall(before, names, outputs, call.name), index: 0 });
    }
    index++;
  }
  return [...changes, { after: call, index: first ?? 0 }];
}

/** A node outside that read nodes of the function, and now reads the call. */
function readingCall(
  node: NodeDef,
  names: ReadonlySet<string>,
  outputs: ReadonlyMap<string, number>,
  call: string,
): NodeDef {
  const input = node.input.map((text) => {
    const reference = parseInput(text);
    if (reference.kind === "missing" || !names.has(reference.node)) return text;
    if (reference.kind === "control") return `^${call}`;
    return dataInput(call, outputs.get(tensorName(reference.node, reference.output)) ?? 0);
  });
  // Several of its nodes may have been waited for.
  return { ...node, input: input.filter((text, at) => !text.startsWith("^") || input.indexOf(text) === at) };
}

/** The call comes where its nodes began, or below, where it covers no other node. */
function layoutOperations(document: GraphDocument, inside: readonly NodeDef[], call: NodeDef): Operation[] {
  const moves = inside.flatMap(({ name }) => {
    const from = document.layout.get(name);
    return from ? [{ node: name, from }] : [];
  });
  if (moves.length === 0) return [];
  const origin = originOf(moves.map(({ from }) => from));
  const left = new Set(inside.map(({ name }) => name));
  const others = [...document.nodes.values()].filter(({ name }) => !left.has(name));
  const to = firstFreePlace(origin, [call], new Map(), others, document.layout);
  return [{ type: "layout", moves: [...moves, { node: call.name, to }] }];
}

function inRunConfig(config: RunConfig, { names, results }: Extraction, call: string): RunConfig {
  const outputs = new Map(results.map(({ node, output }, index) => [tensorName(node, output), index]));
  const tensor = (name: string) => {
    const { node, output } = parseTensorName(name);
    const index = outputs.get(tensorName(node, output));
    return index === undefined || !names.has(node) ? name : tensorName(call, index);
  };
  const fetches = config.fetches.map(tensor);
  const stops = config.stops.map((stop) => ({ ...stop, tensor: tensor(stop.tensor) }));
  const targets = [...new Set(config.targets.map((name) => (names.has(name) ? call : name)))];
  const isSame =
    fetches.every((name, index) => name === config.fetches[index]) &&
    stops.every((stop, index) => stop.tensor === config.stops[index]?.tensor) &&
    targets.length === config.targets.length &&
    targets.every((name, index) => name === config.targets[index]);
  return isSame ? config : { ...config, fetches, stops, targets };
}

function libraryOperation(metaGraph: MetaGraphDef, added: FunctionDef): Operation {
  const graphDef = metaGraph.graphDef ?? GraphDef.fromPartial({});
  const library = graphDef.library ?? FunctionDefLibrary.fromPartial({});
  const after = {
    ...metaGraph,
    graphDef: { ...graphDef, library: { ...library, function: [...library.function, added] } },
  };
  return { type: "meta-graph", before: metaGraph, after };
}
