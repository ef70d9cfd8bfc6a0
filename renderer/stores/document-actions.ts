/**
 * Every edit of the open document. Each is one undo step; a refused one leaves a reason in the store. Edits of a graph are
 * made in what is shown, which may be the body of a function; those of runs and of the cluster in the document.
 */

import type { CheckpointPlan } from "../../main/api/checkpoints.js";
import type { DocumentFile } from "../../main/api/documents.js";
import type { FeedBatches, FeedValue } from "../../main/api/feeds.js";
import type { Problem } from "../../main/api/problem.js";
import type { StopCondition } from "../../main/api/runs.js";
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce } from "../../worker-runtime/graph/slices.js";
import type { Trainable } from "../../worker-runtime/graph/training/trainable/make-trainable.js";
import { withoutPlacesInScopes } from "../document/arrangement.js";
import { clipOfText, clipText } from "../document/clip-text.js";
import { graphToRun, restoreNotes, writeDocument } from "../document/document-file.js";
import { addNode, type ConnectFrom } from "../document/edits/add.js";
import { addLayer } from "../document/edits/add-layer.js";
import { setAttr } from "../document/edits/attrs.js";
import { setCluster } from "../document/edits/cluster.js";
import { colocate, separate } from "../document/edits/colocate.js";
import { connect, disconnect, type InputEnd, type OutputEnd, removeSlot } from "../document/edits/connect.js";
import { editFunction } from "../document/edits/edit-function.js";
import { giveFirstValue } from "../document/edits/first-value.js";
import { insertCast, insertReshape, insertTranspose } from "../document/edits/insert-before.js";
import { type DataEnd, insertOnEdge } from "../document/edits/insert-on-edge.js";
import { makeTrainable } from "../document/edits/make-trainable.js";
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
  setCheckpoints,
  setEvaluation,
  setFeed,
  setSteps,
  setStops,
  setTraceEvery,
  toggleFetch,
  toggleTarget,
} from "../document/edits/run-settings.js";
import { type EditResult, edit, refused } from "../document/edits/types.js";
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
import { texts } from "../texts/texts.js";
import {
  type DocumentStore,
  examineAnew,
  examineEdited,
  lookupFor,
  lookupOp,
  newGeneration,
  useDocument,
  useGraph,
} from "./document-state.js";
import { followDocumentEdit, forgetFunctions, shownFunction, showWhere } from "./function-bodies.js";
import { type OpenedDocument, slicedOpening } from "./opening.js";
import { useOps } from "./ops-store.js";
import { noteUse } from "./recent-ops.js";
import { showRunOf } from "./run-origin.js";

const words = texts.stores.documentActions;

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
function revisionOf(history: History, openedRevision = useDocument.getState().openedRevision): number {
  const step = history.past.findLast(
    ({ operations, keepsValues }) => keepsValues !== true && operations.some(changesValues),
  );
  if (!step) return openedRevision;
  const known = revisions.get(step) ?? ++newestRevision;
  revisions.set(step, known);
  return known;
}

function changesValues(operation: Operation): boolean {
  if (operation.type === "run-config") return operation.before.feeds !== operation.after.feeds;
  if (operation.type === "run-configs")
    return operation.before.runConfig.feeds !== operation.after.runConfig.feeds;
  if (operation.type === "meta-graph") {
    return operation.before.graphDef?.library !== operation.after.graphDef?.library;
  }
  return operation.type === "nodes";
}

/** Applies a new state; values derived from the graph are only recomputed when the graph has changed. */
function setHistory(history: History, select?: readonly string[]): void {
  const before = useDocument.getState();
  const { document } = history;
  const graphChanged =
    document.nodes !== before.document.nodes || document.metaGraph !== before.document.metaGraph;
  const wanted = shownFunction() === undefined ? select : undefined;
  const chosen = new Set([...(wanted ?? before.selection)].filter((name) => document.nodes.has(name)));
  useDocument.setState({
    ...historyState(history),
    ...(graphChanged ? examineEdited(document, before) : {}),
    revision: revisionOf(history),
    ...(sameNames(chosen, before.selection) ? {} : { selection: chosen }),
    refusal: undefined,
  });
  followDocumentEdit(before.document, select);
}

function sameNames(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}

/** Makes an edit of the graph that is shown. False when it was refused; the store then has the reason. */
function perform(result: EditResult): boolean {
  const made = inDocument(result);
  if (!made.ok) {
    useGraph.setState({ refusal: made.reason });
    return false;
  }
  setHistory(commit(useDocument.getState().history, made.transaction), made.transaction.select);
  return true;
}

/** An edit of what is shown as one of the document. */
function inDocument(result: EditResult): EditResult {
  if (!result.ok) return result;
  const operations = withoutPlacesInScopes(present(), result.transaction.operations);
  const transaction = { ...result.transaction, operations };
  const name = shownFunction();
  if (name === undefined) return edit(transaction);
  return editFunction(whole(), name, present(), transaction, lookupFor(whole()));
}

/** Makes an edit of what runs do, or of the cluster, whatever graph is shown. */
function performOnDocument(result: EditResult): boolean {
  if (!result.ok) {
    useDocument.setState({ refusal: result.reason });
    return false;
  }
  setHistory(commit(useDocument.getState().history, result.transaction));
  return true;
}

/** Makes an edit of the graph that is shown. False when it was refused; the store then has the reason. */
export function performEdit(make: (document: GraphDocument) => EditResult): boolean {
  return perform(make(present()));
}

/** Makes an edit of the document, whatever graph is shown. False when it was refused. */
export function performDocumentEdit(make: (document: GraphDocument) => EditResult): boolean {
  return performOnDocument(make(whole()));
}

/** The graph that is shown. */
const present = (): GraphDocument => useGraph.getState().document;
/** The document that it is, or is a function of. */
const whole = (): GraphDocument => useDocument.getState().document;
/** Remembers an op of which a node was added. */
function used(op: string, isAdded: boolean): boolean {
  if (isAdded) noteUse(op);
  return isAdded;
}

const presentRun = (): ChosenRun => chosenRun(whole(), lookupFor(whole()));
const selected = (): string[] => [...useGraph.getState().selection];

/** Makes the newest step undone, or done again, and shows where that is. */
function travel(step: (history: History) => History, list: "past" | "future"): void {
  const { history } = useDocument.getState();
  const moved = history[list].at(-1);
  setHistory(step(history));
  const changed = new Set(moved?.operations.map(({ type }) => type));
  // Changes of the library as a whole are seen wherever the user is.
  const isInGraph = changed.has("layout") || (changed.has("nodes") && !changed.has("meta-graph"));
  if (moved?.within !== undefined || isInGraph) showWhere(moved?.within);
}

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

  /**
   * As `load`, with a document that is read already.
   *
   * @param options.history Of the document, if it has one from before.
   */
  show(
    opened: OpenedDocument,
    options: { readonly unsaved?: boolean; readonly history?: History | undefined } = {},
  ): void {
    const { findings, ops } = opened;
    const { unsaved = false, history = { ...startHistory(opened.document), savedReachable: !unsaved } } =
      options;
    const { document } = history;
    const openedRevision = ++newestRevision;
    // Undo leads to states from before it was opened, so this one has the number of its last step.
    const revision = revisionOf(history, openedRevision);
    useDocument.setState({
      ...historyState(history),
      ...findings,
      selection: new Set<string>(),
      revision,
      openedRevision,
      generation: newGeneration(),
      refusal: undefined,
    });
    forgetFunctions();
    if (ops !== useOps.getState().ops) examineAnew();
    // Values, times and errors of another graph are meaningless for this one, even where names are the same.
    showRunOf(document, revision);
  },

  markSaved(file: Omit<DocumentFile, "metaGraph" | "more">): void {
    const { history, document } = useDocument.getState();
    const { name, kind, format, path } = file;
    const stored = { ...document, name, kind, format, ...(path === undefined ? {} : { path }) };
    useDocument.setState(historyState(saved(history, stored)));
  },

  /** The serialized MetaGraphDef to save, with layout and run settings in it. */
  toMetaGraph: (): Uint8Array => writeDocument(whole()),

  /** The serialized GraphDef to run, without Tensordeck's own attributes. */
  toRunGraph: (): Uint8Array => GraphDef.encode(graphToRun(whole())).finish(),

  /**
   * A serialized MetaGraphDef with the parts of the document, besides its nodes, that tell how it is
   * restored.
   */
  toNotes: (): Uint8Array => MetaGraphDef.encode(restoreNotes(whole())).finish(),

  /** Feeds, fetches and targets of a run. A single step also fetches small tensors on the way. */
  runInputs(steps = 1): RunInputs {
    const { document, shapes } = useDocument.getState();
    return runInputs(document, lookupFor(document), shapes, steps === 1);
  },

  /** The problems that prevent the document, or the part of it that computes these, from running; empty when it can run. */
  runBlockers(inputs: BlockedInputs = documentActions.runInputs()): Problem[] {
    const { document, problems } = useDocument.getState();
    return runBlockers(document, problems, inputs);
  },

  /** The operations that must run before the document to initialize its variables, but those that have a value already. */
  initialisation(live?: ReadonlySet<string>): Initialisation {
    const { fetches, targets } = documentActions.runInputs(2);
    const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
    return initialisation(whole().nodes, roots, live);
  },

  placeholders(): NodeDef[] {
    return [...whole().nodes.values()].filter(({ op }) => op.startsWith("Placeholder"));
  },

  /** Why the last edit was refused, shown only where the edit was made. */
  takeRefusal(): string | undefined {
    const refusal = useGraph.getState().refusal ?? useDocument.getState().refusal;
    useGraph.setState({ refusal: undefined });
    useDocument.setState({ refusal: undefined });
    return refusal;
  },

  undo: (): void => travel(undo, "past"),
  redo: (): void => travel(redo, "future"),

  addNode: (op: string, position: Point, connectFrom?: ConnectFrom): boolean =>
    used(op, perform(addNode(present(), lookupOp, op, position, connectFrom))),

  /** Adds a node of an op between an input and what it reads. */
  insertOnEdge: (op: string, end: DataEnd, position: Point): boolean =>
    used(op, perform(insertOnEdge(present(), lookupOp, op, end, position))),

  /** Adds a layer block; `make` makes its nodes in a scope. */
  addLayer: (name: string, make: (scope: string) => readonly NodeDef[]): boolean =>
    perform(addLayer(present(), name, make)),

  /** Adds what trains the graph, and the run that does. */
  makeTrainable: (made: Trainable, steps: number): boolean =>
    performOnDocument(makeTrainable(whole(), made, steps)),

  deleteSelection: (): boolean => perform(deleteNodes(present(), selected())),
  deleteNodes: (names: readonly string[]): boolean => perform(deleteNodes(present(), names)),

  /** Deletes nodes; what read them then reads what they read. */
  bypassNodes: (names: readonly string[]): boolean => perform(bypassNodes(present(), lookupOp, names)),

  duplicate(): boolean {
    const clip = clipOf(present(), useGraph.getState().selection);
    if (!clip) return false;
    return perform(paste(present(), clip, freePlaceFor(present(), clip), "duplicate"));
  },

  /** The selected nodes as text for the clipboard; undefined when nothing is selected. */
  copiedText: (): string | undefined => clipText(present(), useGraph.getState().selection),

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
    return perform(paste(present(), clip, placeFor?.(clip) ?? freePlaceFor(present(), clip), "paste"));
  },

  /** Gives variables a first value of zeros, which can then be edited. */
  giveFirstValue: (variables: readonly string[]): boolean =>
    performOnDocument(giveFirstValue(whole(), lookupFor(whole()), variables)),

  rename: (from: string, to: string): boolean => perform(rename(present(), from, to)),

  /** Moves nodes to a name scope, "encoder/layer_1"; "" takes them out of theirs. */
  moveToScope: (names: readonly string[], scope: string): boolean =>
    perform(moveToScope(present(), names, scope)),

  setAttr: (node: string, attr: string, value: AttrValue | undefined): boolean =>
    perform(setAttr(present(), lookupOp, node, attr, value)),

  /** Pins nodes to a device, "/job:worker/task:0"; "" lets the master choose. */
  pin: (names: readonly string[], device: string): boolean => perform(pin(present(), names, device)),

  /** Pins each node of the graph itself to a device of its own; `label` names the edit in undo, given "3 nodes". */
  pinEach: (devices: ReadonlyMap<string, string>, label: (nodes: string) => string): boolean =>
    performOnDocument(pinEach(whole(), devices, label)),

  /** As `pin`, for nodes of the graph itself, whatever is shown. */
  pinInGraph: (names: readonly string[], device: string): boolean =>
    performOnDocument(pin(whole(), names, device)),

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
    return perform({ ok: true, transaction: { ...result.transaction, label: words.arrange } });
  },

  setFeed: (tensor: string, value: FeedValue | undefined): boolean =>
    performOnDocument(setFeed(whole(), tensor, value)),
  toggleFetch: (tensor: string): boolean => performOnDocument(toggleFetch(whole(), tensor, presentRun())),
  toggleTarget: (node: string): boolean => performOnDocument(toggleTarget(whole(), node, presentRun())),
  /** Makes a run do only this; `label` names the edit in undo. */
  chooseRun: (run: Pick<RunConfig, "fetches" | "targets">, label: string): boolean =>
    performOnDocument(chooseRun(whole(), run, label)),
  resetRun: (): boolean => performOnDocument(resetRun(whole())),
  setSteps: (steps: number): boolean => performOnDocument(setSteps(whole(), steps)),
  setTraceEvery: (every: number | undefined): boolean => performOnDocument(setTraceEvery(whole(), every)),
  setBatches: (batches: FeedBatches): boolean => performOnDocument(setBatches(whole(), batches)),
  setCheckpoints: (checkpoints: CheckpointPlan | undefined): boolean =>
    performOnDocument(setCheckpoints(whole(), checkpoints)),
  setEvaluation: (evaluation: RunConfig["evaluation"]): boolean =>
    performOnDocument(setEvaluation(whole(), evaluation)),
  setStops: (stops: readonly StopCondition[]): boolean => performOnDocument(setStops(whole(), stops)),

  addRunConfig: (): boolean => performOnDocument(addRunConfig(whole())),
  duplicateRunConfig: (name: string): boolean => performOnDocument(duplicateRunConfig(whole(), name)),
  chooseRunConfig: (name: string): boolean => performOnDocument(chooseRunConfig(whole(), name)),
  renameRunConfig: (from: string, to: string): boolean =>
    performOnDocument(renameRunConfig(whole(), from, to)),
  removeRunConfig: (name: string): boolean => performOnDocument(removeRunConfig(whole(), name)),
  setDefaultRunConfig: (name: string): boolean => performOnDocument(setDefaultRunConfig(whole(), name)),

  /** Writes the cluster that the document wants. */
  setCluster: (rows: readonly ClusterConfigRow[]): boolean => performOnDocument(setCluster(whole(), rows)),

  select(names: Iterable<string>, mode: "replace" | "add" | "toggle" = "replace"): void {
    const { selection, document } = useGraph.getState();
    const chosen = mode === "replace" ? new Set<string>() : new Set(selection);
    for (const name of names) {
      if (mode === "toggle" && chosen.has(name)) chosen.delete(name);
      else if (document.nodes.has(name)) chosen.add(name);
    }
    // The reason of a refused edit is irrelevant once the selection has changed.
    if (!sameNames(chosen, selection)) useGraph.setState({ selection: chosen, refusal: undefined });
  },

  selectAll: (): void => documentActions.select(present().nodes.keys()),
};
