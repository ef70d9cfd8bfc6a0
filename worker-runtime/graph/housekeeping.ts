/** Nodes that maintain a graph rather than compute its results: saving, restoring, initializing, reporting. */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dependentsOf, type GraphIndex, readersOf, sourcesOf } from "./graph-index.js";
import { isInitialiser, isRestore } from "./initialisers.js";
import { atOnce, paused, type Sliced } from "./slices.js";
import { structureOf } from "./structural-ops.js";

/** The parts of a MetaGraphDef besides its nodes. */
export type GraphNotes = Pick<MetaGraphDef, "collectionDef" | "signatureDef" | "saverDef" | "metaInfoDef">;

/** Ops that write checkpoints: nodes that wait for them belong to the saver. */
const SAVING = /^(Save|SaveV2|SaveSlices|MergeV2Checkpoints|ShardedFilename|ShardedFilespec)$/;
const SUMMARY = /^\w+Summary(V2)?$/;
/** Other ops whose results are only used for housekeeping. */
const REPORTING =
  /^(Restore|RestoreSlice|RestoreV2|IsVariableInitialized|VarIsInitializedOp|IteratorToStringHandle\w*)$/;
/** Ops that change state without computing a result that a run is for. */
const ACTING =
  /^(Assert|InitializeTable\w*|LookupTableImport(V2)?|QueueEnqueue\w*|QueueClose(V2)?|QueueCancel\w*|MakeIterator|Write\w*Summary|CreateSummary\w+|FlushSummaryWriter|CloseSummaryWriter|ReaderReset(V2)?|DestroyResourceOp|BarrierClose|StackClose(V2)?|DeleteIterator|DeleteSessionTensor)$/;

/** A test of op names that remembers its answers: a graph has many nodes of few ops. */
export function perOp(...tests: readonly RegExp[]): (op: string) => boolean {
  const known = new Map<string, boolean>();
  return (op) => {
    let answer = known.get(op);
    if (answer === undefined) {
      answer = tests.some((test) => test.test(op));
      known.set(op, answer);
    }
    return answer;
  };
}

const isSaving = perOp(SAVING);
const isReporting = perOp(REPORTING, SUMMARY);
const isActing = perOp(ACTING);

/** Collections (ops.GraphKeys) of nodes that programs run at the start or occasionally, never for their results. */
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

/** The signature whose output is the initializer of a TensorFlow 2 SavedModel. */
export const INIT_OP_SIGNATURE = "__saved_model_init_op";

/**
 * The names of these nodes. A group (NoOp) is one of them if all its control inputs are.
 * @param library the graph's functions: a call is judged by what the function does
 */
export function housekeeping(
  index: GraphIndex,
  notes: GraphNotes,
  library: readonly FunctionDef[],
): Set<string> {
  return atOnce(slicedHousekeeping(index, notes, library));
}

/** As `housekeeping`, in slices. */
export function* slicedHousekeeping(
  index: GraphIndex,
  notes: GraphNotes,
  library: readonly FunctionDef[],
): Sliced<Set<string>> {
  const functions = new Map(library.map((one) => [one.signature?.name ?? "", one]));
  const saving: string[] = [...saverNodes(notes)];
  const reporting: string[] = [];
  const found = new Set<string>(listedNodes(notes));
  yield* paused(index.nodes.values(), (node) => {
    const { name, op } = node;
    if (isSaving(op) || callsCheckpointOps(node, functions)) saving.push(name);
    else if (isReporting(op)) reporting.push(name);
    else if (isActing(op) || isInitialiser(index, name) || isInitGroup(node)) found.add(name);
  });
  for (const name of dependentsOf(index, saving, { throughControl: true })) found.add(name);
  yield;
  for (const name of dependentsOf(index, reporting, { throughControl: false })) found.add(name);
  addGroups(index, found);
  return found;
}

/** Whether a group initializes variables or tables, by the name that TensorFlow gives it. */
export function isInitGroup({ name, op }: NodeDef): boolean {
  return op === "NoOp" && /(^|\/)(init(_\d+)?|init_all_tables(_\d+)?)$/.test(name);
}

/** Whether a node only reports on its inputs. */
export function isSummary(node: NodeDef | undefined): boolean {
  return node !== undefined && SUMMARY.test(node.op);
}

function addGroups(index: GraphIndex, found: Set<string>): void {
  // How many sources of a group are not known as housekeeping. In a cycle, and behind one, some never are.
  const waiting = new Map<string, number>();
  const settled: string[] = [];
  for (const { name, op } of index.nodes.values()) {
    if (op !== "NoOp" || found.has(name)) continue;
    const unknown = sourcesOf(index, name).filter(({ node }) => !found.has(node)).length;
    waiting.set(name, unknown);
    if (unknown === 0) settled.push(name);
  }
  for (let name = settled.pop(); name !== undefined; name = settled.pop()) {
    // An empty group is not housekeeping itself, and does not affect a group that contains it.
    if (sourcesOf(index, name).length > 0) found.add(name);
    for (const { node } of readersOf(index, name)) {
      const before = waiting.get(node);
      if (before === undefined) continue;
      waiting.set(node, before - 1);
      if (before === 1) settled.push(node);
    }
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
