/** Shapes of all outputs of a graph, as far as they can be known without running it. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { partialShapeFromProto } from "../../worker-runtime/graph/shape.js";
import type { ShapeContext } from "../../worker-runtime/graph/shape-context.js";
import { tryInferOutputShapes } from "../../worker-runtime/graph/shape-inference.js";
import { atOnce, paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import { type Tensor, tensorFromProto } from "../../worker-runtime/protocol/tensor.js";
import { attrOrDefault, dataInputs, type OpLookup, signatureOf } from "./signature.js";
import { parseInput } from "./tensor-names.js";
import { wiringOf } from "./wiring.js";

/** -1: a dimension that is not known. undefined: not even the rank is. */
export type Shape = readonly number[] | undefined;

export interface ShapeMap {
  /** By node, then by output. */
  readonly outputs: ReadonlyMap<string, readonly Shape[]>;
  /** Why the shapes that reach a node do not fit its op. */
  readonly errors: ReadonlyMap<string, string>;
}

export const NO_SHAPES: ShapeMap = { outputs: new Map(), errors: new Map() };

/** "[]", "[?,256]", or "" when the rank is not known. */
export function shapeText(shape: Shape): string {
  return shape ? `[${shape.map((size) => (size < 0 ? "?" : String(size))).join(",")}]` : "";
}

interface Result {
  readonly shapes: readonly Shape[];
  readonly problem: string | undefined;
}

/** What a node's result was worked out from; an edit elsewhere leaves it valid. */
interface Remembered {
  readonly key: string;
  readonly producers: readonly (NodeDef | undefined)[];
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
  const errors = new Map<string, string>();
  yield* paused(yield* producersFirst(nodes), (node) => {
    const result = resultOf(node, nodes, lookup, outputs);
    outputs.set(node.name, result.shapes);
    if (result.problem !== undefined) errors.set(node.name, result.problem);
  });
  return { outputs, errors };
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
  // Copied when something differs: most edits change no shape.
  let outputs = before.outputs;
  let errors = before.errors;
  let changed:
    | { readonly outputs: Map<string, readonly Shape[]>; readonly errors: Map<string, string> }
    | undefined;
  // First in, first out: a new shape is known before its readers are visited.
  const open = [...touched];
  for (const name of open) {
    if (open.length > MAX_LOOKS * nodes.size + touched.size) return inferShapes(nodes, lookup);
    const node = nodes.get(name);
    const known = outputs.get(name);
    const knownError = errors.get(name);
    const result = node && resultOf(node, nodes, lookup, outputs);
    if (known && result && sameShapes(known, result.shapes) && knownError === result.problem) continue;
    if (!known && !result) continue;
    changed ??= { outputs: new Map(outputs), errors: new Map(errors) };
    ({ outputs, errors } = changed);
    changed.outputs.delete(name);
    changed.errors.delete(name);
    if (result) changed.outputs.set(name, result.shapes);
    if (result?.problem !== undefined) changed.errors.set(name, result.problem);
    for (const { to } of outgoing.get(name) ?? []) open.push(to);
  }
  return changed ?? before;
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
function hasLoops(nodes: ReadonlyMap<string, NodeDef>): boolean {
  for (const { op } of nodes.values()) if (roleOf(op) === "next-iteration") return true;
  return false;
}

function resultOf(
  node: NodeDef,
  nodes: ReadonlyMap<string, NodeDef>,
  lookup: OpLookup,
  outputs: ReadonlyMap<string, readonly Shape[]>,
): Result {
  const signature = signatureOf(node, lookup);
  if (!signature) return { shapes: [], problem: undefined };
  const inputShapes: Shape[] = [];
  const producers: (NodeDef | undefined)[] = [];
  for (const text of dataInputs(node)) {
    const reference = parseInput(text);
    const producer = reference.kind === "data" ? nodes.get(reference.node) : undefined;
    inputShapes.push(reference.kind === "data" ? outputs.get(reference.node)?.[reference.output] : undefined);
    producers.push(producer);
  }
  const key = `${inputShapes.map((shape) => shape?.join(",") ?? "?").join(";")} ${signature.outputs.length}`;
  const known = remembered.get(node);
  if (known?.key === key && known.producers.every((producer, index) => producer === producers[index])) {
    return known.result;
  }
  const context: ShapeContext = {
    node: node.name,
    op: node.op,
    attr: (name) => attrOrDefault(node, signature.opDef, name),
    inputShapes,
    constantInput: (index) => constantOf(producers[index]),
    handleShape: (index) => handleShapeOf(producers[index]),
    outputCount: signature.outputs.length,
  };
  const { shapes, problem } = tryInferOutputShapes(context);
  const result = { shapes, problem };
  remembered.set(node, { key, producers, result });
  return result;
}

function constantOf(node: NodeDef | undefined): Tensor | undefined {
  if (node?.op !== "Const") return undefined;
  const known = constants.get(node);
  if (known) return known.tensor;
  const value = node.attr.get("value")?.value;
  let tensor: Tensor | undefined;
  try {
    tensor = value?.$case === "tensor" ? tensorFromProto(value.value) : undefined;
  } catch {
    // An invalid constant has no shape; the engine reports what is wrong with it.
  }
  constants.set(node, { tensor });
  return tensor;
}

function handleShapeOf(node: NodeDef | undefined): Shape {
  const value = node?.op === "VarHandleOp" ? node.attr.get("shape")?.value : undefined;
  return value?.$case === "shape" ? partialShapeFromProto(value.value) : undefined;
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
