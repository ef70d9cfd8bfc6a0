/** Functions that are open in a document: the bodies that are shown, each with a state of its own, derived from the document. */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { OpRegistry } from "../../worker-runtime/graph/op-registry.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { isArranged, NO_WEIGHTS, slicedHierarchy } from "../document/arrangement.js";
import { type Findings, slicedExamination } from "../document/examine.js";
import { bodyDocument, slicedBodyDocument } from "../document/function-body.js";
import { functionsOf, libraryOf, nameOf } from "../document/library.js";
import type { GraphDocument } from "../document/model.js";
import { slicedWiring } from "../document/wiring.js";
import { MAX_AT_ONCE } from "./background.js";
import {
  activeGraph,
  activeSession,
  type DocumentSession,
  newBodySession,
  openFunctions,
  recordPerDocument,
  showFunctions,
  useActiveGraph,
} from "./document-session.js";
import { examine, examineEdited, lookupFor, opsKnown, useDocument } from "./document-state.js";
import { useOps } from "./ops-store.js";

/** The sessions of a document's functions that were opened, by name. */
const bodies = recordPerDocument((): { readonly sessions: Map<string, DocumentSession> } => ({
  sessions: new Map(),
}));

const names = new WeakMap<DocumentSession, string>();

/** The name of the function whose body a session is of; undefined for that of a document. */
export function functionOf(session: DocumentSession): string | undefined {
  return names.get(session);
}

/** The name of the function that is shown; undefined while it is the graph itself. */
export function shownFunction(): string | undefined {
  return functionOf(activeGraph());
}

/** As `shownFunction`, for a component. */
export function useShownFunction(): string | undefined {
  return functionOf(useActiveGraph());
}

/** Shows the body of a function of the active document, within what is shown now. False if there is no such function. */
export function openFunction(name: string): boolean {
  const document = activeSession();
  const session = bodySession(document, name);
  if (!session) return false;
  const path = openFunctions(document);
  const at = path.indexOf(session);
  showFunctions(document, at < 0 ? [...path, session] : path.slice(0, at + 1));
  return true;
}

/** Goes out to the graph itself, or to one of the functions that the shown one was opened in. */
export function leaveFunctions(to?: DocumentSession): void {
  const document = activeSession();
  const path = openFunctions(document);
  showFunctions(document, to ? path.slice(0, path.indexOf(to) + 1) : []);
}

/** The results for the body of a function before it is shown. */
interface Prepared {
  readonly metaGraph: MetaGraphDef;
  readonly ops: OpRegistry;
  readonly document: GraphDocument;
  readonly findings: Findings;
}

const prepared = new WeakMap<FunctionDef, Prepared>();

/** The stages of examining a function: its nodes and their places, then its scopes, then shapes and problems. */
export type PreparationStage = "nodes" | "scopes" | "shapes";

/**
 * Computes in slices what showing a function for the first time would otherwise wait for.
 *
 * @param onStage called as each stage after the first begins
 * @returns undefined if it is small, or was shown before
 */
export function preparation(
  name: string,
  onStage: (stage: PreparationStage) => void,
): { readonly size: number; readonly work: Sliced<void> } | undefined {
  const { document: whole } = useDocument.getState();
  const definition = libraryOf(whole.metaGraph).get(name);
  const size = definition?.nodeDef.length ?? 0;
  if (!definition || size <= MAX_AT_ONCE || bodies().sessions.has(name)) return undefined;
  return { size, work: prepare(whole, definition, onStage) };
}

function* prepare(
  whole: GraphDocument,
  definition: FunctionDef,
  onStage: (stage: PreparationStage) => void,
): Sliced<void> {
  const { metaGraph } = whole;
  const { ops } = useOps.getState();
  const lookup = lookupFor(whole);
  const document = yield* slicedBodyDocument(whole, nameOf(definition), lookup);
  if (!document) return;
  onStage("scopes");
  // Remembered where they are asked for.
  yield* slicedWiring(document.nodes);
  if (isArranged(document)) yield* slicedHierarchy(document.nodes, NO_WEIGHTS);
  onStage("shapes");
  const findings = yield* slicedExamination(document, lookupFor(document), opsKnown());
  prepared.set(definition, { metaGraph, ops, document, findings });
}

/** Shows the graph, or the function of it, that an edit was made in. */
export function showWhere(name: string | undefined): void {
  if (shownFunction() === name) return;
  if (name === undefined) leaveFunctions();
  else if (libraryOf(useDocument.getState().document.metaGraph).has(name)) {
    const document = activeSession();
    const known = openFunctions(document).find((session) => functionOf(session) === name);
    if (known === undefined) showFunctions(document, []);
    openFunction(name);
  }
}

/** Shows again what was shown before, as far as its functions are still there. */
export function returnToFunctions(path: readonly DocumentSession[]): void {
  const document = activeSession();
  const { sessions } = bodies();
  const kept = path.findIndex((session) => sessions.get(functionOf(session) ?? "") !== session);
  const there = kept < 0 ? path : path.slice(0, kept);
  for (const session of there) derive(document, session);
  showFunctions(document, there);
}

/** Forgets all of them: another document has taken the place of the one that they are of. */
export function forgetFunctions(): void {
  bodies().sessions.clear();
  showFunctions(activeSession(), []);
}

function bodySession(document: DocumentSession, name: string): DocumentSession | undefined {
  const { sessions } = bodies(document);
  const session = sessions.get(name) ?? newBodySession(document);
  names.set(session, name);
  if (!derive(document, session)) return undefined;
  sessions.set(name, session);
  return session;
}

/** Takes the body of a function out of its document. False if the document has it no longer. */
function derive(parent: DocumentSession, session: DocumentSession, select?: readonly string[]): boolean {
  const { document: whole } = useDocument.of(parent).getState();
  const store = useDocument.of(session);
  const known = store.getState();
  const isKnown = bodies(parent).sessions.get(names.get(session) ?? "") === session;
  const before = isKnown ? known.document : undefined;
  const name = names.get(session) ?? "";
  const ready = before ? undefined : readyBody(whole, name);
  const document = ready?.document ?? bodyDocument(whole, name, lookupFor(whole), before);
  if (!document) return false;
  const findings = before ? examineEdited(document, known) : (ready?.findings ?? examine(document));
  const kept = select ?? [...known.selection];
  const selection = new Set(kept.filter((name) => document.nodes.has(name)));
  store.setState({
    document,
    ...findings,
    ...(select === undefined && selection.size === known.selection.size ? {} : { selection }),
    refusal: undefined,
  });
  return true;
}

/** The prepared results for a function, if the document and the ops are still the same. */
function readyBody({ metaGraph }: GraphDocument, name: string): Prepared | undefined {
  const definition = libraryOf(metaGraph).get(name);
  const known = definition && prepared.get(definition);
  return known?.metaGraph === metaGraph && known.ops === useOps.getState().ops ? known : undefined;
}

/**
 * Brings what is open up to date after the document changed; a function that is there no longer is left.
 *
 * @param select nodes of the shown function that are selected after that
 */
export function followDocumentEdit(before: GraphDocument, select?: readonly string[]): void {
  const document = activeSession();
  const { sessions } = bodies();
  if (sessions.size === 0) return;
  const after = useDocument.getState().document;
  followRenamed(before, after, sessions);
  const path = openFunctions(document);
  const shown = activeGraph();
  const follows = (session: DocumentSession) =>
    derive(document, session, session === shown ? select : undefined);
  const gone = path.findIndex((session) => !follows(session));
  const library = libraryOf(after.metaGraph);
  for (const name of sessions.keys()) if (!library.has(name)) sessions.delete(name);
  if (gone >= 0) showFunctions(document, path.slice(0, gone));
}

/** A renamed function keeps its place in the library. */
function followRenamed(
  before: GraphDocument,
  after: GraphDocument,
  sessions: Map<string, DocumentSession>,
): void {
  const [were, are] = [functionsOf(before.metaGraph), functionsOf(after.metaGraph)];
  if (were === are || were.length !== are.length) return;
  for (const [index, definition] of were.entries()) {
    const [from, to] = [nameOf(definition), are[index] ? nameOf(are[index]) : ""];
    const session = from === to ? undefined : sessions.get(from);
    if (!session) continue;
    sessions.delete(from);
    sessions.set(to, session);
    names.set(session, to);
  }
}
