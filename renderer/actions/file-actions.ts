/** Opens and saves documents, and asks the questions that precede this. */
import type { DocumentFile, DocumentKind, Example } from "../../main/api/documents.js";
import { ProblemError } from "../../main/api/wire.js";
import { inSlices } from "../document/in-slices.js";
import type { GraphDocument } from "../document/model.js";
import { dismissNoticeByKey, showNotice, showProblem, useApp } from "../stores/app-store.js";
import { activeSession, inSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { type OpenedDocument, slicedOpening } from "../stores/opening.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { downloadFile } from "../ui/download.js";
import { listText } from "../ui/format.js";
import { nextTask } from "../ui/next-task.js";
import { fetchWhole } from "./fetch-document.js";
import { lastFolder, rememberFolder } from "./folder-memory.js";
import { folderOf } from "./paths.js";
import { dismissRunNotices } from "./run-actions.js";

export const GRAPH_EXTENSIONS = ["pbtxt", "pb", "meta"] as const;
/** Besides graphs, what can be opened: models of Keras, of which a graph is made. */
const OPENED_EXTENSIONS = [...GRAPH_EXTENSIONS, "keras", "h5", "hdf5"] as const;

const GRAPH_ENDING = /\.(pbtxt|pb|meta)$/;

/** What this tab shows; a reload shows it again. */
const TAB_KEY = "tensordeck.document";
const FIRST_EXAMPLE = "welcome";

interface Shown {
  readonly path?: string;
  readonly example?: string;
}

/** A message about a file; removed when the next file is opened or saved. */
const FILE_NOTICE = "file";

interface ShowOptions {
  readonly example?: string;
  readonly unsaved?: boolean;
}

/** Reads a document in slices, so that the window goes on meanwhile, and shows it if it is still wanted then. */
async function show(
  answer: DocumentFile,
  { example, unsaved = false }: ShowOptions = {},
  opening: Opening = NO_OPENING,
): Promise<void> {
  const session = activeSession();
  const { signal, onProgress } = opening;
  const file = await fetchWhole(answer, { signal, onProgress });
  const opened = await inSlices(slicedOpening(file), { pause: nextTask, signal });
  inSession(session, () =>
    showOpened(file, opened, { unsaved, ...(example === undefined ? {} : { example }) }),
  );
}

function showOpened(
  file: DocumentFile,
  opened: OpenedDocument,
  { example, unsaved = false }: ShowOptions,
): void {
  dismissNoticeByKey(FILE_NOTICE);
  dismissRunNotices();
  documentActions.show(opened, { unsaved });
  uiActions.closeTensors();
  useSavedModel.setState({ sourceId: file.sourceId, withoutValues: false });
  remember(file.path === undefined ? (example === undefined ? {} : { example }) : { path: file.path });
}

function remember(shown: Shown): void {
  sessionStorage.setItem(TAB_KEY, JSON.stringify(shown));
}

function remembered(): Shown {
  try {
    const shown: unknown = JSON.parse(sessionStorage.getItem(TAB_KEY) ?? "{}");
    return typeof shown === "object" && shown !== null ? shown : {};
  } catch {
    return {};
  }
}

/** Opens what this tab showed before it was reloaded; the welcome graph in a new one. */
export async function openFirstDocument(): Promise<void> {
  const { path, example = FIRST_EXAMPLE } = remembered();
  if (typeof path === "string") {
    try {
      await show(await client().call("documents.open", { path }));
      return;
    } catch (error) {
      showProblem(error);
    }
  }
  await show(await client().call("documents.openExample", { id: example }), { example });
}

/** Replaces the current document, about which the user was asked, with one whose edits are not in its file. */
export async function showUnsaved(file: DocumentFile): Promise<void> {
  await show(file, { unsaved: true });
}

/** False when the user wants to keep the present document open, or saving it failed. */
export async function mayLeave(): Promise<boolean> {
  const { dirty, document } = useDocument.getState();
  if (!dirty) return true;
  const choice = await confirm({
    title: `Save changes to ${document.name}?`,
    text: "Changes that are not saved are lost.",
    choices: [
      { id: "save", label: "Save", style: "primary" },
      { id: "discard", label: "Discard changes", style: "danger" },
    ],
  });
  if (choice === "save") return saveDocument();
  return choice === "discard";
}

/** Anything slower than this shows a progress message. */
const PROGRESS_AFTER_MILLIS = 300;

/** How the opening of a document is followed and cancelled. */
interface Opening {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

const NO_OPENING: Opening = { signal: new AbortController().signal, onProgress: () => undefined };

/** The document that is being opened, if any. */
const openings = recordPerDocument(() => ({ newest: undefined as AbortController | undefined }));

/** Replaces the open document with one read from any source; never rejects. */
async function open(name: string, read: () => Promise<DocumentFile>, example?: string): Promise<void> {
  const session = activeSession();
  const asked = openings();
  const abort = new AbortController();
  // If two are being opened, the one requested last is shown.
  asked.newest?.abort();
  asked.newest = abort;
  const { signal } = abort;
  let share = 0;
  let isShown = false;
  const tell = () => {
    isShown = true;
    const percent = share > 0 ? ` ${Math.floor(share * 100)} %` : "";
    showNotice({
      kind: "info",
      key: FILE_NOTICE,
      problem: { code: "OK", message: `Opening ${name}…${percent}` },
      action: { label: "Cancel", run: () => abort.abort(new OpeningCancelled()) },
    });
  };
  const timer = setTimeout(tell, PROGRESS_AFTER_MILLIS);
  const onProgress = (reached: number) => {
    const isVisible = Math.floor(reached * 20) > Math.floor(share * 20);
    share = reached;
    if (isShown && isVisible && !signal.aborted) tell();
  };
  try {
    const file = await unlessAborted(read(), signal);
    await inSession(session, () =>
      show(file, example === undefined ? {} : { example }, { signal, onProgress }),
    );
  } catch (error) {
    if (!signal.aborted) showProblem(error, { key: FILE_NOTICE });
    else if (signal.reason instanceof OpeningCancelled) dismissNoticeByKey(FILE_NOTICE);
  } finally {
    clearTimeout(timer);
  }
}

class OpeningCancelled extends Error {}

/** Rejects as soon as the signal is aborted; the application goes on with what it was asked for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

export async function newDocument(): Promise<void> {
  if (!(await mayLeave())) return;
  const file = {
    name: "untitled",
    kind: "meta_graph",
    format: "text",
    metaGraph: new Uint8Array(0),
  } as const;
  await open(file.name, async () => file);
}

export async function openExample({ id, title }: Example): Promise<void> {
  if (await mayLeave()) await open(title, () => client().call("documents.openExample", { id }), id);
}

/** Opens a file; asks which one if no path is given. */
export async function openDocument(path?: string): Promise<void> {
  if (!(await mayLeave())) return;
  const chosen =
    path ??
    (await pickFile({
      ...{ mode: "open", title: "Open a graph", extensions: OPENED_EXTENSIONS },
      ...besideDocument(),
    }));
  if (chosen !== undefined) await open(chosen, () => client().call("documents.open", { path: chosen }));
}

/** Opens a file that the browser holds. */
export async function openDropped(file: File): Promise<void> {
  if (!(await mayLeave())) return;
  await open(file.name, async () => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return client().call("documents.read", { name: file.name, bytes });
  });
}

/** A document's name without the ending of a graph file. */
export function baseNameOf(name: string): string {
  return name.replace(GRAPH_ENDING, "");
}

/** Downloads the document as a file, for when the application that would save it is gone. */
export function downloadGraph(): void {
  const base = baseNameOf(useDocument.getState().document.name);
  const bytes = new Uint8Array(documentActions.toMetaGraph());
  downloadFile(new Blob([bytes], { type: "application/octet-stream" }), `${base}.meta`);
}

/** Saves to the document's path; asks for one if it has none. Returns false if the user cancelled. */
export async function saveDocument(): Promise<boolean> {
  const { path } = useDocument.getState().document;
  return path === undefined ? saveDocumentAs() : write(path, false);
}

export async function saveDocumentAs(): Promise<boolean> {
  const { document } = useDocument.getState();
  const ending = document.format === "text" ? "pbtxt" : "pb";
  const base = baseNameOf(document.name);
  const path = await pickFile({
    mode: "save",
    title: "Save the graph",
    suggestedName: `${base}.${ending}`,
    ...besideDocument(),
  });
  // Both dialogs ask before they return the path of an existing file.
  return path === undefined ? false : write(path, true);
}

async function write(path: string, overwrite: boolean, chosenKind?: DocumentKind): Promise<boolean> {
  const { document } = useDocument.getState();
  const session = activeSession();
  const { sourceId } = useSavedModel.getState();
  const kind = chosenKind ?? (await kindToWrite(document));
  if (kind === undefined) return false;
  const format = /\.pbtxt$/i.test(path) ? "text" : /\.(pb|meta)$/i.test(path) ? "binary" : document.format;
  try {
    const saved = await client().call("documents.save", {
      path,
      kind,
      format,
      metaGraph: documentActions.toMetaGraph(),
      overwrite,
      ...(sourceId === undefined ? {} : { sourceId }),
    });
    // Another document may be shown by now.
    inSession(session, () => {
      documentActions.markSaved(saved);
      useSavedModel.setState({ sourceId: saved.sourceId ?? sourceId });
    });
    dismissNoticeByKey(FILE_NOTICE);
    if (saved.path !== undefined) remember({ path: saved.path });
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "ALREADY_EXISTS" || overwrite) {
      showProblem(error, { key: FILE_NOTICE });
      return false;
    }
    const choice = await confirm({
      title: "Replace the file?",
      text: error.problem.message,
      choices: [{ id: "replace", label: "Replace", style: "danger" }],
    });
    return choice === "replace" ? write(path, true, kind) : false;
  }
}

/** The generation of the document that the user chose to save without the data that its file format cannot hold. */
const choices = recordPerDocument((): { savedWithout?: number } => ({}));

/** The file format to write; asks if the document's own format cannot hold what was set in the window. */
async function kindToWrite(document: GraphDocument): Promise<DocumentKind | undefined> {
  const { generation } = useDocument.getState();
  const chosen = choices();
  const parts = partsBesideTheGraph(document);
  if (document.kind !== "graph" || parts.length === 0 || chosen.savedWithout === generation)
    return document.kind;
  const choice = await confirm({
    title: "Keep what does not fit in a GraphDef?",
    text: `${document.name} is a GraphDef, which holds nodes only. ${listText(parts)} would be lost. A MetaGraphDef keeps them, and Python reads it with import_meta_graph.`,
    choices: [
      { id: "meta_graph", label: "Save as a MetaGraphDef", style: "primary" },
      { id: "graph", label: "Save the nodes only" },
    ],
  });
  if (choice === "graph") chosen.savedWithout = generation;
  return choice === "graph" || choice === "meta_graph" ? choice : undefined;
}

/** Describes what the document keeps in its collection. */
function partsBesideTheGraph({ runConfig, otherRuns, cluster }: GraphDocument): string[] {
  const chosen = Object.keys(runConfig.feeds).length + runConfig.fetches.length + runConfig.targets.length;
  return [
    ...(otherRuns.length > 0 ? ["The run configurations"] : []),
    ...(chosen > 0 && otherRuns.length === 0 ? ["The chosen feeds and fetches"] : []),
    ...(cluster.length > 0 ? ["the cluster"] : []),
  ];
}

interface PickOptions {
  readonly mode: "open" | "save";
  readonly title: string;
  readonly extensions?: readonly string[];
  readonly suggestedName?: string;
  /** If omitted: the folder where a file of this kind was chosen last. */
  readonly folder?: string;
}

/** The folder of the open document, if it has one. */
function besideDocument(): Pick<PickOptions, "folder"> {
  const { path } = useDocument.getState().document;
  return path === undefined ? {} : { folder: folderOf(path) };
}

/** Asks the user for a path, in the system's own dialog if available; undefined if cancelled. */
export async function pickFile(options: PickOptions): Promise<string | undefined> {
  const { extensions = GRAPH_EXTENSIONS, folder = lastFolder(extensions), ...rest } = options;
  const request = { ...rest, extensions: [...extensions], ...(folder === undefined ? {} : { folder }) };
  const path =
    useApp.getState().info?.fileDialogs === "native"
      ? await client().call("files.pick", request)
      : await new Promise<string | undefined>((resolve) =>
          uiActions.open({ kind: "file", ...request, resolve }),
        );
  if (path !== undefined) rememberFolder(extensions, folderOf(path));
  return path;
}
