/** When arguments or results of a function change, its calls follow, and what reads them: in the graph and in functions. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { sameTexts } from "../body-nodes.js";
import {
  type BorderChange,
  type BorderSlot,
  keepsCalls,
  movedTo,
  remapped,
  sameSlots,
  unchanged,
} from "../border-change.js";
import type { CallRole } from "../call-roles.js";
import { libraryOf, nameOf, withFunctions } from "../library.js";
import { type GraphDocument, MISSING_INPUT, type RunConfig } from "../model.js";
import { apply, type Operation, replaceNodes } from "../operations.js";
import { controlInputs, dataInputs, type OpLookup, signatureOf } from "../signature.js";
import { dataInput, parseInput, parseTensorName, tensorName } from "../tensor-names.js";
import {
  type CallSite,
  callSites,
  linkedChanges,
  type Signatures,
  signaturesOf,
  withBorder,
} from "./border-links.js";
import { withTensorNames } from "./rename-meta-graph.js";
import { changeEachConfig } from "./run-configs.js";
import { Refusal } from "./types.js";

const words = texts.functionCalls;

/** The changed document: its parts besides nodes, and operations on the rest. */
export interface Followed {
  readonly metaGraph: MetaGraphDef;
  readonly operations: readonly Operation[];
  readonly nodes: ReadonlyMap<string, NodeDef>;
}

/**
 * Makes all calls follow a function whose arguments or results changed. Throws a `Refusal` where a use would break.
 *
 * @param document before the edit
 * @param functions of the library, with the function as it is after it
 * @param lookup of the document before the edit
 */
export function followBorder(
  document: GraphDocument,
  functions: readonly FunctionDef[],
  name: string,
  change: BorderChange,
  lookup: OpLookup,
): Followed {
  const edited = withFunctions(document.metaGraph, functions);
  const sites = callSites({ nodes: document.nodes, metaGraph: edited }, lookup);
  const were = signaturesOf(document);
  const changes = linkedChanges(sites, were, name, change);
  refuseIfDerived(document.metaGraph, changes, were);
  const bordered = functions.map((definition) => {
    const own = nameOf(definition);
    const wanted = changes.get(own);
    if (!wanted) return definition;
    const done = own === name ? change : plainChange(own, were);
    const site =
      sites.find(({ role }) => role?.kind === "loop" && role.body === own) ?? siteBeside(sites, own);
    return withBorder(
      definition,
      sameSlots(done.args, wanted.args) ? undefined : wanted.args,
      sameSlots(done.results, wanted.results) ? undefined : wanted.results,
      site,
    );
  });
  const library = libraryOf(withFunctions(document.metaGraph, bordered));
  const lookups = {
    before: lookup,
    after: (op: string) => library.get(op)?.signature ?? lookup(op),
  };
  const callsIn = (within: string | undefined) => callsAmong(sites, within, changes, were);
  const moved = bordered.map((definition) => inFunction(definition, callsIn(nameOf(definition)), lookups));
  const calls = callsIn(undefined);
  const graphNode = inGraph(calls);
  const operations = [
    ...replaceNodes([...document.nodes.values()].map((node) => [node, graphNode(node)] as const)),
    ...changeEachConfig(document, (config) => inRunConfig(config, calls)),
  ];
  const inFile = withTensorNames(document.metaGraph, (text) =>
    movedTensor(text, calls, (call, output) =>
      words.resultInFile({ ...namesOf(call, output, ""), tensor: text }),
    ),
  );
  return { metaGraph: withFunctions(inFile, moved), operations, nodes: apply(document, operations).nodes };
}

function plainChange(name: string, were: Signatures): BorderChange {
  const { inputArg, outputArg } = were(name);
  return { args: unchanged(inputArg), results: unchanged(outputArg) };
}

/** A call that has a function change with another one. */
function siteBeside(sites: readonly CallSite[], name: string): CallSite | undefined {
  return sites.find(
    ({ call, role }) => call.name === name && (role?.kind === "branch" || role?.kind === "loop"),
  );
}

/** A gradient takes and gives what its function does, and is written by hand. */
function refuseIfDerived(
  { graphDef }: MetaGraphDef,
  changes: ReadonlyMap<string, BorderChange>,
  were: Signatures,
): void {
  for (const { functionName, gradientFunc } of graphDef?.library?.gradient ?? []) {
    const change = changes.get(functionName);
    if (change && !keepsCalls(change, were(functionName))) {
      throw new Refusal(words.hasGradient({ function: functionName, gradient: gradientFunc }));
    }
  }
}

interface Lookups {
  readonly before: OpLookup;
  readonly after: OpLookup;
}

type Calls = ReadonlyMap<string, ChangedCall>;

/** A call before and after, and where its outputs go. */
interface ChangedCall {
  readonly before: NodeDef;
  readonly after: NodeDef;
  /** The function that it calls. */
  readonly name: string;
  readonly outputs: readonly BorderSlot[] | undefined;
  /** An output's name in refusals. */
  readonly result: (index: number) => string;
}

/** The calls of changed functions in the graph, or in a function, by the names of their nodes. */
function callsAmong(
  sites: readonly CallSite[],
  within: string | undefined,
  changes: ReadonlyMap<string, BorderChange>,
  were: Signatures,
): Calls {
  const calls = new Map<string, ChangedCall>();
  for (const { node, call, role, within: where } of sites) {
    const change = changes.get(call.name);
    if (!change || !role || where !== within || calls.has(node.name)) continue;
    const { inputArg, outputArg } = were(call.name);
    const fits = role.kind === "captured" || dataInputs(node).length === role.offset + inputArg.length;
    const isPlain = keepsCalls(change, were(call.name));
    const outputs =
      role.kind === "captured" || !fits ? undefined : role.kind === "loop" ? change.args : change.results;
    calls.set(node.name, {
      before: node,
      after: fits && !isPlain ? changedCall(node, role, change, inputArg.length, outputArg.length) : node,
      name: call.name,
      outputs,
      result: (index) => (role.kind === "loop" ? inputArg : outputArg)[index]?.name ?? `${index}`,
    });
  }
  return calls;
}

function changedCall(
  node: NodeDef,
  role: CallRole,
  { args, results }: BorderChange,
  taken: number,
  given: number,
): NodeDef {
  const fixed = role.kind === "captured" ? taken - role.count : 0;
  const slots = args
    .slice(fixed)
    .map((slot) => (slot.from === undefined ? slot : { ...slot, from: slot.from - fixed }));
  const data = dataInputs(node);
  const count = taken - fixed;
  const input = [
    ...data.slice(0, role.offset),
    ...remapped(data.slice(role.offset, role.offset + count), slots, MISSING_INPUT),
    ...data.slice(role.offset + count),
    ...controlInputs(node),
  ];
  const outputs = role.kind === "loop" ? args : results;
  const attr = new Map(node.attr);
  const change = (key: string | undefined, make: (list: ListValue) => ListValue) => {
    const value = key === undefined ? undefined : attr.get(key)?.value;
    if (key !== undefined && value?.$case === "list") {
      attr.set(key, { value: { $case: "list", value: make(value.value) } });
    }
  };
  const typesOf = (list: readonly BorderSlot[]): DataType[] => list.map(({ type }) => type);
  change(role.types.args, (list) => ({ ...list, type: typesOf(slots) }));
  if (role.kind !== "captured" && role.kind !== "loop") {
    change(role.types.results, (list) => ({ ...list, type: typesOf(results) }));
  }
  if (role.kind !== "captured") {
    for (const key of ["output_shapes", "_output_shapes"]) {
      change(key, (list) =>
        list.shape.length === (role.kind === "loop" ? taken : given)
          ? { ...list, shape: remapped(list.shape, outputs, { dim: [], unknownRank: true }) }
          : list,
      );
    }
  }
  // Positions among the inputs.
  change("_read_only_resource_inputs", (list) => ({
    ...list,
    i: list.i.flatMap((at) => {
      const place = Number(at) - role.offset;
      if (place < 0 || place >= count) return [at];
      const to = movedTo(place, slots);
      return to === undefined ? [] : [BigInt(to + role.offset)];
    }),
  }));
  return { ...node, input, attr };
}

type ListValue = Extract<NonNullable<AttrValue["value"]>, { $case: "list" }>["value"];

/** A node of the graph after the calls changed. */
function inGraph(calls: Calls): (node: NodeDef) => NodeDef {
  return (node) => {
    const own = calls.get(node.name)?.after ?? node;
    const input = own.input.map((text) => {
      const reference = parseInput(text);
      const call = reference.kind === "data" ? calls.get(reference.node) : undefined;
      if (reference.kind !== "data" || !call?.outputs) return text;
      const to = movedTo(reference.output, call.outputs);
      if (to === undefined) throw new Refusal(words.resultRead(namesOf(call, reference.output, node.name)));
      return to === reference.output ? text : dataInput(reference.node, to);
    });
    return sameTexts(input, own.input) ? own : { ...own, input };
  };
}

function namesOf({ before, name, result }: ChangedCall, output: number, reader: string) {
  return { result: result(output), function: name, call: before.name, reader };
}

/** As `inGraph`, for the nodes and results of a function, which name tensors by output arguments: "call:output:1". */
function inFunction(definition: FunctionDef, calls: Calls, { before, after }: Lookups): FunctionDef {
  const moved = (text: string, lost: (call: ChangedCall, output: number) => string): string => {
    const [node = "", arg, position] = text.startsWith("^") ? [] : text.split(":");
    const call = calls.get(node);
    const slot =
      call &&
      signatureOf(call.before, before)?.outputs.find(
        (one) => one.arg.name === arg && one.position === Number(position ?? 0),
      );
    if (!call?.outputs || !slot) return text;
    const to = movedTo(slot.index, call.outputs);
    if (to === undefined) throw new Refusal(lost(call, slot.index));
    const now = signatureOf(call.after, after)?.outputs[to];
    if (!now || (now.arg.name === arg && now.position === slot.position)) return text;
    return `${node}:${now.arg.name}:${now.position}`;
  };
  const caller = nameOf(definition);
  const nodeDef = definition.nodeDef.map((node) => {
    const own = calls.get(node.name)?.after ?? node;
    const input = own.input.map((text) =>
      moved(text, (call, output) => words.resultReadWithin({ ...namesOf(call, output, node.name), caller })),
    );
    return sameTexts(input, own.input) ? own : { ...own, input };
  });
  const ret = new Map(
    [...definition.ret].map(([key, text]) => [
      key,
      moved(text, (call, output) => words.resultReturned({ ...namesOf(call, output, ""), caller })),
    ]),
  );
  const sameRet = [...ret].every(([key, text]) => definition.ret.get(key) === text);
  const sameNodes = nodeDef.every((node, index) => node === definition.nodeDef[index]);
  if (sameRet && sameNodes) return definition;
  return { ...definition, ...(sameNodes ? {} : { nodeDef }), ...(sameRet ? {} : { ret }) };
}

/** Where a tensor of the graph goes; `lost` says why one must not go. */
function movedTensor(
  text: string,
  calls: Calls,
  lost: (call: ChangedCall, output: number) => string,
): string {
  const { node, output } = parseTensorName(text);
  const call = text.includes(":") ? calls.get(node) : undefined;
  if (!call?.outputs) return text;
  const to = movedTo(output, call.outputs);
  if (to === undefined) throw new Refusal(lost(call, output));
  return to === output ? text : tensorName(node, to);
}

function inRunConfig(config: RunConfig, calls: Calls): RunConfig {
  const tensor = (text: string) =>
    movedTensor(text, calls, (call, output) =>
      words.resultFetched({ ...namesOf(call, output, ""), config: config.name }),
    );
  const { feeds, fetches, stops } = config;
  const names = [...Object.keys(feeds), ...fetches, ...stops.map((stop) => stop.tensor)];
  if (sameTexts(names.map(tensor), names)) return config;
  return {
    ...config,
    feeds: Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [tensor(name), feed])),
    fetches: fetches.map(tensor),
    stops: stops.map((stop) => ({ ...stop, tensor: tensor(stop.tensor) })),
  };
}
