import { z } from "zod";
import { method, nothing } from "./method.js";
import { documentIdSchema } from "./run-state.js";

/** The outer message of a file. A file is saved as the kind that was opened. */
export const documentKindSchema = z.enum(["graph", "meta_graph", "saved_model"]);
export type DocumentKind = z.infer<typeof documentKindSchema>;
export const documentFormatSchema = z.enum(["text", "binary"]);
export type DocumentFormat = z.infer<typeof documentFormatSchema>;

export const bytesSchema = z.instanceof(Uint8Array) as z.ZodType<Uint8Array>;

/** More of a document's content is sent in several messages: the window renders and reacts to input between them. */
export const PART_BYTES = 4 * 2 ** 20;

/** A document as it travels between application and window. */
export const documentSchema = z.object({
  /** That of an example, or of a document which was open before and goes on from its draft. */
  id: documentIdSchema.optional(),
  /** Absolute path; absent for an example or a document that was never saved. */
  path: z.string().optional(),
  /** The name that the window shows. */
  name: z.string(),
  kind: documentKindSchema,
  format: documentFormatSchema,
  /** A serialized MetaGraphDef, whatever the file's own kind; its first part if there is `more`. */
  metaGraph: bytesSchema,
  /** For content that is sent in parts: the name that `documents.part` has for it, and the size of the whole. */
  more: z.object({ id: z.string(), sizeBytes: z.number() }).optional(),
  /**
   * Identifies the parts of the file that the application holds beyond `metaGraph` (a SavedModel's other graphs,
   * unknown fields) and its version on disk. Opaque; passed back to `documents.save`, so that saving under another
   * name loses nothing.
   */
  sourceId: z.string().optional(),
});
export type DocumentFile = z.infer<typeof documentSchema>;

export const exampleSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  /** The tensor that a run of it is to show; absent if it cannot run as it is. */
  result: z.string().optional(),
});
export type Example = z.infer<typeof exampleSchema>;

export const directoryEntrySchema = z.object({
  name: z.string(),
  path: z.string(),
  directory: z.boolean(),
  /** The graph of a folder that is a SavedModel, which opens as one document. */
  savedModel: z.string().optional(),
  sizeBytes: z.number(),
  /** Milliseconds since the epoch. */
  modifiedAt: z.number(),
});
export type DirectoryEntry = z.infer<typeof directoryEntrySchema>;

export const directorySchema = z.object({
  path: z.string(),
  parent: z.string().optional(),
  entries: z.array(directoryEntrySchema),
});
export type Directory = z.infer<typeof directorySchema>;

export const saveDocumentSchema = z.object({
  path: z.string().min(1),
  kind: documentKindSchema,
  format: documentFormatSchema,
  metaGraph: bytesSchema,
  /**
   * False: fail with ALREADY_EXISTS when the file is not the one that was opened, or was changed by others since
   * then.
   */
  overwrite: z.boolean(),
  /** The `sourceId` that the document was opened with. */
  sourceId: z.string().optional(),
});

export const pickFileSchema = z.object({
  mode: z.enum(["open", "save"]),
  title: z.string(),
  /** Endings without the dot. */
  extensions: z.array(z.string()),
  suggestedName: z.string().optional(),
  /** The folder in which the dialog opens; left out: the system's choice. */
  folder: z.string().optional(),
});
export type PickFile = z.infer<typeof pickFileSchema>;

/** By which the reading of a file can be cancelled. */
const openingId = z.string().min(1).max(64);

export const documentMethods = {
  "documents.examples": method(nothing, z.array(exampleSchema)),
  "documents.openExample": method(z.object({ id: z.string() }), documentSchema),
  "documents.open": method(
    z.object({ path: z.string().min(1), openingId: openingId.optional() }),
    documentSchema,
  ),
  /** Reads a file whose content the browser holds (dropped onto the window). */
  "documents.read": method(
    z.object({ name: z.string(), bytes: bytesSchema, openingId: openingId.optional() }),
    documentSchema,
  ),
  /** Ends the reading of a file, whose caller gets CANCELLED. Does nothing if it has been read. */
  "documents.cancelOpening": method(z.object({ openingId }), nothing),
  /** The next part of a document's content, of at most `PART_BYTES`. */
  "documents.part": method(z.object({ id: z.string(), offset: z.number().int().min(0) }), bytesSchema),
  /** Ends the parts of a document: all were fetched, or the rest is no longer wanted. */
  "documents.releaseParts": method(z.object({ id: z.string() }), nothing),
  "documents.save": method(saveDocumentSchema, documentSchema.omit({ metaGraph: true, more: true })),

  /** The text of a file that describes a cluster (YAML, JSON or a shell script), of at most 4 MB. */
  "files.readText": method(
    z.object({ path: z.string().min(1) }),
    z.object({ name: z.string(), text: z.string() }),
  ),
  "files.list": method(
    z.object({ path: z.string().optional(), extensions: z.array(z.string()) }),
    directorySchema,
  ),
  /** The system's own dialog; Electron host only. Resolves to undefined when the user cancels. */
  "files.pick": method(pickFileSchema, z.string().optional()),
} as const;
