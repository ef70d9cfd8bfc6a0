/**
 * The values of variables go with the variables: an edit that takes initialized variables to other tasks (pins, an applied
 * placement, colocation, undo and redo of these), or gives them other names, has their values assigned there.
 */

import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { graphToRun } from "../document/document-file.js";
import { placedAs } from "../document/edits/place.js";
import { renameAll } from "../document/edits/rename.js";
import type { GraphDocument } from "../document/model.js";
import { moversOf, variablesMovedBetween, withPinsOf } from "../placement/moved-variables.js";
import { renamedInTurn, variablesRenamedBetween, withEarlierNames } from "../placement/renamed-variables.js";
import { dismissNoticeByKey, showNotice, useApp } from "../stores/app-store.js";
import { performDocumentEdit } from "../stores/document-actions.js";
import {
  activeSession,
  type DocumentSession,
  inSession,
  isOpen,
  onSessionsOpen,
  openSessions,
  recordPerDocument,
} from "../stores/document-session.js";
import { type DocumentStore, lookupFor } from "../stores/document-state.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { confirm } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { bringBack, setAside, VALUES_NOTICE } from "./kept-values.js";
import { inspectVariables } from "./variable-reading.js";

const words = texts.actions.carriedValues;

/** A state of a document. */
type Origin = Pick<DocumentStore, "document" | "history">;

interface Carried {
  /** The state by whose pins the tasks have the values; undefined: the document as it is now. */
  origin: Origin | undefined;
  /** The names that variables have now, by those that they have in the origin. */
  renamed: ReadonlyMap<string, string>;
  working: Promise<void> | undefined;
  followed: boolean;
  /** The notice that values follow later, if it was shown. */
  waits: string | undefined;
  /** Variables were given values where the pins are now, which those that follow must not replace. */
  changedSince: boolean;
}

const carried = recordPerDocument(
  (): Carried => ({
    ...{ origin: undefined, renamed: new Map(), working: undefined, waits: undefined },
    ...{ followed: false, changedSince: false },
  }),
);

/** Has values go with variables in all documents that are open or will be. Called once at start. */
export function carryValuesFromNowOn(): void {
  const look = () => openSessions().forEach(follow);
  onSessionsOpen(look);
  look();
}

function follow(session: DocumentSession): void {
  const record = carried(session);
  if (record.followed) return;
  record.followed = true;
  useDocument.of(session).subscribe((now, before) => {
    if (now.generation !== before.generation) settle(session);
    else if (now.document.nodes !== before.document.nodes) noteEdit(session, now, before);
  });
}

function noteEdit(session: DocumentSession, now: DocumentStore, before: DocumentStore): void {
  const record = carried(session);
  const renamed = variablesRenamedBetween(before.history, now.history);
  if (!record.origin && renamed.size === 0 && movedBetween(before, now, renamed).length === 0) return;
  record.origin ??= { document: before.document, history: before.history };
  record.renamed = renamedInTurn(record.renamed, renamed);
  void inSession(session, valuesCarried);
}

/** From now on, the tasks have the values as a state of the document says. */
function leaveAt(record: Carried, origin: Origin | undefined): void {
  record.origin = origin;
  record.renamed = new Map();
}

/** Variables that may be on another task or have another name now, by their names in the origin. */
function movedBetween(origin: Origin, now: Origin, renamed: ReadonlyMap<string, string>): readonly string[] {
  const earlier = withEarlierNames(now.document, renamed);
  const moved = variablesMovedBetween(origin.document.nodes, earlier.nodes, lookupFor(earlier));
  return [...new Set([...moved, ...renamed.keys()])].filter((name) => earlier.nodes.has(name));
}

/** Resolves when the values of the open document are where its pins are; undefined if they are. Never rejects. */
export function valuesCarried(): Promise<void> | undefined {
  const session = activeSession();
  const record = carried(session);
  if (!record.origin && !record.working) return undefined;
  record.working ??= carryAll(session).finally(() => {
    record.working = undefined;
  });
  return record.working;
}

/** As `valuesCarried`, but nothing to wait for while values follow the runs of the document. */
export function valuesCarriedUnlessRunning(): Promise<void> | undefined {
  return isRunning(activeSession()) ? undefined : valuesCarried();
}

/**
 * Variables of the open document get values where its pins are now. Values that could not go there yet stay behind where
 * a variable has such a value by then.
 */
export function noteNewValues(): void {
  const record = carried();
  if (record.origin) record.changedSince = true;
}

/** The values are where the pins are, as far as they can be. */
function settle(session: DocumentSession): void {
  const record = carried(session);
  leaveAt(record, undefined);
  record.changedSince = false;
  endWaiting(session);
}

/** Edits may follow while values are on their way; these go on then. */
async function carryAll(session: DocumentSession): Promise<void> {
  const record = carried(session);
  const nodesNow = () => useDocument.of(session).getState().document.nodes;
  while (record.origin) {
    await runsAreOver(session);
    if (!isOpen(session)) return;
    const { origin } = record;
    const now: Origin = useDocument.of(session).getState();
    const { renamed } = record;
    const names = origin ? movedBetween(origin, now, renamed) : [];
    if (!origin || names.length === 0) {
      settle(session);
      return;
    }
    const outcome = await carry(session, { origin, now, names, renamed });
    // The user may have opened another document in the tab.
    if (record.origin !== origin) continue;
    if (outcome === "done") {
      carriedTo(record, now, renamed);
      record.changedSince = false;
    } else if (nodesNow() !== now.document.nodes) continue;
    else if (outcome === "later" || !takeBack(session, { origin, now, names, renamed })) return;
  }
}

/** Edits that were made meanwhile may have renamed variables again. */
function carriedTo(record: Carried, now: Origin, renamed: ReadonlyMap<string, string>): void {
  const known = new Map([...renamed].map(([from, to]) => [to, from]));
  const since = record.renamed === renamed ? new Map<string, string>() : renamedInTurn(known, record.renamed);
  record.origin = now;
  record.renamed = since;
}

/** True if a run of the document is under way or waits: it has the earlier pins, and changes the values where they are. */
function isRunning(session: DocumentSession): boolean {
  if (isActive(useDocumentRun.of(session).getState().latest)) return true;
  const { id } = useDocument.of(session).getState().document;
  return useRun.getState().queue.some(({ documentId }) => documentId === id);
}

/** Resolves at once in a tab that is closed, where no news of runs arrives any more. */
async function runsAreOver(session: DocumentSession): Promise<void> {
  const isOver = () => !isRunning(session) || !isOpen(session);
  if (isOver()) return;
  sayWaiting(session, words.afterRun);
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!isOver()) return;
      for (const unsubscribe of subscriptions) unsubscribe();
      resolve();
    };
    const subscriptions = [
      useDocumentRun.of(session).subscribe(look),
      useDocument.of(session).subscribe(look),
      useRun.subscribe(look),
      onSessionsOpen(look),
    ];
  });
  endWaiting(session);
}

interface Move {
  readonly origin: Origin;
  readonly now: Origin;
  /** Variables whose task may be another one, or that were renamed, by their names in the origin. */
  readonly names: readonly string[];
  readonly renamed: ReadonlyMap<string, string>;
}

/** "later": not before the next run or edit; "stay": the variables shall stay where they were. */
type Outcome = "done" | "later" | "stay";

async function carry(session: DocumentSession, { origin, now, names, renamed }: Move): Promise<Outcome> {
  let live: readonly string[] = [];
  try {
    const earlier = withEarlierNames(now.document, renamed);
    const nodes = withPinsOf(origin.document.nodes, earlier.nodes);
    const there = await inspect({ ...earlier, nodes });
    live = names.filter((name) => there.states.get(name)?.initialized === true);
    endWaiting(session);
    if (live.length === 0) return "done";
    const kept = await setAside(session, there.graphId, live);
    if (!kept) return "stay";
    const here = await inspect(now.document);
    const keepsOwn = carried(session).changedSince;
    const nameNow = (name: string) => renamed.get(name) ?? name;
    const moved = live.filter((name) => {
      const device = there.states.get(name)?.device;
      const own = here.states.get(nameNow(name));
      if (keepsOwn && own?.initialized) return false;
      return renamed.has(name) || device === undefined || device !== own?.device;
    });
    const keptAs = new Map(moved.filter((name) => renamed.has(name)).map((name) => [nameNow(name), name]));
    const { keptId } = kept;
    if (moved.length === 0) dismissNoticeByKey(VALUES_NOTICE, session);
    else if (await bringBack(session, here.graphId, { keptId, names: moved.map(nameNow) }, keptAs)) {
      const count = moved.length;
      say(session, keptAs.size === count ? words.renamed({ count }) : words.moved({ count }));
    } else return "stay";
    if (useVariables.of(session).getState().readAt !== undefined) await inSession(session, inspectVariables);
    return "done";
  } catch (error) {
    dismissNoticeByKey(VALUES_NOTICE, session);
    return await whenFailed(session, toProblem(error), live.length);
  }
}

async function inspect(document: GraphDocument) {
  const graph = GraphDef.encode(graphToRun(document)).finish();
  const { graphId, variables } = await client().call("variables.inspect", { graph });
  return { graphId, states: new Map(variables.map((state) => [state.name, state])) };
}

/** The graph is not finished, or a task is not started: the values follow when both are done. */
const LATER: ReadonlySet<string> = new Set(["INVALID_ARGUMENT", "FAILED_PRECONDITION"]);

/** @param live how many variables have a value, as far as that was read */
async function whenFailed(
  session: DocumentSession,
  { code, message }: Problem,
  live: number,
): Promise<Outcome> {
  if (LATER.has(code)) {
    if (live > 0) sayWaiting(session, words.later({ count: live, reason: message }));
    return "later";
  }
  if (!isOpen(session)) return "later";
  // Before the first run hardly any variable has a value, and there is nothing to ask about.
  if (live === 0 && useDocumentRun.of(session).getState().latest === undefined) return "later";
  const choice = await confirm({
    title: words.without.title,
    text: words.without.text({ reason: message }),
    choices: [{ id: "move", label: words.without.move, style: "danger" }],
  });
  return choice === "move" ? "done" : "stay";
}

/** Gives the variables their earlier pins and names. False if that changes nothing. */
function takeBack(session: DocumentSession, { origin, now, names, renamed }: Move): boolean {
  return inSession(session, () => {
    // Newer than `now` by edits that leave the nodes alone.
    const { past, future } = useDocument.getState().history;
    const { past: before } = origin.history;
    // The edit is undone, or its undo; what else was edited since is not.
    if (past.length > 0 && past.at(-2) === before.at(-1)) documentActions.undo();
    else if (future.length > 0 && future.at(-1) === before.at(-1) && past.at(-1) === before.at(-2)) {
      documentActions.redo();
    } else {
      const label = words.putBack({ count: names.length });
      const earlierNames = new Map([...renamed].map(([from, to]) => [to, from]));
      if (renamed.size > 0) performDocumentEdit((document) => renameAll(document, earlierNames, label));
      const { document: named } = useDocument.getState();
      const movers = moversOf(origin.document.nodes, named.nodes, names, lookupFor(named));
      const placed = withPinsOf(origin.document.nodes, named.nodes, movers);
      performDocumentEdit((document) => placedAs(document, placed, label));
    }
    return useDocument.getState().document.nodes !== now.document.nodes;
  });
}

/** Says that values follow later, until `endWaiting`. */
function sayWaiting(session: DocumentSession, message: string): void {
  carried(session).waits = message;
  say(session, message);
}

function endWaiting(session: DocumentSession): void {
  const record = carried(session);
  // Other work on values may have told its end in its place.
  const isShown = useApp
    .getState()
    .notices.some((notice) => notice.session === session && notice.problem.message === record.waits);
  if (isShown) dismissNoticeByKey(VALUES_NOTICE, session);
  record.waits = undefined;
}

function say(session: DocumentSession, message: string): void {
  showNotice({ kind: "info", key: VALUES_NOTICE, session, problem: { code: "OK", message } });
}
