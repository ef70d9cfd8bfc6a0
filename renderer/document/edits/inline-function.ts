import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { colocatedNodes } from "../../../worker-runtime/graph/colocation-groups.js";
import { structureOf } from "../../../worker-runtime/graph/structural-ops.js";
import { texts } from "../../texts/texts.js";
import { hasEffect, isStateful, namedFunctions } from "../function-effects.js";
import { layeredLayout } from "../layout.js";
import type { GraphDocument, Point, RunConfig } from "../model.js";
import { positionOf, withoutPosition } from "../node-places.js";
import type { NodeChange, Operation } from "../operations.js";
import { controlInputs, dataInputs, type OpLookup, signatureOf } from "../signature.js";
import { dataInput, parseInput, parseTensorName, tensorName } from "../tensor-names.js";
import { ancestors, wiringOf } from "../wiring.js";
import { originOf } from "./paste.js";
import { renameColocations } from "./rename.js";
import { renameInMetaGraph } from "./rename-meta-graph.js";
import { changeEachConfig } from "./run-configs.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.inlineFunction;

/** The function of the graph's library that a node calls; undefined if it calls none. */
export function calledFunction({ metaGraph }: GraphDocument, { op, attr }: NodeDef): FunctionDef | undefined {
  const callee = attr.get("f")?.value;
  if (structureOf(op).calls !== "call" || callee?.$case !== "func") return undefined;
  const functions = metaGraph.graphDef?.library?.function ?? [];
  return functions.find(({ signature }) => signature?.name === callee.value.name);
}

/** The nodes in the place of a call. */
interface Body {
  readonly nodes: readonly NodeDef[];
  /** The output that each output of the call was, as `NodeDef.input` names it. */
  readonly outputs: readonly string[];
  /** The nodes that ran when the call did. */
  readonly last: readonly string[];
}

/**
 * Puts the nodes of a function in the place of a node that calls it: the reverse of `extractFunction`. They get the
 * names that they have in the function, or, where one is taken, those within the scope of the call. The function leaves
 * the library with its last call.
 */
export function inlineFunction(document: GraphDocument, lookup: OpLookup, name: string): EditResult {
  const call = document.nodes.get(name);
  const definition = call && calledFunction(document, call);
  if (!call || !definition) return refused(words.callsNone({ node: name }));
  const reason = whyNotInline(document, lookup, call, definition);
  if (reason !== undefined) return refused(reason);
  const body = bodyOf(document, lookup, call, definition);
  if (typeof body === "string") return refused(body);
  return edit({
    label: words.label({ name: definition.signature?.name ?? "", node: name }),
    operations: [
      { type: "nodes", changes: nodeChanges(document, call, body) },
      layoutOperation(document, call, body.nodes),
      ...libraryOperations(document, call, definition),
      ...changeEachConfig(document, (config) => inRunConfig(config, name, body)),
    ],
    select: body.nodes.map((node) => node.name),
  });
}

function whyNotInline(
  document: GraphDocument,
  lookup: OpLookup,
  call: NodeDef,
  { signature, nodeDef }: FunctionDef,
): string | undefined {
  const { name } = call;
  if (!signature || nodeDef.length === 0) return words.empty({ node: name });
  if (signature.attr.length > 0 || [...signature.inputArg, ...signature.outputArg].some(isList)) {
    return words.generic({ name: signature.name });
  }
  const unknown = nodeDef.find((node) => !signatureOf(node, lookup));
  if (unknown) return words.opNotKnown({ node: unknown.name, op: unknown.op });
  if (dataInputs(call).some((input) => parseInput(input).kind === "missing")) {
    return words.notConnected({ node: name });
  }
  const partner = [...document.nodes.values()].find(
    ({ attr, name: other }) => other !== name && colocatedNodes(attr).includes(name),
  );
  if (partner) return words.colocated({ other: partner.name, node: name });
  if (renameInMetaGraph(document.metaGraph, name, `${name}?`) !== document.metaGraph) {
    return words.named({ node: name });
  }
  const { feeds } = document.runConfig;
  const fed = Object.keys(feeds).some((tensor) => parseTensorName(tensor).node === name);
  return fed ? words.fed({ node: name }) : undefined;
}

const isList = (arg: {
  readonly numberAttr: string;
  readonly typeListAttr: string;
  readonly typeAttr: string;
}) => arg.numberAttr !== "" || arg.typeListAttr !== "" || arg.typeAttr !== "";

function bodyOf(
  document: GraphDocument,
  lookup: OpLookup,
  call: NodeDef,
  { signature, nodeDef, ret, controlRet }: FunctionDef,
): Body | string {
  const isFree = nodeDef.every(({ name }) => name === call.name || !document.nodes.has(name));
  const names = new Map(nodeDef.map(({ name }) => [name, isFree ? name : `${call.name}/${name}`]));
  const clash = [...names.values()].find((name) => name !== call.name && document.nodes.has(name));
  if (clash !== undefined) return words.taken({ name: clash });
  const tensors = new Map<string, string>();
  const args = dataInputs(call);
  for (const [index, { name }] of (signature?.inputArg ?? []).entries()) tensors.set(name, args[index] ?? "");
  for (const node of nodeDef) {
    for (const { arg, position, index } of signatureOf(node, lookup)?.outputs ?? []) {
      const tensor = dataInput(names.get(node.name) ?? "", index);
      tensors.set(`${node.name}:${arg.name}:${position}`, tensor);
      // Without a number, the output of an argument that is not a list is meant.
      if (position === 0) tensors.set(`${node.name}:${arg.name}`, tensor);
    }
  }
  const waits = controlInputs(call);
  const nodes = nodeDef.map((node): NodeDef => {
    const input = node.input.map((text) => {
      if (!text.startsWith("^")) return tensors.get(text) ?? text;
      const own = names.get(text.slice(1));
      if (own !== undefined) return `^${own}`;
      const reference = parseInput(tensors.get(text.slice(1)) ?? text);
      return reference.kind === "missing" ? text : `^${reference.node}`;
    });
    const isFirst = !node.input.some((text) => names.has(text.replace(/^\^/, "").split(":")[0] ?? ""));
    const renamed = { ...node, name: names.get(node.name) ?? node.name };
    const all = isFirst ? [...new Set([...input.filter(isControl), ...waits])] : input.filter(isControl);
    const device = node.device === "" ? call.device : node.device;
    return renameColocations(
      { ...renamed, device, input: [...input.filter((text) => !isControl(text)), ...all] },
      names,
    );
  });
  const outputs = (signature?.outputArg ?? []).map(({ name }) => tensors.get(ret.get(name) ?? "") ?? "");
  const lost = effectNotNeeded(lookup, nodes, outputs);
  if (lost !== undefined && outputs.length > 0) {
    return words.effectLost({ node: lost });
  }
  const stateful = nodes.filter((node) => isStateful(node, lookup)).map(({ name }) => name);
  const waited = [...controlRet.values()].map((name) => names.get(name) ?? name);
  const made = outputs.flatMap((tensor) => {
    const reference = parseInput(tensor);
    return reference.kind === "missing" ? [] : [reference.node];
  });
  const done = [...new Set([...waited, ...stateful])];
  return { nodes, outputs, last: done.length > 0 ? done : [...new Set(made)] };
}

const isControl = (text: string): boolean => text.startsWith("^");

/** A node with an effect that some output does not depend on. */
function effectNotNeeded(
  lookup: OpLookup,
  nodes: readonly NodeDef[],
  outputs: readonly string[],
): string | undefined {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const withEffect = nodes.filter((node) => hasEffect(node, lookup));
  if (withEffect.length === 0) return undefined;
  for (const output of outputs) {
    const needed = ancestors(byName, [parseTensorName(output).node]);
    const lost = withEffect.find(({ name }) => !needed.has(name));
    if (lost) return lost.name;
  }
  return undefined;
}

function nodeChanges(document: GraphDocument, call: NodeDef, { nodes, outputs, last }: Body): NodeChange[] {
  const index = [...document.nodes.keys()].indexOf(call.name);
  const readers = new Set((wiringOf(document.nodes).outgoing.get(call.name) ?? []).map(({ to }) => to));
  const changes: NodeChange[] = [{ before: call, index }];
  for (const name of readers) {
    const before = document.nodes.get(name);
    if (!before) continue;
    const input = before.input.flatMap((text) => {
      const reference = parseInput(text);
      if (reference.kind === "missing" || reference.node !== call.name) return [text];
      if (reference.kind === "control") return last.map((one) => `^${one}`);
      return [outputs[reference.output] ?? text];
    });
    const once = input.filter((text, at) => !isControl(text) || input.indexOf(text) === at);
    changes.push({ before, after: { ...before, input: once }, index: 0 });
  }
  return [
    ...changes,
    ...nodes.map((node, offset) => ({ after: withoutPosition(node), index: index + offset })),
  ];
}

/** Where they were when they were extracted, from the place of the call; otherwise arranged there. */
function layoutOperation({ layout }: GraphDocument, call: NodeDef, nodes: readonly NodeDef[]): Operation {
  const from = layout.get(call.name);
  const gone = from ? [{ node: call.name, from }] : [];
  if (!from) return { type: "layout", moves: gone };
  const known = new Map(
    nodes.flatMap((node): [string, Point][] => {
      const place = positionOf(node);
      return place ? [[node.name, place]] : [];
    }),
  );
  const places =
    known.size === nodes.length ? known : layeredLayout(new Map(nodes.map((node) => [node.name, node])));
  const origin = originOf([...places.values()]);
  const moves = [...places].map(([node, { x, y }]) => ({
    node,
    to: { x: from.x + x - origin.x, y: from.y + y - origin.y },
  }));
  return { type: "layout", moves: [...gone, ...moves] };
}

/** Takes the function out of the library if nothing else names it. */
function libraryOperations(document: GraphDocument, call: NodeDef, definition: FunctionDef): Operation[] {
  const { metaGraph, nodes } = document;
  const { graphDef } = metaGraph;
  if (!graphDef?.library) return [];
  const { library } = graphDef;
  const name = definition.signature?.name ?? "";
  const others = [
    ...[...nodes.values()].filter((node) => node !== call),
    ...library.function.flatMap((one) => (one === definition ? [] : one.nodeDef)),
  ];
  const gradients = library.gradient.flatMap(({ functionName, gradientFunc }) => [
    functionName,
    gradientFunc,
  ]);
  if (gradients.includes(name) || others.some((node) => namedFunctions(node).includes(name))) return [];
  const left = library.function.filter((one) => one !== definition);
  const after = {
    ...metaGraph,
    graphDef: { ...graphDef, library: { ...library, function: left } },
  };
  return [{ type: "meta-graph", before: metaGraph, after }];
}

function inRunConfig(config: RunConfig, call: string, { outputs, last }: Body): RunConfig {
  const tensor = (name: string) => {
    const { node, output } = parseTensorName(name);
    if (node !== call) return name;
    const own = parseTensorName(outputs[output] ?? "");
    return tensorName(own.node, own.output);
  };
  const names = [...config.fetches, ...config.targets, ...config.stops.map((stop) => stop.tensor)];
  if (!names.some((name) => parseTensorName(name).node === call)) return config;
  return {
    ...config,
    fetches: config.fetches.map(tensor),
    targets: [...new Set(config.targets.flatMap((name) => (name === call ? last : [name])))],
    stops: config.stops.map((stop) => ({ ...stop, tensor: tensor(stop.tensor) })),
  };
}
