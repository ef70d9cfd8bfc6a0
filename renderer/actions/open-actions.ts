/** Opens documents, each in a tab of its own. */

import { OPENED_EXTENSIONS } from "../../main/api/document-extensions.js";
import type { DocumentFile, Example } from "../../main/api/documents.js";
import type { KeptHistory } from "../../main/api/drafts.js";
import { unlessAborted } from "../../worker-runtime/cancellation/unless-aborted.js";
import type { History } from "../document/history.js";
import { inSlices } from "../document/in-slices.js";
import { restoredHistory } from "../document/kept-history/history-reader.js";
import { dismissNoticeByKey, dismissNoticesOf, showNotice, showProblem } from "../stores/app-store.js";
import {
  activateSession,
  activeSession,
  type DocumentSession,
  inSession,
  isOpen,
  openSession,
} from "../stores/document-session.js";
import { documentActions } from "../stores/document-store.js";
import { type OpenedDocument, slicedOpening } from "../stores/opening.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { freeName, isReplaceable, tabOf, tabOfExample, useTab } from "../stores/tab-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { nextTask } from "../ui/next-task.js";
import { prepareArranging } from "../viewport/arranging.js";
import { CLUSTER_EXTENSIONS, isClusterFile, openClusterFile } from "./cluster-file-actions.js";
import { fetchWhole, releaseRest } from "./fetch-document.js";
import { besideDocument, pickFile } from "./file-actions.js";

const words = texts.actions.openActions;

/** How a document came here. */
export interface OpenedAs {
  readonly example?: string | undefined;
  /** It has edits that its file lacks. */
  readonly unsaved?: boolean;
  /** The undo history that came with its draft. */
  readonly steps?: { readonly kept: KeptHistory; readonly sameFile: boolean } | undefined;
}

/** How the opening of a document is followed and cancelled. */
interface Opening {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

const NO_OPENING: Opening = { signal: new AbortController().signal, onProgress: () => undefined };

interface ReadDocument {
  readonly file: DocumentFile;
  readonly opened: OpenedDocument;
  readonly history?: History | undefined;
}

/** Reads a document in slices, so that the window goes on meanwhile. */
async function readWhole(
  answer: DocumentFile,
  { unsaved = false, steps }: OpenedAs,
  { signal, onProgress }: Opening,
): Promise<ReadDocument> {
  const file = await fetchWhole(answer, { signal, onProgress });
  const slices = { pause: nextTask, signal };
  const opened = await inSlices(slicedOpening(file, prepareArranging), slices);
  if (steps === undefined) return { file, opened };
  const { kept, sameFile } = steps;
  const history = await inSlices(restoredHistory(opened.document, kept, { unsaved, sameFile }), slices);
  return { file, opened, history };
}

/** Puts a document in the place of the one that a session has. */
function fill(
  session: DocumentSession,
  { file, opened, history }: ReadDocument,
  { example, unsaved = false }: OpenedAs,
): void {
  dismissNoticesOf(session);
  inSession(session, () => {
    documentActions.show(opened, { unsaved, history });
    uiActions.closeTensors();
    useSavedModel.setState({ sourceId: file.sourceId, withoutValues: false });
    useTab.setState({ example });
  });
}

/** Puts a document that the application has read into a session that is open. */
export async function fillSession(
  session: DocumentSession,
  file: DocumentFile,
  as: OpenedAs = {},
): Promise<void> {
  const read = await readWhole(file, as, NO_OPENING);
  if (isOpen(session)) fill(session, read, as);
}

/** Opens a document that the application has read in a tab; returns its session. */
export async function openFile(file: DocumentFile, as: OpenedAs = {}): Promise<DocumentSession> {
  const asked = activeSession();
  return place(await readWhole(file, as, NO_OPENING), as, asked, true);
}

/**
 * Shows a document: in its own tab if its file is open already, in place of a document that was not used, or else in a
 * new tab.
 *
 * @param asked what was active when it was asked for
 * @param newest false: another document was asked for later, so this one waits in the background
 */
function place(read: ReadDocument, as: OpenedAs, asked: DocumentSession, newest: boolean): DocumentSession {
  const { path } = read.file;
  const known = path === undefined || as.unsaved ? undefined : tabOf(path);
  const free = isOpen(asked) && isReplaceable(asked) ? asked : undefined;
  const session = known ?? free ?? openSession({ background: !newest });
  if (known === undefined) fill(session, read, as);
  if (newest) activateSession(session);
  return session;
}

/** Anything slower than this shows a progress message. */
const PROGRESS_AFTER_MILLIS = 300;

/** The file that could not be opened, until another one is. */
const OPEN_FAILED = "open-failed";

/** Counts the documents that were asked for; the one asked for last is shown. */
let asked = 0;

class OpeningCancelled extends Error {}

/** A call to the application, which has nothing to end if it is gone. */
const ignored = (): void => undefined;

/** Opens a document read from any source; never rejects. Its session; undefined if it could not be opened. */
async function open(
  name: string,
  read: (openingId: string, signal: AbortSignal) => Promise<DocumentFile>,
  as: OpenedAs = {},
): Promise<DocumentSession | undefined> {
  const session = activeSession();
  const turn = ++asked;
  const key = `open ${name}`;
  const abort = new AbortController();
  const { signal } = abort;
  let share = 0;
  let isShown = false;
  const tell = () => {
    isShown = true;
    const message =
      share > 0 ? words.openingSoFar({ name, percent: Math.floor(share * 100) }) : words.opening({ name });
    showNotice({
      kind: "info",
      key,
      problem: { code: "OK", message },
      action: { label: texts.common.cancel, run: () => abort.abort(new OpeningCancelled()) },
    });
  };
  dismissNoticeByKey(OPEN_FAILED);
  const timer = setTimeout(tell, PROGRESS_AFTER_MILLIS);
  const onProgress = (reached: number) => {
    const isVisible = Math.floor(reached * 20) > Math.floor(share * 20);
    share = reached;
    if (isShown && isVisible && !signal.aborted) tell();
  };
  try {
    const openingId = crypto.randomUUID();
    const cancel = () => void client().call("documents.cancelOpening", { openingId }).catch(ignored);
    signal.addEventListener("abort", cancel);
    const reading = read(openingId, signal);
    const file = await unlessAborted(reading, signal).catch((error: unknown) => {
      // The application may have read it by then.
      if (signal.aborted) reading.then(releaseRest).catch(ignored);
      throw error;
    });
    signal.removeEventListener("abort", cancel);
    const whole = await readWhole(file, as, { signal, onProgress });
    dismissNoticeByKey(key);
    return place(whole, as, session, turn === asked);
  } catch (error) {
    dismissNoticeByKey(key);
    if (!signal.aborted) showProblem(error, { key: OPEN_FAILED });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A document without nodes.
 *
 * @param leaving what it takes the place of
 */
export function emptyFile(leaving?: DocumentSession): DocumentFile {
  return { name: freeName(leaving), kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) };
}

export async function newDocument(): Promise<void> {
  const session = activeSession();
  const file = emptyFile(isReplaceable(session) ? session : undefined);
  await open(file.name, async () => file);
}

/** Opens an example; returns its session. */
export async function openExample({ id, title }: Example): Promise<DocumentSession | undefined> {
  const known = tabOfExample(id);
  if (known) activateSession(known);
  return known ?? open(title, () => client().call("documents.openExample", { id }), { example: id });
}

/** Opens a file; asks which one if no path is given. */
export async function openDocument(path?: string): Promise<void> {
  const session = activeSession();
  const chosen =
    path ??
    (await pickFile({
      ...{ mode: "open", title: words.openGraph, extensions: [...OPENED_EXTENSIONS, ...CLUSTER_EXTENSIONS] },
      ...besideDocument(),
    }));
  if (chosen === undefined) return;
  if (isClusterFile(chosen)) {
    await openClusterFile(chosen);
    return;
  }
  const known = tabOf(chosen);
  if (known) activateSession(known);
  else
    await inSession(session, () =>
      open(chosen, (openingId) => client().call("documents.open", { path: chosen, openingId })),
    );
}

/** Opens a file that the browser holds. */
export async function openDropped(file: File): Promise<void> {
  await open(file.name, async (openingId, signal) => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    signal.throwIfAborted();
    return client().call("documents.read", { name: file.name, bytes, openingId });
  });
}
