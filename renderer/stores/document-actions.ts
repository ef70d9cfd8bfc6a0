/** Every edit of the open document. Each is one undo step; a refused one leaves a reason in the store. */
import type { DocumentFile } from "../../main/api/documents.js";
import type { FeedBatches, FeedValue } from "../../main/api/feeds.js";
import type { Problem } from "../../main/api/problem.js";
import type { StopCondition } from "../../main/api/runs.js";
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce } from "../../worker-runtime/graph/slices.js";
import { withoutPlacesInScopes } from "../document/arrangement.js";
import { clipOfText, clipText } from "../document/clip-text.js";
import { graphToRun, restoreNotes, writeDocument } from "../document/document-file.js";
import { addNode, type ConnectFrom } from "../document/edits/add.js";
import { addLayer } from "../document/edits/add-layer.js";
import { setAttr } from "../document/edits/attrs.js";
import { setCluster } from "../document/edits/cluster.js";
import { colocate, separate } from "../document/edits/colocate.js";
import { connect, disconnect, type InputEnd, type OutputEnd, removeSlot } from "../document/edits/connect.js";
import { giveFirstValue } from "../document/edits/first-value.js";
import { insertCast, insertReshape, insertTranspose } from "../document/edits/insert-before.js";
import { type DataEnd, insertOnEdge } from "../document/edits/insert-on-edge.js";
import { type Clip, clipOf, freePlaceFor, paste } from "../document/edits/paste.js";
import { moveNodes, pin, pinEach } from "../document/edits/place.js";
import { bypassNodes, deleteNodes } from "../document/edits/remove.js";
import { moveToScope, rename } from "../document/edits/rename.js";
import {
  addRunConfig,
  chooseRunConfig,
  duplicateRunConfig,
  removeRunConfig,
  renameRunConfig,
  setDefaultRunConfig,
} from "../document/edits/run-configs.js";
import {
  chooseRun,
  resetRun,
  setBatches,
  setFeed,
  setSteps,
  setStops,
  setTraceEvery,
  toggleFetch,
  toggleTarget,
} from "../document/edits/run-settings.js";
import { type EditResult, refused } from "../document/edits/types.js";
import { commit, type History, isDirty, redo, saved, startHistory, undo } from "../document/history.js";
import { type Initialisation, initialisation } from "../document/initialisers.js";
import { layeredLayout } from "../document/layout.js";
import type { ClusterConfigRow, GraphDocument, Point, RunConfig } from "../document/model.js";
import type { Operation, Transaction } from "../document/operations.js";
import {
  type BlockedInputs,
  type ChosenRun,
  chosenRun,
  type RunInputs,
  runBlockers,
  runInputs,
} from "../document/run-inputs.js";
import type { ShapeFix } from "../document/shape-fixes.js";
import { parseTensorName } from "../document/tensor-names.js";
import {
  type DocumentStore,
  examineAnew,
  examineEdited,
  lookupOp,
  newGeneration,
  useDocument,
} from "./document-state.js";
import { type OpenedDocument, slicedOpening } from "./opening.js";
import { useOps } from "./ops-store.js";
import { noteUse } from "./recent-ops.js";
import { showRunOf } from "./run-origin.js";

function historyState(history: History): Partial<DocumentStore> {
  return {
    history,
    document: history.document,
    dirty: isDirty(history),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undoLabel: history.past.at(-1)?.label,
    redoLabel: history.future.at(-1)?.label,
  };
}

const revisions = new WeakMap<Transaction, number>();
/** Counts across all documents, so that each state has a unique number. */
let newestRevision = 0;

/** The number of the state that values depend on. Undo and redo come back to the number of the state they restore. */
function revisionOf(history: History): number {
  const step = history.past.findLast(({ operations }) => operations.some(changesValues));
  if (!step) return useDocument.getState().openedRevision;
  const known = revisions.get(step) ?? ++newestRevision;
  revisions.set(step, known);
  return known;
}

function changesValues(operation: Operation): boolean {
  if (operation.type === "run-config") return operation.before.feeds !== operation.after.feeds;
  if (operation.type === "run-configs")
    return operation.before.runConfig.feeds !== operation.after.runConfig.feeds;
  return operation.type === "nodes";
}

/** Applies a new state; values derived from the graph are only recomputed when the graph has changed. */
function setHistory(history: History, selection?: Iterable<string>): void {
  const before = useDocument.getState();
  const { document } = history;
  const graphChanged =
    document.nodes !== before.document.nodes || document.metaGraph !== before.document.metaGraph;
  const chosen = new Set([...(selection ?? before.selection)].filter((name) => document.nodes.has(name)));
  useDocument.setState({
    ...historyState(history),
    ...(graphChanged ? examineEdited(document) : {}),
    revision: revisionOf(history),
    ...(sameNames(chosen, before.selection) ? {} : { selection: chosen }),
    refusal: undefined,
  });
}

function sameNames(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}

/** Makes an edit. False when it was refused; the store then has the reason. */
function perform(result: EditResult): boolean {
  if (!result.ok) {
    useDocument.setState({ refusal: result.reason });
    return false;
  }
  const operations = withoutPlacesInScopes(present(), result.transaction.operations);
  const transaction = { ...result.transaction, operations };
  setHistory(commit(useDocument.getState().history, transaction), transaction.select);
  return true;
}

/** Makes an edit of the open document. False when it was refused; the store then has the reason. */
export function performEdit(make: (document: GraphDocument) => EditResult): boolean {
  return perform(make(present()));
}

const present = (): GraphDocument => useDocument.getState().document;
/** Remembers an op of which a node was added. */
function used(op: string, isAdded: boolean): boolean {
  if (isAdded) noteUse(op);
  return isAdded;
}

const presentRun = (): ChosenRun => chosenRun(present(), lookupOp);
const selected = (): string[] => [...useDocument.getState().selection];

export const documentActions = {
  /**
   * Opens a document in place of the present one. Throws an Error that can be shown when it cannot be read.
   *
   * @param unsaved The document has edits that its file lacks: undo does not lead back to the content on
   * disk.
   */
  load(file: DocumentFile, options: { readonly unsaved?: boolean } = {}): void {
    documentActions.show(atOnce(slicedOpening(file)), options);
  },

  /** As `load`, with a document that is read already. */
  show(opened: OpenedDocument, { unsaved = false }: { readonly unsaved?: boolean } = {}): void {
    const { document, findings, ops } = opened;
    const history = startHistory(document);
    const openedRevision = ++newestRevision;
    useDocument.setState({
      ...historyState(unsaved ? { ...history, savedReachable: false } : history),
      ...findings,
      selection: new Set<string>(),
      revision: openedRevision,
      openedRevision,
      generation: newGeneration(),
      refusal: undefined,
    });
    if (ops !== useOps.getState().ops) examineAnew();
    // Values, times and errors of another graph are meaningless for this one, even where names are the same.
    showRunOf(document, openedRevision);
  },

  markSaved(file: Omit<DocumentFile, "metaGraph" | "more">): void {
    const { history, document } = useDocument.getState();
    const { name, kind, format, path } = file;
    const stored = { ...document, name, kind, format, ...(path === undefined ? {} : { path }) };
    useDocument.setState(historyState(saved(history, stored)));
  },

  /** The serialized MetaGraphDef to save, with layout and run settings in it. */
  toMetaGraph: (): Uint8Array => writeDocument(present()),

  /** The serialized GraphDef to run, without Tensordeck's own attributes. */
  toRunGraph: (): Uint8Array => GraphDef.encode(graphToRun(present())).finish(),

  /**
   * A serialized MetaGraphDef with the parts of the document, besides its nodes, that tell how it is
   * restored.
   */
  toNotes: (): Uint8Array => MetaGraphDef.encode(restoreNotes(present())).finish(),

  /** Feeds, fetches and targets of a run. A single step also fetches small tensors on the way. */
  runInputs(steps = 1): RunInputs {
    const { document, shapes } = useDocument.getState();
    return runInputs(document, lookupOp, shapes, steps === 1);
  },

  /** What prevents the document, or the part of it that computes these, from running; empty when it can run. */
  runBlockers(inputs: BlockedInputs = documentActions.runInputs()): Problem[] {
    const { document, problems } = useDocument.getState();
    return runBlockers(document, problems, inputs);
  },

  /** What must run before the document to initialize its variables. */
  initialisation(): Initialisation {
    const { fetches, targets } = documentActions.runInputs(2);
    const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
    return initialisation(present().nodes, roots);
  },

  placeholders(): NodeDef[] {
    return [...present().nodes.values()].filter(({ op }) => op.startsWith("Placeholder"));
  },

  /** Why the last edit was refused, shown only where the edit was made. */
  takeRefusal(): string | undefined {
    const { refusal } = useDocument.getState();
    useDocument.setState({ refusal: undefined });
    return refusal;
  },

  undo: (): void => setHistory(undo(useDocument.getState().history)),
  redo: (): void => setHistory(redo(useDocument.getState().history)),

  addNode: (op: string, position: Point, connectFrom?: ConnectFrom): boolean =>
    used(op, perform(addNode(present(), lookupOp, op, position, connectFrom))),

  /** Adds a node of an op between an input and what it reads. */
  insertOnEdge: (op: string, end: DataEnd, position: Point): boolean =>
    used(op, perform(insertOnEdge(present(), lookupOp, op, end, position))),

  /** Adds a layer block; `make` makes its nodes in a scope. */
  addLayer: (name: string, make: (scope: string) => readonly NodeDef[]): boolean =>
    perform(addLayer(present(), name, make)),

  deleteSelection: (): boolean => perform(deleteNodes(present(), selected())),
  deleteNodes: (names: readonly string[]): boolean => perform(deleteNodes(present(), names)),

  /** Deletes nodes; what read them then reads what they read. */
  bypassNodes: (names: readonly string[]): boolean => perform(bypassNodes(present(), lookupOp, names)),

  duplicate(): boolean {
    const clip = clipOf(present(), useDocument.getState().selection);
    if (!clip) return false;
    return perform(paste(present(), clip, freePlaceFor(present(), clip), "Duplicate"));
  },

  /** The selected nodes as text for the clipboard; undefined when nothing is selected. */
  copiedText: (): string | undefined => clipText(present(), useDocument.getState().selection),

  /**
   * Adds the nodes of a text.
   *
   * @param placeFor returns the position of their top left corner; left out or undefined: beside where they were
   * copied
   */
  pasteText(text: string, placeFor?: (clip: Clip) => Point | undefined): boolean {
    let clip: Clip;
    try {
      clip = clipOfText(text);
    } catch (error) {
      return perform(refused(error instanceof Error ? error.message : String(error)));
    }
    return perform(paste(present(), clip, placeFor?.(clip) ?? freePlaceFor(present(), clip), "Paste"));
  },

  /** Gives variables a first value of zeros, which can then be edited. */
  giveFirstValue: (variables: readonly string[]): boolean =>
    perform(giveFirstValue(present(), lookupOp, variables)),

  rename: (from: string, to: string): boolean => perform(rename(present(), from, to)),

  /** Moves nodes to a name scope, "encoder/layer_1"; "" takes them out of theirs. */
  moveToScope: (names: readonly string[], scope: string): boolean =>
    perform(moveToScope(present(), names, scope)),

  setAttr: (node: string, attr: string, value: AttrValue | undefined): boolean =>
    perform(setAttr(present(), lookupOp, node, attr, value)),

  /** Pins nodes to a device, "/job:worker/task:0"; "" lets the master choose. */
  pin: (names: readonly string[], device: string): boolean => perform(pin(present(), names, device)),

  /** Pins each node to a device of its own; `label` names the edit in undo, given "3 nodes". */
  pinEach: (devices: ReadonlyMap<string, string>, label: (nodes: string) => string): boolean =>
    perform(pinEach(present(), devices, label)),

  /** Makes nodes share the device of another one. */
  colocate: (names: readonly string[], keeper: string): boolean =>
    perform(colocate(present(), names, keeper)),
  separate: (names: readonly string[]): boolean => perform(separate(present(), names)),

  connect: (from: OutputEnd, to: InputEnd): boolean => perform(connect(present(), lookupOp, from, to)),
  disconnect: (ends: readonly { node: string; input: number }[]): boolean =>
    perform(disconnect(present(), ends)),
  insertCast: (node: string, input: number): boolean => perform(insertCast(present(), lookupOp, node, input)),
  /** Makes the shapes that reach a node fit. */
  fixShape(node: string, fix: ShapeFix): boolean {
    if (fix.kind === "reshape") {
      return perform(insertReshape(present(), lookupOp, node, fix.input, fix.sizes));
    }
    if (fix.kind === "transpose") {
      return perform(insertTranspose(present(), lookupOp, node, fix.input, fix.order));
    }
    return documentActions.setAttr(node, fix.attr, { value: { $case: "b", value: fix.value } });
  },
  removeSlot: (node: string, input: number): boolean => perform(removeSlot(present(), lookupOp, node, input)),

  moveNodes: (positions: ReadonlyMap<string, Point>, step?: string): boolean =>
    perform(moveNodes(present(), positions, step)),

  /** Lays out the whole graph again. */
  arrange(): boolean {
    const result = moveNodes(present(), layeredLayout(present().nodes));
    if (!result.ok) return perform(result);
    return perform({ ok: true, transaction: { ...result.transaction, label: "Arrange the graph" } });
  },

  setFeed: (tensor: string, value: FeedValue | undefined): boolean =>
    perform(setFeed(present(), tensor, value)),
  toggleFetch: (tensor: string): boolean => perform(toggleFetch(present(), tensor, presentRun())),
  toggleTarget: (node: string): boolean => perform(toggleTarget(present(), node, presentRun())),
  /** Makes a run do only this; `label` names the edit in undo. */
  chooseRun: (run: Pick<RunConfig, "fetches" | "targets">, label: string): boolean =>
    perform(chooseRun(present(), run, label)),
  resetRun: (): boolean => perform(resetRun(present())),
  setSteps: (steps: number): boolean => perform(setSteps(present(), steps)),
  setTraceEvery: (every: number | undefined): boolean => perform(setTraceEvery(present(), every)),
  setBatches: (batches: FeedBatches): boolean => perform(setBatches(present(), batches)),
  setStops: (stops: readonly StopCondition[]): boolean => perform(setStops(present(), stops)),

  addRunConfig: (): boolean => perform(addRunConfig(present())),
  duplicateRunConfig: (name: string): boolean => perform(duplicateRunConfig(present(), name)),
  chooseRunConfig: (name: string): boolean => perform(chooseRunConfig(present(), name)),
  renameRunConfig: (from: string, to: string): boolean => perform(renameRunConfig(present(), from, to)),
  removeRunConfig: (name: string): boolean => perform(removeRunConfig(present(), name)),
  setDefaultRunConfig: (name: string): boolean => perform(setDefaultRunConfig(present(), name)),

  /** Writes the cluster that the document wants. */
  setCluster: (rows: readonly ClusterConfigRow[]): boolean => perform(setCluster(present(), rows)),

  select(names: Iterable<string>, mode: "replace" | "add" | "toggle" = "replace"): void {
    const { selection, document } = useDocument.getState();
    const chosen = mode === "replace" ? new Set<string>() : new Set(selection);
    for (const name of names) {
      if (mode === "toggle" && chosen.has(name)) chosen.delete(name);
      else if (document.nodes.has(name)) chosen.add(name);
    }
    // The reason of a refused edit is irrelevant once the selection has changed.
    if (!sameNames(chosen, selection)) useDocument.setState({ selection: chosen, refusal: undefined });
  },

  selectAll: (): void => documentActions.select(present().nodes.keys()),
};
