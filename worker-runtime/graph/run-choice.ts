/** Chooses what to run in a graph by default: its training ops, its outputs, otherwise its final nodes. Pure. */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { tensorName } from "./edge.js";
import {
  dependentsOf,
  type GraphIndex,
  neededFor,
  readersOf,
  slicedIndex,
  sourcesOf,
} from "./graph-index.js";
import { type GraphNotes, isSummary, namesIn, nodeOf, perOp, slicedHousekeeping } from "./housekeeping.js";
import { assignmentKind, isVariable } from "./initialisers.js";
import { outputTypes } from "./node-signature.js";
import { atOnce, paused, type Sliced } from "./slices.js";

export interface ChoosableGraph {
  /** By name; must not change later. */
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly notes: GraphNotes;
  /** The graph's functions. */
  readonly library: readonly FunctionDef[];
  /** Finds the definition of an op or of a function of the library. */
  readonly opDef: (op: string) => OpDef | undefined;
  /** Tensors that have a value, "x:0". */
  readonly fed: { readonly size: number; has(tensor: string): boolean };
}

/** The origin of a choice: collections of the MetaGraphDef, a signature, or nodes that nothing depends on. */
export type ChoiceOrigin = "train_op" | "losses" | "signature" | "ends";

export interface RunChoice {
  /** Tensors whose values are wanted, "z:0". */
  readonly fetches: readonly string[];
  /** Operations that are run for their side effects. */
  readonly targets: readonly string[];
  readonly origin: ChoiceOrigin;
  /** The signature whose outputs are fetched, if the choice is a signature. */
  readonly signature?: string;
}

const TRAINING = /^(Resource)?(Sparse)?Apply[A-Z]/;
const UPDATING = /^(Assign|AssignAdd|AssignSub|(Resource)?(Sparse)?Apply\w+)$/;
const GRADIENT_SCOPE = /(^|\/)gradients(_\d+)?\//;
const CONDITIONAL = /^(Ref)?(Switch|Enter)$|^_SwitchN$|^LoopCond$/;
const JOINING = /^(Ref)?(Merge|Exit)$/;
const UNFETCHABLE: ReadonlySet<DataType> = new Set([DataType.DT_RESOURCE, DataType.DT_VARIANT]);
const BY_THE_WAY = /^(Const|Shape|ShapeN|Rank|Size)$/;
/** Input pipelines report how full their queues are. */
const QUEUE_SIZE = /^QueueSize(V2)?$/;
/** If there are more results than this besides a training step, they are not part of it. */
const MAX_BESIDE_TRAINING = 8;
/** The default signature of TensorFlow's own tools. */
const DEFAULT_SIGNATURE = "serving_default";

/**
 * The default of what a run computes: the training operations with the losses, the outputs of the serving signature, or
 * the results that nothing uses. It never saves, restores, initializes or reports.
 */
export function suggestRun(graph: ChoosableGraph): RunChoice {
  return atOnce(slicedChoice(graph));
}

/** As `suggestRun`, in slices. */
export function* slicedChoice(graph: ChoosableGraph): Sliced<RunChoice> {
  const index = yield* slicedIndex(graph.nodes);
  const signature = signatureChoice(graph);
  // Training would change the weights of a model saved for serving.
  if (signature && graph.notes.metaInfoDef?.tags.includes("serve")) return signature;
  const losses = namesIn(graph.notes.collectionDef, "losses")
    .map((name) => tensorName(nodeOf(name), outputOf(name)))
    .filter((name) => isFetchable(graph, name));
  const training = outermost(
    index,
    namesIn(graph.notes.collectionDef, "train_op")
      .map(nodeOf)
      .filter((name) => graph.nodes.has(name)),
  );
  if (training.length > 0) {
    const fetches = losses.length > 0 ? unique(losses) : yield* besideTraining(graph, index, training);
    return { fetches, targets: training, origin: "train_op" };
  }
  if (losses.length > 0) return { fetches: unique(losses), targets: [], origin: "losses" };
  return signature ?? (yield* endsOf(graph, index));
}

/** The signatures that can be run, without those that TensorFlow uses to mark its own operations. */
export function servingSignatures({
  signatureDef,
}: Pick<GraphNotes, "signatureDef">): [string, SignatureDef][] {
  return [...signatureDef].filter(([name]) => !name.startsWith("__"));
}

/** The names of the tensors that a signature's input or output consists of: several for sparse and composite ones. */
export function tensorsOf(info: TensorInfo): readonly string[] {
  switch (info.encoding?.$case) {
    case "name":
      return [info.encoding.value];
    case "cooSparse": {
      const { valuesTensorName, indicesTensorName, denseShapeTensorName } = info.encoding.value;
      return [valuesTensorName, indicesTensorName, denseShapeTensorName];
    }
    case "compositeTensor":
      return info.encoding.value.components.flatMap(tensorsOf);
    default:
      return [];
  }
}

/** The outputs of a signature as fetches; those without a value, which TensorFlow 1 allows, as targets. */
export function signatureRun(
  graph: Pick<ChoosableGraph, "nodes" | "opDef">,
  name: string,
  definition: SignatureDef,
): RunChoice {
  const tensors = unique([...definition.outputs.values()].flatMap(tensorsOf)).filter((tensor) =>
    graph.nodes.has(nodeOf(tensor)),
  );
  const fetches = tensors.filter((tensor) => tensor.includes(":"));
  const targets = tensors.filter((tensor) => !tensor.includes(":"));
  return { fetches, targets, origin: "signature", signature: name };
}

function signatureChoice(graph: ChoosableGraph): RunChoice | undefined {
  const all = servingSignatures(graph.notes);
  const chosen = all.find(([name]) => name === DEFAULT_SIGNATURE) ?? all[0];
  const run = chosen && signatureRun(graph, ...chosen);
  return run && run.fetches.length + run.targets.length > 0 ? run : undefined;
}

/** Removes the names that others of them run anyway. */
function outermost(index: GraphIndex, names: readonly string[]): string[] {
  const all = unique(names);
  const inner = new Set<string>();
  for (const name of all) {
    for (const needed of neededFor(index, [name])) if (needed !== name) inner.add(needed);
  }
  return all.filter((name) => !inner.has(name));
}

/** Results such as the loss and the accuracy, which need no feeds beyond those of training. */
function* besideTraining(
  graph: ChoosableGraph,
  index: GraphIndex,
  training: readonly string[],
): Sliced<string[]> {
  const needed = neededFor(index, training, graph.fed);
  const { strong } = yield* sortedEnds(graph, index);
  const fitting = strong.filter((tensor) =>
    [...neededFor(index, [nodeOf(tensor)], graph.fed)].every(
      (name) => needed.has(name) || graph.nodes.get(name)?.op !== "Placeholder",
    ),
  );
  return fitting.length <= MAX_BESIDE_TRAINING ? fitting : [];
}

function* endsOf(graph: ChoosableGraph, index: GraphIndex): Sliced<RunChoice> {
  const { strong, weak, effects, training } = yield* sortedEnds(graph, index);
  const fetches = strong.length > 0 || training.length > 0 ? strong : weak;
  return { fetches, targets: fetches.length > 0 ? training : [...training, ...effects], origin: "ends" };
}

interface Ends {
  /** Computed tensors that nothing reads. */
  readonly strong: readonly string[];
  /** Tensors that nothing reads because they are by-products: constants, shapes, reads of variables, gradients. */
  readonly weak: readonly string[];
  /** Operations that nothing waits for and that end an optimizer's step. */
  readonly training: readonly string[];
  /** Other operations, without known outputs, that nothing waits for. */
  readonly effects: readonly string[];
}

function* sortedEnds(graph: ChoosableGraph, index: GraphIndex): Sliced<Ends> {
  const aside = yield* slicedHousekeeping(index, graph.notes, graph.library);
  const conditional = conditionalNodes(index);
  yield;
  const trained = dependentsOf(index, namesOfOps(index, TRAINING), { throughControl: true });
  yield;
  const queueSizes = dependentsOf(index, namesOfOps(index, QUEUE_SIZE), { throughControl: false });
  yield;
  const training: string[] = [];
  const strong: string[] = [];
  const weak: string[] = [];
  const effects: string[] = [];
  yield* paused(graph.nodes.values(), (node) => {
    const { name } = node;
    if (!isEnd(index, name) || aside.has(name) || conditional.has(name)) return;
    const opDef = graph.opDef(node.op);
    // An unknown op may have outputs or not; it is run for its side effects.
    const outputs = opDef ? outputTypes(opDef, node) : [];
    // With a global step, the operation that increments it runs the training.
    if (trained.has(name) && (outputs.length === 0 || UPDATING.test(node.op))) {
      training.push(name);
      return;
    }
    if (outputs.length === 0) {
      if (assignmentKind(index, name) !== "checkpoint") effects.push(name);
      return;
    }
    const isMinor = isByTheWay(index, node) || queueSizes.has(name);
    for (const output of outputs.keys()) {
      const tensor = tensorName(name, output);
      if (node.op === "Placeholder" && !graph.fed.has(tensor)) continue;
      if (isFetchable(graph, tensor)) (isMinor ? weak : strong).push(tensor);
    }
  });
  return { strong, weak, training, effects };
}

/** Whether nothing reads a node or waits for it, except summaries: a summarized loss is still a result. */
function isEnd(index: GraphIndex, name: string): boolean {
  return readersOf(index, name).every(({ node }) => isSummary(index.nodes.get(node)));
}

function isByTheWay(index: GraphIndex, node: NodeDef): boolean {
  // A damaged graph may have a cycle of them.
  const passed = new Set<NodeDef>();
  for (let at = node; !passed.has(at); ) {
    passed.add(at);
    if (BY_THE_WAY.test(at.op) || GRADIENT_SCOPE.test(at.name)) return true;
    if (assignmentKind(index, at.name) === "by-hand") return true;
    if (at.op !== "Identity" && at.op !== "ReadVariableOp") return false;
    const source = index.nodes.get(sourcesOf(index, at.name)[0]?.node ?? "");
    if (isVariable(source)) return true;
    if (source?.op !== "ReadVariableOp") return false;
    at = source;
  }
  return false;
}

/** Nodes of a branch or a loop: fetching them fails if the branch is not taken. */
function conditionalNodes(index: GraphIndex): Set<string> {
  const found = new Set<string>();
  const open = namesOfOps(index, CONDITIONAL);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const { node } of readersOf(index, name)) {
      if (!JOINING.test(index.nodes.get(node)?.op ?? "")) open.push(node);
    }
  }
  return found;
}

function namesOfOps({ nodes }: GraphIndex, ops: RegExp): string[] {
  const matching = perOp(ops);
  return [...nodes.values()].filter(({ op }) => matching(op)).map(({ name }) => name);
}

function isFetchable({ nodes, opDef }: Pick<ChoosableGraph, "nodes" | "opDef">, tensor: string): boolean {
  const node = nodes.get(nodeOf(tensor));
  const definition = node && opDef(node.op);
  if (!node || !definition) return false;
  const dtype = outputTypes(definition, node)[outputOf(tensor)]?.dtype;
  return dtype !== undefined && !UNFETCHABLE.has(dtype);
}

function outputOf(tensor: string): number {
  return Number(/:(\d+)$/.exec(tensor)?.[1] ?? 0);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
