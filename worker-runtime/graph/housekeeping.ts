/** Nodes that serve a graph's life rather than its purpose: saving, restoring, initializing, reporting. */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dependentsOf, type GraphIndex, sourcesOf } from "./graph-index.js";
import { isInitialiser, isRestore } from "./initialisers.js";
import { structureOf } from "./structural-ops.js";

/** What a MetaGraphDef says beside its nodes. */
export type GraphNotes = Pick<MetaGraphDef, "collectionDef" | "signatureDef" | "saverDef" | "metaInfoDef">;

/** Ops that write checkpoints: nodes that wait for them belong to the saver. */
const SAVING = /^(Save|SaveV2|SaveSlices|MergeV2Checkpoints|ShardedFilename|ShardedFilespec)$/;
const SUMMARY = /^\w+Summary(V2)?$/;
/** Other ops whose results are of no use but for housekeeping. */
const REPORTING =
  /^(Restore|RestoreSlice|RestoreV2|IsVariableInitialized|VarIsInitializedOp|IteratorToStringHandle\w*)$/;
/** Ops that act on state without computing anything that a run is for. */
const ACTING =
  /^(Assert|InitializeTable\w*|LookupTableImport(V2)?|QueueEnqueue\w*|QueueClose(V2)?|QueueCancel\w*|MakeIterator|Write\w*Summary|CreateSummary\w+|FlushSummaryWriter|CloseSummaryWriter|ReaderReset(V2)?|DestroyResourceOp|BarrierClose|StackClose(V2)?|DeleteIterator|DeleteSessionTensor)$/;

/** Collections (ops.GraphKeys) of nodes that programs run at the start, or now and then, never as their purpose. */
const COLLECTIONS = [
  "init_op",
  "local_init_op",
  "ready_op",
  "ready_for_local_init_op",
  "table_initializer",
  "summaries",
  "summary_op",
  "saved_model_main_op",
  "legacy_init_op",
];

/** The output by which a SavedModel of TensorFlow 2 names what initializes it. */
export const INIT_OP_SIGNATURE = "__saved_model_init_op";

/**
 * The names of these nodes. A group (NoOp) is one of them when all that it waits for is.
 * @param library the graph's functions: a call is judged by what the function does
 */
export function housekeeping(
  index: GraphIndex,
  notes: GraphNotes,
  library: readonly FunctionDef[],
): Set<string> {
  const functions = new Map(library.map((one) => [one.signature?.name ?? "", one]));
  const saving: string[] = [...saverNodes(notes)];
  const reporting: string[] = [];
  const found = new Set<string>(listedNodes(notes));
  for (const node of index.nodes.values()) {
    const { name, op } = node;
    if (SAVING.test(op) || callsCheckpointOps(node, functions)) saving.push(name);
    else if (REPORTING.test(op) || SUMMARY.test(op)) reporting.push(name);
    else if (ACTING.test(op) || isInitialiser(index, name) || isInitGroup(node)) found.add(name);
  }
  for (const name of dependentsOf(index, saving, { throughControl: true })) found.add(name);
  for (const name of dependentsOf(index, reporting, { throughControl: false })) found.add(name);
  addGroups(index, found);
  return found;
}

/** Whether TensorFlow's own name for it says that a group initializes variables or tables. */
export function isInitGroup({ name, op }: NodeDef): boolean {
  return op === "NoOp" && /(^|\/)(init(_\d+)?|init_all_tables(_\d+)?)$/.test(name);
}

/** Whether a node only reports on what it reads. */
export function isSummary(node: NodeDef | undefined): boolean {
  return node !== undefined && SUMMARY.test(node.op);
}

function addGroups(index: GraphIndex, found: Set<string>): void {
  const decided = new Map<string, boolean>();
  const isGroupOfThese = (name: string): boolean => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    // A circle of groups can be no group of anything.
    decided.set(name, false);
    const result =
      found.has(name) ||
      (index.nodes.get(name)?.op === "NoOp" &&
        sourcesOf(index, name).every(({ node }) => isGroupOfThese(node)));
    decided.set(name, result);
    return result;
  };
  for (const { name, op } of index.nodes.values()) {
    // An empty group says nothing by itself; within another one it changes nothing.
    if (op === "NoOp" && sourcesOf(index, name).length > 0 && isGroupOfThese(name)) found.add(name);
  }
}

function* saverNodes({ saverDef }: GraphNotes): Generator<string> {
  if (!saverDef) return;
  yield nodeOf(saverDef.saveTensorName);
  yield nodeOf(saverDef.restoreOpName);
}

function* listedNodes({ collectionDef, signatureDef }: GraphNotes): Generator<string> {
  for (const key of COLLECTIONS) for (const name of namesIn(collectionDef, key)) yield nodeOf(name);
  const init = signatureDef.get(INIT_OP_SIGNATURE)?.outputs.get(INIT_OP_SIGNATURE)?.encoding;
  if (init?.$case === "name") yield nodeOf(init.value);
}

/** The nodes and tensors that a collection lists. */
export function namesIn(collections: MetaGraphDef["collectionDef"], key: string): readonly string[] {
  const kind = collections.get(key)?.kind;
  return kind?.$case === "nodeList" ? kind.value.value : [];
}

/** The node of "node", "node:0" and "^node". */
export function nodeOf(name: string): string {
  return name.replace(/^\^/, "").replace(/:\d+$/, "");
}

/** Whether a call's function, or one that it calls, writes or reads checkpoints. */
function callsCheckpointOps(node: NodeDef, functions: ReadonlyMap<string, FunctionDef>): boolean {
  if (structureOf(node.op).calls !== "call") return false;
  const seen = new Set<string>();
  const open = [calleeOf(node)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const inner of functions.get(name)?.nodeDef ?? []) {
      if (SAVING.test(inner.op) || isRestore(inner)) return true;
      if (structureOf(inner.op).calls === "call") open.push(calleeOf(inner));
    }
  }
  return false;
}

function calleeOf({ attr }: NodeDef): string {
  const value = attr.get("f")?.value;
  return value?.$case === "func" ? value.value.name : "";
}
