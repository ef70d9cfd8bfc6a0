/** Documents: files and examples that are opened and saved, and the folders that are searched for them. */
import type { documentMethods, PickFile } from "../api/documents.js";
import type { draftMethods } from "../api/drafts.js";
import type { HandlersOf } from "../shared/handlers.js";
import { defined, notOnThisHost } from "../shared/problems.js";
import type { Room } from "../shared/room.js";
import { listDirectory } from "./directory.js";
import { DocumentParts } from "./document-parts.js";
import { DocumentService, type ExampleLibrary } from "./document-service.js";
import { draftHistory } from "./draft-change.js";
import { DraftStore } from "./draft-store.js";
import { Openings } from "./openings.js";
import { readTextFile } from "./text-file.js";

export interface DocumentsOptions {
  /** Folder of the drafts. */
  readonly draftsFolder: string;
  readonly examples: ExampleLibrary;
  /** Remembers recently used documents. */
  readonly recent: { addRecentDocument(path: string): Promise<void> };
  /** Provides the system's own file dialog, if there is one. */
  readonly host: { pickFile?(request: PickFile): Promise<string | undefined> };
}

/** Locates the remaining parts of an opened document. */
export type DocumentsPort = Pick<DocumentService, "folderOf">;

export interface DocumentsRoom
  extends Room<HandlersOf<typeof documentMethods & typeof draftMethods>>,
    DocumentsPort {}

export function createDocuments({ draftsFolder, examples, recent, host }: DocumentsOptions): DocumentsRoom {
  const service = new DocumentService({ examples, onUsed: (path) => recent.addRecentDocument(path) });
  const parts = new DocumentParts();
  const openings = new Openings();
  const drafts = new DraftStore({
    folder: draftsFolder,
    versionOf: (sourceId, path) => service.versionOf(sourceId, path),
    originalOf: (sourceId) => service.originalOf(sourceId),
  });
  return {
    handlers: {
      "documents.examples": () => service.examples(),
      "documents.openExample": ({ id }) => service.openExample(id),
      "documents.open": ({ path, openingId }, { gone }) =>
        openings.follow(openingId, gone, async (signal) => parts.begin(await service.open(path, signal))),
      "documents.read": ({ name, bytes, openingId }, { gone }) =>
        openings.follow(openingId, gone, async (signal) =>
          parts.begin(await service.read(name, bytes, signal)),
        ),
      "documents.cancelOpening": ({ openingId }) => openings.cancel(openingId),
      "documents.part": ({ id, offset }) => parts.part(id, offset),
      "documents.releaseParts": ({ id }) => parts.release(id),
      "documents.save": (request) => service.save(request),
      "documents.keepDraft": (request, caller) => drafts.keep(request, caller),
      "documents.drafts": ({ own }, caller) => drafts.list(own, caller),
      "documents.restoreDraft": async ({ draftId }, caller) => {
        const draft = await drafts.restore(draftId, caller);
        return defined({ ...parts.begin(service.openDraft(draft)), history: draftHistory(draft.changes) });
      },
      "documents.discardDraft": ({ draftId }, caller) => drafts.discard(draftId, caller),
      "documents.discardOwnDrafts": (_params, caller) => drafts.discardOf(caller),
      "files.readText": ({ path }) => readTextFile(path),
      "files.list": ({ path, extensions }) => listDirectory(path, extensions),
      "files.pick": (request) => {
        if (host.pickFile) return host.pickFile(request);
        throw notOnThisHost("The system's file dialog", "Tensordeck runs without a desktop here.");
      },
    },
    folderOf: (sourceId) => service.folderOf(sourceId),
    // Before anything slow, since the program may be killed meanwhile.
    endWork: () => drafts.dispose(),
    dispose: () => drafts.dispose(),
  };
}
