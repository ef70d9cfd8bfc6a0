/** An open document: its current state, its history and its selection. Changed only by document-actions.ts. */
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { OpDef } from "../../protos/generated/tensorflow/op_def.js";
import { examineAgain, examineGraph, type Findings, slicedExamination } from "../document/examine.js";
import type { History } from "../document/history.js";
import { startHistory } from "../document/history.js";
import { callersOfChanged, libraryOf, sameSignatures } from "../document/library.js";
import { EMPTY_RUN_CONFIGS, type GraphDocument } from "../document/model.js";
import type { ProblemMap } from "../document/problems.js";
import { NO_SHAPES, type ShapeMap } from "../document/shapes.js";
import type { OpLookup } from "../document/signature.js";
import { texts } from "../texts/texts.js";
import { Background } from "./background.js";
import {
  inSession,
  ofGraph,
  openFunctions,
  openSessions,
  perDocument,
  recordPerGraph,
} from "./document-session.js";
import { engineOps, useOps } from "./ops-store.js";

export interface DocumentStore {
  readonly document: GraphDocument;
  readonly dirty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The edit that undo would revert: "Pin 3 nodes to worker/1". */
  readonly undoLabel: string | undefined;
  readonly redoLabel: string | undefined;
  readonly selection: ReadonlySet<string>;
  readonly problems: ProblemMap;
  readonly shapes: ShapeMap;
  /** Changes with every edit of the graph or of the feeds: earlier values are then "before edit". Undo restores it. */
  readonly revision: number;
  /** The revision of the document as it was opened. */
  readonly openedRevision: number;
  /** Why the last edit was refused; cleared by the next edit and by another selection. */
  readonly refusal: string | undefined;
  /** Unique for every document that is opened, in this session or another. */
  readonly generation: number;
  readonly history: History;
}

const emptyDocument = (): GraphDocument => ({
  id: crypto.randomUUID(),
  name: texts.stores.documentState.untitled,
  kind: "meta_graph",
  format: "text",
  metaGraph: MetaGraphDef.fromPartial({}),
  nodes: new Map(),
  layout: new Map(),
  ...EMPTY_RUN_CONFIGS,
  cluster: [],
  annotations: [],
});

let generations = 0;

/** A number that has not been used for a document before. */
export function newGeneration(): number {
  return generations++;
}

export const useDocument = perDocument<DocumentStore>(() => {
  const document = emptyDocument();
  return {
    document,
    dirty: false,
    canUndo: false,
    canRedo: false,
    undoLabel: undefined,
    redoLabel: undefined,
    selection: new Set<string>(),
    problems: new Map(),
    shapes: NO_SHAPES,
    revision: 0,
    openedRevision: 0,
    refusal: undefined,
    generation: newGeneration(),
    history: startHistory(document),
  };
});

/** The graph that is shown of the open document: the document itself, or the body of a function that is open. */
export const useGraph = ofGraph(useDocument);

const ownOps = new WeakMap<MetaGraphDef, OpLookup>();

/** Functions of the graph's own library, then ops of the engine, then those that the file describes itself. */
export function lookupFor(document: Pick<GraphDocument, "metaGraph">): OpLookup {
  const { metaGraph } = document;
  const known = ownOps.get(metaGraph);
  if (known) return known;
  const library = metaGraph.graphDef?.library?.function ?? [];
  const functions = byName(library.flatMap(({ signature }) => (signature ? [signature] : [])));
  const described = byName(metaGraph.metaInfoDef?.strippedOpList?.op ?? []);
  const lookup: OpLookup = Object.assign(
    (op: string) => functions.get(op) ?? engineOps(op) ?? described.get(op),
    { functionNamed: (name: string) => libraryOf(metaGraph).get(name) },
  );
  ownOps.set(metaGraph, lookup);
  return lookup;
}

function byName(ops: readonly OpDef[]): ReadonlyMap<string, OpDef> {
  return new Map(ops.map((definition) => [definition.name, definition]));
}

/** The lookup of the graph that is shown. */
export const lookupOp: OpLookup = (op) => lookupFor(useGraph.getState().document)(op);

export const opsKnown = (): boolean => useOps.getState().state === "ready";

/** Shapes and problems of a document. */
export function examine(document: GraphDocument): Findings {
  return examineGraph(document, lookupFor(document), opsKnown());
}

/** Shapes and problems after an edit, from the state before it. */
export function examineEdited(
  document: GraphDocument,
  { document: before, shapes, problems }: DocumentStore,
): Findings {
  const sameOps =
    sameSignatures(document.metaGraph, before.metaGraph) &&
    document.metaGraph.metaInfoDef === before.metaGraph.metaInfoDef;
  if (!sameOps) return examine(document);
  const calling = callersOfChanged(document.nodes, before.metaGraph, document.metaGraph);
  const known = { nodes: before.nodes, shapes, problems };
  return examineAgain(document, known, lookupFor(document), opsKnown(), calling);
}

const examinations = recordPerGraph(() => new Background());

/** Has a graph examined anew, with the present op list: in `inSession`, that of the session. */
export function examineAnew(): void {
  const { document } = useGraph.getState();
  const work = () => slicedExamination(document, lookupFor(document), opsKnown());
  examinations().start(document.nodes.size, work, (findings) => {
    const { document: now } = useGraph.getState();
    if (now.nodes === document.nodes && now.metaGraph === document.metaGraph) useGraph.setState(findings);
    else examineAnew();
  });
}

useOps.subscribe((state, before) => {
  if (state.ops === before.ops) return;
  for (const document of openSessions()) {
    for (const session of [document, ...openFunctions(document)]) inSession(session, examineAnew);
  }
});
