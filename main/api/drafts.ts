/** Drafts: unsaved edits, and documents that no file has, which the application keeps so that no crash loses them. */
import { z } from "zod";
import { bytesSchema, documentFormatSchema, documentKindSchema, documentSchema } from "./documents.js";
import { method, nothing } from "./method.js";
import { documentIdSchema } from "./run-state.js";

/** A version 4 UUID, as created by `crypto.randomUUID`: it names a file of the data folder. */
export const draftIdSchema = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/, "a draft is named by a UUID");

/** One thing that steps of the undo history hold, as its window encodes it; several steps may share one. */
const historyPartSchema = z.object({ id: z.number().int().nonnegative(), bytes: bytesSchema });

/** The undo history of the state that a change leads to. Only the window knows what is in it. */
export const draftHistorySchema = z.object({
  /** The parts that this draft has not had yet. */
  added: z.array(historyPartSchema),
  /** All parts that the history is made of. */
  used: z.array(z.number().int().nonnegative()),
  /** How the parts make a history. */
  outline: bytesSchema,
});
export type DraftHistory = z.infer<typeof draftHistorySchema>;

/** The undo history that a draft ends with. */
export const keptHistorySchema = z.object({ parts: z.array(historyPartSchema), outline: bytesSchema });
export type KeptHistory = z.infer<typeof keptHistorySchema>;

/**
 * The changes to a document since its draft was last written, in the order in which they are applied. Only changes
 * travel, so that an edit of a large graph costs no more than one of a small graph.
 */
export const draftChangeSchema = z.object({
  /** Names of removed nodes. */
  removed: z.array(z.string()),
  /** A serialized GraphDef of nodes that replace those with the same names. */
  changed: bytesSchema,
  /** New nodes, as serialized GraphDefs: with their position in the file. `after` is "" for its beginning. */
  added: z.array(z.object({ after: z.string(), nodes: bytesSchema })),
  /** A serialized MetaGraphDef without nodes that replaces everything but the nodes; absent: it is unchanged. */
  rest: bytesSchema.optional(),
  /** Absent: nothing can be undone in the state that this change leads to. */
  history: draftHistorySchema.optional(),
});
export type DraftChange = z.infer<typeof draftChangeSchema>;

/** The facts that a draft stores about its document. */
export const draftDocumentSchema = z.object({
  /** Absent in drafts of earlier versions. */
  id: documentIdSchema.optional(),
  name: z.string().max(4096),
  path: z.string().max(4096).optional(),
  kind: documentKindSchema,
  format: documentFormatSchema,
  /** True: it is as it was opened, from something that Tensordeck does not write, such as a model of Keras. */
  unedited: z.boolean().optional(),
});

export const keepDraftSchema = z.object({
  draftId: draftIdSchema,
  /**
   * Present: the draft is rewritten, and the change is the whole document. Absent: the draft is continued.
   */
  document: draftDocumentSchema
    .extend({
      /** The `sourceId` that the document was opened with: the draft remembers which version of the file it changed. */
      sourceId: z.string().optional(),
    })
    .optional(),
  change: draftChangeSchema,
});
export type KeepDraft = z.infer<typeof keepDraftSchema>;

/**
 * none: the document was never saved. same: the file is as it was when the edits began. changed: another program has
 * written it since. missing: it is no longer there.
 */
export const draftFileSchema = z.enum(["none", "same", "changed", "missing"]);

/** A draft that no window works on, to be restored or discarded. */
export const draftSchema = draftDocumentSchema.extend({
  draftId: draftIdSchema,
  /** Milliseconds since the epoch of the newest edit in it. */
  editedAt: z.number(),
  file: draftFileSchema,
});
export type Draft = z.infer<typeof draftSchema>;

export const draftMethods = {
  /** Saves unsaved edits; resolves when they are on disk. The draft is the calling window's while it is connected. */
  "documents.keepDraft": method(keepDraftSchema, nothing),
  /** Drafts that no window works on, the newest first; `own` is the one of this window before it was loaded again. */
  "documents.drafts": method(z.object({ own: draftIdSchema.optional() }), z.array(draftSchema)),
  /** The document with its unsaved edits and its undo history; the draft is the calling window's from now on. */
  "documents.restoreDraft": method(
    z.object({ draftId: draftIdSchema }),
    documentSchema.extend({ history: keptHistorySchema.optional() }),
  ),
  "documents.discardDraft": method(z.object({ draftId: draftIdSchema }), nothing),
  /** The user closes the calling window and discards its unsaved edits. */
  "documents.discardOwnDrafts": method(nothing, nothing),
} as const;
