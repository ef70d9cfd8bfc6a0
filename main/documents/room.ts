/** Documents: files and examples that are opened and saved, and the folders that they are looked for in. */
import type { documentMethods, PickFile } from "../api/documents.js";
import type { HandlersOf } from "../shared/handlers.js";
import { notOnThisHost } from "../shared/problems.js";
import type { Room } from "../shared/room.js";
import { listDirectory } from "./directory.js";
import { DocumentService, type ExampleLibrary } from "./document-service.js";

export interface DocumentsOptions {
  readonly examples: ExampleLibrary;
  /** What remembers the documents that were used. */
  readonly recent: { addRecentDocument(path: string): Promise<void> };
  /** What has the system's own file dialog, where there is one. */
  readonly host: { pickFile?(request: PickFile): Promise<string | undefined> };
}

/** Where the rest of an opened document is. */
export type DocumentsPort = Pick<DocumentService, "folderOf">;

export interface DocumentsRoom extends Room<HandlersOf<typeof documentMethods>>, DocumentsPort {}

export function createDocuments({ examples, recent, host }: DocumentsOptions): DocumentsRoom {
  const service = new DocumentService({ examples, onUsed: (path) => recent.addRecentDocument(path) });
  return {
    handlers: {
      "documents.examples": () => service.examples(),
      "documents.openExample": ({ id }) => service.openExample(id),
      "documents.open": ({ path }) => service.open(path),
      "documents.read": ({ name, bytes }) => service.read(name, bytes),
      "documents.save": (request) => service.save(request),
      "files.list": ({ path, extensions }) => listDirectory(path, extensions),
      "files.pick": (request) => {
        if (host.pickFile) return host.pickFile(request);
        throw notOnThisHost("The system's file dialog", "Tensordeck runs without a desktop here.");
      },
    },
    folderOf: (sourceId) => service.folderOf(sourceId),
    dispose: async () => {},
  };
}
