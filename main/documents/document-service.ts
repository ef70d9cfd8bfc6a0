/** Opening and saving graphs. What kind and format a file had when it was opened it has when it is saved. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import {
  type GraphFile,
  readGraphFile,
  type SavedModelSource,
  writeGraphFile,
} from "../../worker-runtime/graph/graph-file.js";
import type { Params } from "../api/contract.js";
import type { DocumentFile, Example } from "../api/documents.js";
import { writeFileAtomically } from "../files/atomic-write.js";
import { expandHome } from "../files/directory.js";
import { fileProblem, problem, problemOf } from "../problems.js";
import { SavedModelSources } from "./saved-model-sources.js";

/** Protobuf messages end at 2 GB; a graph must also fit into memory more than once while it is opened. */
const MAX_FILE_BYTES = 2 ** 30;

export interface ExampleLibrary {
  list(): Example[];
  /** @throws TensorFlowError NOT_FOUND */
  open(id: string): { readonly title: string; readonly metaGraph: MetaGraphDef };
}

export interface DocumentCollaborators {
  readonly examples: ExampleLibrary;
  /** Called with the path of every document that was opened or saved. */
  readonly onUsed: (path: string) => Promise<void>;
}

export class DocumentService {
  readonly #collaborators: DocumentCollaborators;
  readonly #sources = new SavedModelSources();
  /** Files that were opened or written here, which a save may replace without asking. */
  readonly #own = new Set<string>();

  constructor(collaborators: DocumentCollaborators) {
    this.#collaborators = collaborators;
  }

  examples(): Example[] {
    return this.#collaborators.examples.list();
  }

  openExample(id: string): DocumentFile {
    const example = this.#collaborators.examples.open(id);
    return {
      name: example.title,
      kind: "meta_graph",
      format: "text",
      metaGraph: MetaGraphDef.encode(example.metaGraph).finish(),
    };
  }

  /** @throws ProblemError that names the file and says why it cannot be opened. */
  async open(givenPath: string): Promise<DocumentFile> {
    const path = absolute(givenPath);
    const file = await readDocumentFile(path);
    this.#own.add(path);
    await this.#collaborators.onUsed(path);
    return { path, ...this.#describe(file, basename(path), path) };
  }

  /** A file whose content the browser holds. */
  read(name: string, bytes: Uint8Array): DocumentFile {
    return this.#describe(parseDocument(bytes, name), name, undefined);
  }

  /**
   * Writes the whole file or leaves the old one as it was.
   *
   * @throws ProblemError ALREADY_EXISTS unless the file may be replaced, or why it cannot be written.
   */
  async save(request: Params<"documents.save">): Promise<Omit<DocumentFile, "metaGraph">> {
    const path = absolute(request.path);
    if (!request.overwrite && !this.#own.has(path) && (await exists(path))) {
      throw problem("ALREADY_EXISTS", `${basename(path)} exists already.`, {
        reason: `There is another file at ${path}.`,
        remedy: "Replace it, or choose another name.",
      });
    }
    let sourceId = request.sourceId;
    let original: SavedModelSource | undefined;
    if (request.kind === "saved_model") {
      original = await this.#originalOf(sourceId, path);
      if (original && sourceId === undefined) sourceId = this.#sources.hold(original, path);
    }
    const bytes = encodeDocument(request, original);
    try {
      await writeFileAtomically(path, bytes);
    } catch (error) {
      throw fileProblem(`${path} could not be written; what was there before is unchanged`, error);
    }
    this.#own.add(path);
    await this.#collaborators.onUsed(path);
    const { kind, format } = request;
    return { path, name: basename(path), kind, format, ...(sourceId === undefined ? {} : { sourceId }) };
  }

  #describe(file: GraphFile, name: string, path: string | undefined): DocumentFile {
    const sourceId = file.original ? this.#sources.hold(file.original, path) : undefined;
    return {
      name,
      kind: file.kind,
      format: file.format,
      metaGraph: MetaGraphDef.encode(file.metaGraph).finish(),
      ...(sourceId === undefined ? {} : { sourceId }),
    };
  }

  /** The rest of the SavedModel: as it is held, as its file has it, or as the file to be replaced has it. */
  async #originalOf(sourceId: string | undefined, path: string): Promise<SavedModelSource | undefined> {
    const held = sourceId === undefined ? undefined : this.#sources.get(sourceId);
    if (held?.original) return held.original;
    const from = held?.path ?? (this.#own.has(path) ? path : undefined);
    if (from === undefined) return undefined;
    return (await readDocumentFile(from)).original;
  }
}

function absolute(path: string): string {
  if (path.includes("\0")) throw problem("INVALID_ARGUMENT", "A path cannot have a NUL character in it.");
  return resolve(expandHome(path));
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function readDocumentFile(path: string): Promise<GraphFile> {
  let bytes: Buffer;
  try {
    const stats = await stat(path);
    if (!stats.isFile() && !stats.isDirectory()) {
      throw problem("INVALID_ARGUMENT", `${path} is not a file.`, { remedy: "Choose a .pb or .pbtxt file." });
    }
    checkSize(basename(path), stats.size);
    bytes = await readFile(path);
  } catch (error) {
    throw fileProblem(`${path} cannot be opened`, error);
  }
  return parseDocument(bytes, basename(path));
}

function parseDocument(bytes: Uint8Array, name: string): GraphFile {
  checkSize(name, bytes.length);
  try {
    return readGraphFile(bytes, name);
  } catch (error) {
    throw problem("INVALID_ARGUMENT", `${name} cannot be opened as a graph.`, {
      reason: problemOf(error).message,
      remedy: "Tensordeck opens GraphDef, MetaGraphDef and SavedModel files: .pb and .pbtxt.",
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
      reason: "What the window sent is not a MetaGraphDef.",
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
