/** Shapes of all outputs of a graph, as far as they can be known without running it. */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import {
  hasKnownInts,
  intsOfTensor,
  type KnownInts,
  sameInts,
} from "../../worker-runtime/graph/known-ints.js";
import type { OutputFacts, ShapeContext } from "../../worker-runtime/graph/shape-context.js";
import { tryInferOutputs } from "../../worker-runtime/graph/shape-inference.js";
import { atOnce, paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import { type Tensor, tensorFromProto } from "../../worker-runtime/protocol/tensor.js";
import { ARGUMENT, bodyNodes, borderIndex, RESULT } from "./body-nodes.js";
import { type Argument, type CallState, callFacts, callState, declaredOr, enter } from "./call-shapes.js";
import { rememberedOf } from "./differing-keys.js";
import { LayeredMap, type LookUp, MapDraft } from "./layered-map.js";
import { type ReadTensor, withInputs } from "./shape-error.js";
import { attrOrDefault, dataInputs, type NodeSignature, type OpLookup, signatureOf } from "./signature.js";
import { parseInput } from "./tensor-names.js";
import { wiringOf } from "./wiring.js";

/** -1: a dimension that is not known. undefined: not even the rank is. */
export type Shape = readonly number[] | undefined;

export interface ShapeMap {
  /** By node, then by output. */
  readonly outputs: ReadonlyMap<string, readonly Shape[]>;
  /** Outputs of which more than the shape is known, by node: sizes that the graph computes, variables behind handles. */
  readonly facts: ReadonlyMap<string, readonly OutputFacts[]>;
  /** Why the shapes that reach a node do not fit its op. */
  readonly errors: ReadonlyMap<string, string>;
}

export const NO_SHAPES: ShapeMap = { outputs: new Map(), facts: new Map(), errors: new Map() };

/** "[]", "[?,256]", or "" when the rank is not known. */
export function shapeText(shape: Shape): string {
  return shape ? `[${shape.map((size) => (size < 0 ? "?" : String(size))).join(",")}]` : "";
}

type NamedNodes = Pick<ReadonlyMap<string, NodeDef>, "get">;

interface Result {
  readonly shapes: readonly Shape[];
  /** Undefined if the shapes say all. */
  readonly facts: readonly OutputFacts[] | undefined;
  readonly problem: string | undefined;
}

/** The sources of a node's result; an edit elsewhere leaves it valid. */
interface Remembered {
  readonly key: string;
  readonly producers: readonly (NodeDef | undefined)[];
  /** The functions that it depends on. */
  readonly used: CallState["used"];
  readonly result: Result;
}
const remembered = new WeakMap<NodeDef, Remembered>();
const constants = new WeakMap<NodeDef, { readonly tensor: Tensor | undefined }>();

export function inferShapes(nodes: ReadonlyMap<string, NodeDef>, lookup: OpLookup): ShapeMap {
  return atOnce(slicedShapes(nodes, lookup));
}

/** As `inferShapes`, in slices. */
export function* slicedShapes(nodes: ReadonlyMap<string, NodeDef>, lookup: OpLookup): Sliced<ShapeMap> {
  const outputs = new Map<string, readonly Shape[]>();
  const facts = new Map<string, readonly OutputFacts[]>();
  const errors = new Map<string, string>();
  yield* paused(yield* producersFirst(nodes), (node) => {
    const result = resultOf(node, nodes, lookup, { outputs, facts });
    outputs.set(node.name, result.shapes);
    if (result.facts) facts.set(node.name, result.facts);
    if (result.problem !== undefined) errors.set(node.name, result.problem);
  });
  return { outputs: LayeredMap.of(outputs), facts: LayeredMap.of(facts), errors: LayeredMap.of(errors) };
}

/** After this many visits per node on average everything is recomputed: cycles would go on forever. */
const MAX_LOOKS = 4;

/**
 * Shapes after an edit, from those before it: only those of `touched` and of the nodes after them as far as they
 * differ. The same object if none differs.
 *
 * @param touched names of nodes that were changed, added or removed, and of their readers
 */
export function inferShapesAgain(
  before: ShapeMap,
  nodes: ReadonlyMap<string, NodeDef>,
  lookup: OpLookup,
  touched: ReadonlySet<string>,
): ShapeMap {
  if (hasLoops(nodes)) return inferShapes(nodes, lookup);
  const { outgoing } = wiringOf(nodes);
  const outputs = new MapDraft(before.outputs);
  const facts = new MapDraft(before.facts);
  const errors = new MapDraft(before.errors);
  const present = { outputs, facts, errors };
  let differs = false;
  // First in, first out: a new shape is known before its readers are visited.
  const open = [...touched];
  for (const name of open) {
    if (open.length > MAX_LOOKS * nodes.size + touched.size) return inferShapes(nodes, lookup);
    const node = nodes.get(name);
    const known = outputs.get(name);
    const result = node && resultOf(node, nodes, lookup, present);
    if (!known && !result) continue;
    if (known && result && isKnown(present, name, result)) continue;
    differs = true;
    outputs.set(name, result?.shapes);
    facts.set(name, result?.facts);
    errors.set(name, result?.problem);
    for (const { to } of outgoing.get(name) ?? []) open.push(to);
  }
  return differs ? { outputs: outputs.done(), facts: facts.done(), errors: errors.done() } : before;
}

/** The shapes as far as they are known while they are inferred. */
type KnownShapes = { readonly [part in keyof ShapeMap]: LookUp<MapValue<ShapeMap[part]>> };
type MapValue<T> = T extends ReadonlyMap<string, infer V> ? V : never;

function isKnown({ outputs, facts, errors }: KnownShapes, name: string, result: Result): boolean {
  return (
    sameShapes(outputs.get(name) ?? [], result.shapes) &&
    sameFacts(facts.get(name), result.facts) &&
    errors.get(name) === result.problem
  );
}

function sameFacts(one: Result["facts"], other: Result["facts"]): boolean {
  if (one === undefined || other === undefined || one === other) return one === other;
  return one.every(
    ({ ints, behind }, index) =>
      sameInts(ints, other[index]?.ints) && sameShapes([behind], [other[index]?.behind]),
  );
}

function sameShapes(one: readonly Shape[], other: readonly Shape[]): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every((shape, index) => {
        const second = other[index];
        return shape === second || (shape && second && shape.join() === second.join());
      }))
  );
}

/** TensorFlow 1 loops, in which a node's input depends on where its cycle is entered. */
const hasLoops = rememberedOf<string, NodeDef, boolean>(
  (nodes) => {
    for (const node of nodes.values()) if (isLoop(node)) return true;
    return false;
  },
  (known, before, after, names) =>
    names.some((name) => isLoop(before.get(name)) || isLoop(after.get(name))) ? undefined : known,
);

function isLoop(node: NodeDef | undefined): boolean {
  return node !== undefined && roleOf(node.op) === "next-iteration";
}

function resultOf(
  node: NodeDef,
  nodes: NamedNodes,
  lookup: OpLookup,
  map: Pick<KnownShapes, "outputs" | "facts">,
  calls?: CallState,
): Result {
  const signature = signatureOf(node, lookup);
  if (!signature) return { shapes: [], facts: undefined, problem: undefined };
  const { inputShapes, inputFacts, producers } = inputsOf(node, nodes, map);
  const inputsKey = inputShapes.map(
    (shape, index) => `${shape?.join(",") ?? "?"}${factsKey(inputFacts[index])}`,
  );
  const key = `${inputsKey.join(";")} ${signature.outputs.length}`;
  const known = remembered.get(node);
  if (
    known?.key === key &&
    known.producers.every((producer, index) => producer === producers[index]) &&
    areSame(known.used, lookup)
  ) {
    for (const [name, definition] of known.used) calls?.used.set(name, definition);
    return known.result;
  }
  const own = tryInferOutputs(shapeContextOf(node, nodes, signature, map));
  const state = calls ? { ...calls, used: new Map() } : callState();
  const { cuts } = state.left;
  const args = inputShapes.map((shape, index): Argument => {
    const producer = producers[index];
    return { ...inputFacts[index], shape, ...(producer?.op === "Const" ? { constant: producer } : {}) };
  });
  const called = callFacts(node, args, lookup, state, (definition, given, within) =>
    resultsOf(definition, given, lookup, within),
  );
  const facts = called?.length === signature.outputs.length ? declaredOr(node, called) : own.facts;
  const saysMore = facts.some(({ ints, behind }) => ints !== undefined || behind !== undefined);
  const result = {
    shapes: facts.map(({ shape }) => shape),
    facts: saysMore ? facts : undefined,
    problem: own.problem && withInputs(own.problem, tensorsRead(node, inputShapes)),
  };
  // Results that were cut short within other calls may be known elsewhere.
  if (calls === undefined || state.left.cuts === cuts)
    remembered.set(node, { key, producers, used: state.used, result });
  for (const [name, definition] of state.used) calls?.used.set(name, definition);
  return result;
}

function areSame(used: CallState["used"], { functionNamed }: OpLookup): boolean {
  for (const [name, definition] of used) if (functionNamed?.(name) !== definition) return false;
  return true;
}

interface KnownBody {
  readonly lookup: OpLookup;
  readonly nodes: readonly NodeDef[];
  readonly byName: ReadonlyMap<string, NodeDef>;
}
const bodies = new WeakMap<FunctionDef, KnownBody>();

function knownBody(definition: FunctionDef, lookup: OpLookup): KnownBody {
  const known = bodies.get(definition);
  if (known?.lookup === lookup) return known;
  const byName = bodyNodes(definition, lookup);
  const body = { lookup, byName, nodes: atOnce(producersFirst(byName)) };
  bodies.set(definition, body);
  return body;
}

/** The facts about the results of a function that is called with arguments. */
function resultsOf(
  definition: FunctionDef,
  args: readonly Argument[],
  lookup: OpLookup,
  calls: CallState,
): readonly OutputFacts[] | undefined {
  const state = enter(definition, definition.nodeDef.length, calls);
  if (!state) return undefined;
  const { nodes, byName } = knownBody(definition, lookup);
  const outputs = new Map<string, readonly Shape[]>();
  const facts = new Map<string, readonly OutputFacts[]>();
  const constant = new Map<string, NodeDef>();
  // Nodes that read an argument that is a constant read the constant.
  const body = { get: (name: string) => constant.get(name) ?? byName.get(name) };
  const results: OutputFacts[] = [];
  for (const node of nodes) {
    const arg = node.op === ARGUMENT ? args[borderIndex(node)] : undefined;
    if (arg) {
      if (arg.constant) constant.set(node.name, arg.constant);
      outputs.set(node.name, [arg.shape]);
      facts.set(node.name, [arg]);
    } else if (node.op === RESULT) {
      const { inputShapes, inputFacts, producers } = inputsOf(node, body, { outputs, facts });
      const ints = inputFacts[0]?.ints ?? constantInts(producers[0]);
      results[borderIndex(node)] = {
        shape: inputShapes[0],
        ...(inputFacts[0]?.behind ? { behind: inputFacts[0].behind } : {}),
        ...(ints ? { ints } : {}),
      };
    } else {
      const result = resultOf(node, body, lookup, { outputs, facts }, state);
      outputs.set(node.name, result.shapes);
      if (result.facts) facts.set(node.name, result.facts);
    }
  }
  return results;
}

interface Inputs {
  readonly inputShapes: readonly Shape[];
  readonly inputFacts: readonly (OutputFacts | undefined)[];
  readonly producers: readonly (NodeDef | undefined)[];
}

function inputsOf(
  node: NodeDef,
  nodes: NamedNodes,
  { outputs, facts }: Pick<KnownShapes, "outputs" | "facts">,
): Inputs {
  const references = dataInputs(node).map((text) => {
    const reference = parseInput(text);
    return reference.kind === "data" ? reference : undefined;
  });
  return {
    inputShapes: references.map((one) => one && outputs.get(one.node)?.[one.output]),
    inputFacts: references.map((one) => one && facts.get(one.node)?.[one.output]),
    producers: references.map((one) => one && nodes.get(one.node)),
  };
}

/** The context that the rule of a node's op may use. */
export function shapeContextOf(
  node: NodeDef,
  nodes: NamedNodes,
  signature: NodeSignature,
  map: Pick<KnownShapes, "outputs" | "facts">,
): ShapeContext {
  const { inputShapes, inputFacts, producers } = inputsOf(node, nodes, map);
  const sources = dataInputs(node);
  return {
    node: node.name,
    op: node.op,
    attr: (name) => attrOrDefault(node, signature.opDef, name),
    inputShapes,
    inputName: (index) => {
      const label = signature.inputs[index]?.label;
      const source = sources[index];
      return label === undefined || source === undefined ? label : `${label} (${source})`;
    },
    constantInput: (index) => constantOf(producers[index]),
    knownInts: (index) => inputFacts[index]?.ints ?? constantInts(producers[index]),
    handleShape: (index) => inputFacts[index]?.behind,
    outputCount: signature.outputs.length,
  };
}

function tensorsRead(node: NodeDef, shapes: readonly Shape[]): readonly ReadTensor[] {
  return dataInputs(node).map((source, index) => ({ source, shape: shapes[index] }));
}

function constantProto(node: NodeDef | undefined): TensorProto | undefined {
  if (node?.op !== "Const") return undefined;
  const value = node.attr.get("value")?.value;
  return value?.$case === "tensor" ? value.value : undefined;
}

function constantInts(node: NodeDef | undefined): KnownInts | undefined {
  const proto = constantProto(node);
  return proto && hasKnownInts(proto) ? intsOfTensor(constantOf(node)) : undefined;
}

function constantOf(node: NodeDef | undefined): Tensor | undefined {
  const proto = constantProto(node);
  if (!node || !proto) return undefined;
  const known = constants.get(node);
  if (known) return known.tensor;
  let tensor: Tensor | undefined;
  try {
    tensor = tensorFromProto(proto);
  } catch {
    // An invalid constant has no shape; the engine reports what is wrong with it.
  }
  constants.set(node, { tensor });
  return tensor;
}

/** The facts about an input beyond its shape, as a part of a key. */
function factsKey(facts: OutputFacts | undefined): string {
  if (!facts) return "";
  const { ints, behind } = facts;
  return ` ${ints?.rank ?? ""}${ints?.elements.map((one) => one ?? "?").join(",") ?? ""} ${behind?.join(",") ?? ""}`;
}

/** Every node after its inputs; edges that close a cycle are ignored. */
function* producersFirst(nodes: ReadonlyMap<string, NodeDef>): Sliced<NodeDef[]> {
  const order: NodeDef[] = [];
  const seen = new Set<string>();
  for (const start of nodes.values()) {
    if (seen.has(start.name)) continue;
    seen.add(start.name);
    const stack = [{ node: start, next: 0 }];
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const text = frame.node.input[frame.next++];
      if (text === undefined) {
        order.push(frame.node);
        stack.pop();
        if (order.length % STEPS_AT_ONCE === 0) yield;
        continue;
      }
      const reference = parseInput(text);
      const producer = reference.kind === "data" ? nodes.get(reference.node) : undefined;
      if (!producer || seen.has(producer.name)) continue;
      seen.add(producer.name);
      stack.push({ node: producer, next: 0 });
    }
  }
  return order;
}
