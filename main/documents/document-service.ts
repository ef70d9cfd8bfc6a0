/** Opens and saves graphs. A file is saved with the kind and format that it had when it was opened. */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import {
  type ReadGraphFile,
  type SavedModelSource,
  writeGraphFile,
} from "../../worker-runtime/graph/graph-file.js";
import {
  isModelFile,
  MODEL_ENDING,
  readGraphFileApart,
  readModelFile,
} from "../../worker-runtime/import/import-model.js";
import { writeFileAtomically } from "../../worker-runtime/io/atomic-write.js";
import { savedModelFile } from "../../worker-runtime/io/saved-model-folder.js";
import type { Params, Result } from "../api/contract.js";
import type { DocumentFile, Example } from "../api/documents.js";
import { errnoOf, fileProblem, messageOf, problem, problemOf } from "../shared/problems.js";
import { type FileVersion, fileVersion } from "../storage/file-version.js";
import { expandHome } from "./directory.js";
import { type DocumentSource, DocumentSources } from "./document-sources.js";
import { draftMetaGraph } from "./draft-change.js";
import type { RestoredDraft } from "./draft-store.js";
import { copySavedModelParts } from "./saved-model-parts.js";

/** Protobuf messages are limited to 2 GB, and a graph must fit into memory more than once while it is opened. */
const MAX_FILE_BYTES = 2 ** 30;

export interface ExampleLibrary {
  list(): Example[];
  /** @throws TensorFlowError NOT_FOUND */
  open(id: string): Promise<{ readonly title: string; readonly metaGraph: MetaGraphDef }>;
}

type SavedDocument = Result<"documents.save">;

export interface DocumentCollaborators {
  readonly examples: ExampleLibrary;
  /** Called with the path of every document that was opened or saved. */
  readonly onUsed: (path: string) => Promise<void>;
}

export class DocumentService {
  readonly #collaborators: DocumentCollaborators;
  readonly #sources = new DocumentSources();
  /** Versions of files that were opened or written here, for saves that name no source. */
  readonly #own = new Map<string, FileVersion | undefined>();
  /**
   * Saves run one after the other, so that none comes between another's check of the file and its write.
   */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(collaborators: DocumentCollaborators) {
    this.#collaborators = collaborators;
  }

  examples(): Example[] {
    return this.#collaborators.examples.list();
  }

  async openExample(id: string): Promise<DocumentFile> {
    const example = await this.#collaborators.examples.open(id);
    return {
      // Every window that opens it finds its earlier runs.
      id: `example:${id}`,
      name: example.title,
      kind: "meta_graph",
      format: "text",
      metaGraph: MetaGraphDef.encode(example.metaGraph).finish(),
    };
  }

  /**
   * Opens a file, or the folder of a SavedModel.
   *
   * @param signal ends the reading, with its reason.
   * @throws ProblemError that names the file and says why it cannot be opened.
   */
  async open(givenPath: string, signal?: AbortSignal): Promise<DocumentFile> {
    const given = absolute(givenPath);
    const path = (await savedModelFile(given)) ?? given;
    // Before reading: anything written meanwhile then counts as a change.
    const version = await fileVersion(path);
    const { file, isImported } = await readDocumentFile(path, signal);
    await this.#collaborators.onUsed(path);
    if (isImported) return this.#holdImported(file, basename(path));
    this.#own.set(path, version);
    const sourceId = this.#sources.hold({ path, original: file.original, file: { path, version } });
    return { path, ...describe(file, basename(path)), sourceId };
  }

  /** A file whose content the browser holds. @param bytes are given away, and may be moved to another thread */
  async read(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<DocumentFile> {
    const { file, isImported } = await parseDocument(bytes, name, signal);
    if (isImported) return this.#holdImported(file, name);
    const sourceId = this.#sources.hold({ path: undefined, original: file.original, file: undefined });
    return { ...describe(file, name), sourceId };
  }

  /** A graph that was made of a model: it is in no file yet, and is never written to the model's. */
  #holdImported(file: ReadGraphFile, name: string): DocumentFile {
    const sourceId = this.#sources.hold({ path: undefined, original: undefined, file: undefined });
    return { ...describe(file, name.replace(MODEL_ENDING, "")), sourceId };
  }

  /** The folder of the file that a document was opened from; undefined for a file of the browser. */
  folderOf(sourceId: string): string | undefined {
    const path = this.#sources.get(sourceId)?.path;
    return path === undefined ? undefined : dirname(path);
  }

  /** The version of a file that a window knows, whether it opened the file as a source or without one. */
  versionOf(sourceId: string | undefined, path: string): FileVersion | undefined {
    const source = this.#sources.get(sourceId);
    return source ? (source.file?.path === path ? source.file.version : undefined) : this.#own.get(path);
  }

  /** The rest of a SavedModel that came from the browser, which no file has. */
  originalOf(sourceId: string | undefined): SavedModelSource | undefined {
    const source = this.#sources.get(sourceId);
    return source?.path === undefined ? source?.original : undefined;
  }

  /** A document with the unsaved edits of a draft. Its file counts as known in the version that the edits began from. */
  openDraft({ header, original, changes }: RestoredDraft): DocumentFile {
    const { version, path, hasOriginal, unedited, ...document } = header;
    const file = path === undefined ? undefined : { path, version };
    // Without a path of its own: what was kept with the draft is in no file.
    const sourceId = this.#sources.hold({ path: original ? undefined : path, original, file });
    return {
      ...document,
      ...(path === undefined ? {} : { path }),
      metaGraph: draftMetaGraph(changes),
      sourceId,
    };
  }

  /**
   * Writes the whole file or leaves the old one as it was.
   *
   * @throws ProblemError ALREADY_EXISTS when the file is not the one that the window opened or saved, or was changed
   *   since, unless it may be replaced; or why it cannot be written.
   */
  save(request: Params<"documents.save">): Promise<SavedDocument> {
    const saved = this.#saving.then(() => this.#save(request));
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #save(request: Params<"documents.save">): Promise<SavedDocument> {
    const path = absolute(request.path);
    const source = this.#sources.get(request.sourceId);
    if (!request.overwrite) await this.#checkReplacing(path, source);
    const original = request.kind === "saved_model" ? await this.#originalOf(source, path) : undefined;
    const bytes = encodeDocument(request, original);
    if (request.kind === "saved_model" && source?.path !== undefined && source.file?.path !== path) {
      await copySavedModelParts(source.path, path);
    }
    const isNew = (await fileVersion(path)) === undefined;
    try {
      await writeFileAtomically(path, bytes);
    } catch (error) {
      const what = `${path} could not be written${isNew ? "" : "; the existing file is unchanged"}`;
      if (errnoOf(error) !== "ENOENT") throw fileProblem(what, error);
      throw problem("NOT_FOUND", `${path} could not be written.`, {
        reason: `The folder ${dirname(path)} does not exist.`,
        remedy: "Choose another folder, or create this one.",
        details: messageOf(error),
      });
    }
    const file = { path, version: await fileVersion(path) };
    this.#own.set(path, file.version);
    if (source) source.file = file;
    const sourceId = (source && request.sourceId) ?? this.#sources.hold({ path, original, file });
    await this.#collaborators.onUsed(path);
    const { kind, format } = request;
    return { path, name: basename(path), kind, format, sourceId };
  }

  /** @throws ProblemError ALREADY_EXISTS when another program's changes would be lost. */
  async #checkReplacing(path: string, source: DocumentSource | undefined): Promise<void> {
    const now = await fileVersion(path);
    if (now === undefined) return;
    const isOwn = source ? source.file?.path === path : this.#own.has(path);
    if (!isOwn) {
      throw problem("ALREADY_EXISTS", `${basename(path)} already exists.`, {
        reason: `A file already exists at ${path}.`,
        remedy: "Replace it, or choose another name.",
      });
    }
    const known = source?.file ? source.file.version : this.#own.get(path);
    if (now === known) return;
    throw problem("ALREADY_EXISTS", `${basename(path)} was changed since it was opened or saved here.`, {
      reason: `Another program, or another window, wrote ${path}.`,
      remedy: "Replace it, save under another name, or open it again to see the changes.",
    });
  }

  /** The rest of the SavedModel: from memory, from its file, or from the file to be replaced. */
  async #originalOf(source: DocumentSource | undefined, path: string): Promise<SavedModelSource | undefined> {
    if (source?.original) return source.original;
    const from = source?.path ?? (this.#own.has(path) ? path : undefined);
    if (from === undefined) return undefined;
    return (await readDocumentFile(from)).file.original;
  }
}

function describe(file: ReadGraphFile, name: string) {
  const { kind, format, encoded } = file;
  return { name, kind, format, metaGraph: encoded ?? MetaGraphDef.encode(file.metaGraph).finish() };
}

function absolute(path: string): string {
  if (path.includes("\0")) throw problem("INVALID_ARGUMENT", "A path cannot have a NUL character in it.");
  return resolve(expandHome(path));
}

interface OpenedFile {
  readonly file: ReadGraphFile;
  /** Made of a file of another kind, which cannot be written. */
  readonly isImported: boolean;
}

async function readDocumentFile(path: string, signal?: AbortSignal): Promise<OpenedFile> {
  let bytes: Buffer;
  try {
    const stats = await stat(path);
    if (!stats.isFile() && !stats.isDirectory()) {
      throw problem("INVALID_ARGUMENT", `${path} is not a file.`, { remedy: "Choose a .pb or .pbtxt file." });
    }
    checkSize(basename(path), stats.size);
    bytes = await readFile(path, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileProblem(`${path} cannot be opened`, error);
  }
  return parseDocument(bytes, basename(path), signal);
}

/** @param bytes are not used by anyone else */
async function parseDocument(bytes: Uint8Array, name: string, signal?: AbortSignal): Promise<OpenedFile> {
  checkSize(name, bytes.length);
  const isModel = isModelFile(bytes, name);
  try {
    const read = isModel ? readModelFile : readGraphFileApart;
    return { file: await read(bytes, name, { signal, giveAway: true }), isImported: isModel };
  } catch (error) {
    signal?.throwIfAborted();
    throw problem("INVALID_ARGUMENT", `${name} cannot be opened as a graph.`, {
      reason: problemOf(error).message,
      // The reason says what a graph is.
      remedy: isModel
        ? "Tensordeck opens GraphDef, MetaGraphDef and SavedModel files, .pb and .pbtxt, and models: .keras, .h5 and .onnx."
        : "Choose a .pb or .pbtxt file of one, or a model: .keras, .h5 or .onnx.",
    });
  }
}

function encodeDocument(
  request: Params<"documents.save">,
  original: SavedModelSource | undefined,
): Uint8Array {
  let metaGraph: MetaGraphDef;
  try {
    metaGraph = MetaGraphDef.decode(request.metaGraph);
  } catch (error) {
    throw problem("INVALID_ARGUMENT", "The document could not be saved.", {
      reason: "The window did not send a MetaGraphDef.",
      details: problemOf(error).message,
    });
  }
  const { kind, format } = request;
  return writeGraphFile({ kind, format, metaGraph, original });
}

function checkSize(name: string, sizeBytes: number): void {
  if (sizeBytes <= MAX_FILE_BYTES) return;
  throw problem("RESOURCE_EXHAUSTED", `${name} is too large to be opened.`, {
    reason: `It has ${(sizeBytes / 2 ** 30).toFixed(1)} GiB; the window can hold graphs of up to 1 GiB.`,
    remedy: "Keep large weights in a checkpoint rather than in constants of the graph.",
  });
}
