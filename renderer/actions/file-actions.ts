/** Saves documents, and asks for the paths of files. */
import { GRAPH_EXTENSIONS } from "../../main/api/document-extensions.js";
import type { DocumentKind } from "../../main/api/documents.js";
import { ProblemError } from "../../main/api/wire.js";
import type { GraphDocument } from "../document/model.js";
import { dismissNoticeByKey, showProblem, useApp } from "../stores/app-store.js";
import { activateSession, activeSession, inSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { tabOf, useTab } from "../stores/tab-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { downloadFile } from "../ui/download.js";
import { lastFolder, rememberFolder } from "./folder-memory.js";
import { folderOf } from "./paths.js";

const words = texts.actions.fileActions;

const GRAPH_ENDING = /\.(pbtxt|pb|meta)$/;

/** A message about a file; removed when the next file is saved. */
const FILE_NOTICE = "file";

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
  const session = activeSession();
  const { document } = useDocument.getState();
  const ending = document.format === "text" ? "pbtxt" : "pb";
  const base = baseNameOf(document.name);
  const path = await pickFile({
    mode: "save",
    title: words.saveGraph,
    suggestedName: `${base}.${ending}`,
    ...besideDocument(),
  });
  if (path === undefined) return false;
  const other = tabOf(path);
  if (other !== undefined && other !== session) {
    showProblem(openElsewhere(path), {
      key: FILE_NOTICE,
      session,
      action: { label: words.goTo, run: () => activateSession(other) },
    });
    return false;
  }
  // Both dialogs ask before they return the path of an existing file.
  return inSession(session, () => write(path, true));
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
      metaGraph: inSession(session, () => documentActions.toMetaGraph()),
      overwrite,
      ...(sourceId === undefined ? {} : { sourceId }),
    });
    // Another document may be shown by now.
    inSession(session, () => {
      documentActions.markSaved(saved);
      useSavedModel.setState({ sourceId: saved.sourceId ?? sourceId });
      useTab.setState({ example: undefined });
    });
    dismissNoticeByKey(FILE_NOTICE, session);
    if (document.path === undefined) {
      await tellSaved(useDocument.of(session).getState().document).catch((error: unknown) =>
        showProblem(error, { key: FILE_NOTICE, session }),
      );
    }
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "ALREADY_EXISTS" || overwrite) {
      showProblem(error, { key: FILE_NOTICE, session });
      return false;
    }
    const choice = await confirm({
      title: words.replaceTitle,
      text: error.problem.message,
      choices: [{ id: "replace", label: words.replace, style: "danger" }],
    });
    return choice === "replace" ? inSession(session, () => write(path, true, kind)) : false;
  }
}

/** The runs of a document that had no file stay its runs, also when the application is started anew. */
async function tellSaved({ id, name, path }: GraphDocument): Promise<void> {
  if (path !== undefined) await client().call("runs.documentSaved", { id, document: name, path });
}

/** Two tabs of one file would overwrite each other's edits. */
function openElsewhere(path: string): ProblemError {
  return new ProblemError({
    code: "FAILED_PRECONDITION",
    message: words.openElsewhere.message({ path }),
    remedy: words.openElsewhere.remedy,
  });
}

/** The generation of the document that the user chose to save without the data that its file format cannot hold. */
const choices = recordPerDocument((): { savedWithout?: number } => ({}));

/** The file format to write; asks if the document's own format cannot hold what was set in the window. */
async function kindToWrite(document: GraphDocument): Promise<DocumentKind | undefined> {
  const { generation } = useDocument.getState();
  const chosen = choices();
  const lost = lostInGraphDef(document);
  if (document.kind !== "graph" || lost === undefined || chosen.savedWithout === generation)
    return document.kind;
  const choice = await confirm({
    title: words.keep.title,
    text: words.keep.text({ name: document.name, lost }),
    choices: [
      { id: "meta_graph", label: words.keep.metaGraph, style: "primary" },
      { id: "graph", label: words.keep.nodesOnly },
    ],
  });
  if (choice === "graph") chosen.savedWithout = generation;
  return choice === "graph" || choice === "meta_graph" ? choice : undefined;
}

/** The content of the document's collection; undefined if there is none. */
function lostInGraphDef({ runConfig, otherRuns, cluster }: GraphDocument) {
  const chosen = Object.keys(runConfig.feeds).length + runConfig.fetches.length + runConfig.targets.length;
  const runs = otherRuns.length > 0 ? "runs" : chosen > 0 ? "choice" : undefined;
  if (cluster.length === 0) return runs;
  return runs === undefined ? "cluster" : (`${runs}AndCluster` as const);
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
export function besideDocument(): Pick<PickOptions, "folder"> {
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
