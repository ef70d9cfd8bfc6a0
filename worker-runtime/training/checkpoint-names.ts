/**
 * Under which names a checkpoint has a graph's variables: those that the graph's own nodes restore them from, and those of
 * the objects of TensorFlow 2 that they are.
 */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { SaverDef } from "../../protos/generated/tensorflow/saver.js";
import { TrackableObjectGraph } from "../../protos/generated/tensorflow/trackable_object_graph.js";
import { type EdgeEnd, type GraphIndex, indexOf, neededFor, sourcesOf } from "../graph/graph-index.js";
import { nodeOf } from "../graph/housekeeping.js";
import { isAssignment } from "../graph/initialisers.js";
import { type Tensor, tensorFromProto } from "../protocol/tensor.js";

/** A value of a checkpoint. */
export interface SavedName {
  readonly key: string;
  /** The part of it in the form of RestoreV2; "" for the whole. */
  readonly slice: string;
}

/** A graph whose variables a checkpoint may have under other names than theirs, or as parts. */
export interface SavedGraph {
  readonly graphDef: Pick<GraphDef, "node">;
  readonly saverDef?: Pick<SaverDef, "restoreOpName"> | undefined;
}

/** The part of a checkpoint in which the values of variables are found. */
export interface CheckpointContents {
  names(): readonly string[];
  read(name: string): Promise<Tensor>;
}

/** The key that has the objects of a checkpoint, as a serialized TrackableObjectGraph. */
export const OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH";

/**
 * The keys of variables in a checkpoint of tf.train.Checkpoint, by the names of the variables; empty for any other
 * checkpoint. Names of several variables are left out.
 */
export async function keysOfObjects(checkpoint: CheckpointContents): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  if (!checkpoint.names().includes(OBJECT_GRAPH_KEY)) return keys;
  const { dtype, data } = await checkpoint.read(OBJECT_GRAPH_KEY);
  const [bytes] = data;
  if (dtype !== "string" || !(bytes instanceof Uint8Array)) return keys;
  const several = new Set<string>();
  for (const { attributes } of TrackableObjectGraph.decode(bytes).nodes) {
    for (const { fullName, checkpointKey } of attributes) {
      if (keys.has(fullName) && keys.get(fullName) !== checkpointKey) several.add(fullName);
      keys.set(fullName, checkpointKey);
    }
  }
  for (const name of several) keys.delete(name);
  return keys;
}

/** Ops that pass a restored value on to the assignment. */
const PASSING: ReadonlySet<string> = new Set(["Identity", "Reshape"]);

/**
 * The names that may have each variable's value, the likeliest first: as the file's own Saver restores it, under the name
 * of the variable, and as other Savers of the graph do.
 *
 * @param restoreOp that of the file's SaverDef; undefined or "" if the file has none
 */
export function savedNames(
  graphDef: Pick<GraphDef, "node">,
  restoreOp: string | undefined,
): (variable: string) => readonly SavedName[] {
  const nodes = new Map(graphDef.node.map((node) => [node.name, node]));
  const index = indexOf(nodes);
  const own = neededFor(index, restoreOp ? [nodeOf(restoreOp)] : []);
  const ofSaver = new Map<string, SavedName[]>();
  const ofOthers = new Map<string, SavedName[]>();
  for (const node of graphDef.node) {
    const [variable, value] = isAssignment(node) ? dataOf(index, node.name) : [];
    const saved = variable && value && savedNameOf(index, value);
    if (!saved) continue;
    const known = own.has(node.name) ? ofSaver : ofOthers;
    known.set(variable.node, [...(known.get(variable.node) ?? []), saved]);
  }
  return (variable) => {
    const [first, others] = [ofSaver.get(variable) ?? [], ofOthers.get(variable) ?? []];
    // A graph without a SaverDef that has one Saver is restored by that one.
    const only = !restoreOp && others.length === 1 ? others : [];
    return [...first, ...only, { key: variable, slice: "" }, ...others];
  };
}

function dataOf(index: GraphIndex, name: string): readonly EdgeEnd[] {
  return sourcesOf(index, name).filter(({ output }) => output >= 0);
}

/** Undefined for a value that is not restored, or from a name that only a run computes. */
function savedNameOf(index: GraphIndex, value: EdgeEnd): SavedName | undefined {
  let end: EdgeEnd | undefined = value;
  // A chain is no longer than the graph, unless it is a cycle.
  for (let left = index.nodes.size; end && left > 0 && PASSING.has(opOf(index, end)); left--) {
    end = dataOf(index, end.node)[0];
  }
  if (!end || opOf(index, end) !== "RestoreV2") return undefined;
  const [, names, slices] = dataOf(index, end.node).map(({ node }) => index.nodes.get(node));
  const [key, slice] = [textIn(names, end.output), textIn(slices, end.output)];
  return key === undefined || slice === undefined ? undefined : { key, slice };
}

function opOf(index: GraphIndex, { node }: EdgeEnd): string {
  return index.nodes.get(node)?.op ?? "";
}

/** An element of a constant vector of texts. */
export function textIn(node: NodeDef | undefined, at: number): string | undefined {
  const value = node?.op === "Const" ? node.attr.get("value")?.value : undefined;
  if (value?.$case !== "tensor") return undefined;
  const tensor = tensorFromProto(value.value);
  return tensor.dtype === "string" && at < tensor.size ? String(tensor.elementText(at)) : undefined;
}
