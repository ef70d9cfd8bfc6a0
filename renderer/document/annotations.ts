/** Frames and notes as a section of the document's settings. */
import { z } from "zod";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { readSettings, writeSection } from "../../worker-runtime/graph/document-settings.js";
import { ANNOTATION_COLOURS, type Annotation } from "./model.js";

const SECTION = "annotations";
const MOST = 2000;
const MAX_TEXT = 10_000;
/** More nodes are not kept for one frame or note. */
export const MAX_NODES = 10_000;

/** Smallest sizes, in canvas pixels: the title can be read. */
export const MIN_WIDTH = 96;
export const MIN_HEIGHT = 48;

const coordinate = z.number().min(-1e7).max(1e7);

export const annotationsSchema = z
  .array(
    z.object({
      id: z.string().min(1),
      kind: z.enum(["frame", "note"]),
      text: z.string().max(MAX_TEXT).default(""),
      colour: z.enum(ANNOTATION_COLOURS).catch("none"),
      at: z.object({ x: coordinate, y: coordinate }),
      width: z.number().min(MIN_WIDTH).max(1e6),
      height: z.number().min(MIN_HEIGHT).max(1e6),
      nodes: z.array(z.string()).max(MAX_NODES).optional(),
    }),
  )
  .max(MOST)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length);

/** The annotations in the collection; none if it holds no annotations or unreadable ones. */
export function readAnnotations(collection: CollectionDef | undefined): readonly Annotation[] {
  return annotationsOf(readSettings(collection)?.[SECTION]);
}

/** The annotations in a value that was read from JSON; none if it does not hold any. */
export function annotationsOf(json: unknown): readonly Annotation[] {
  return annotationsSchema.safeParse(json).data ?? [];
}

/** The collection with them in it. A document that never had any gets no collection for having none. */
export function writeAnnotations(
  collection: CollectionDef | undefined,
  annotations: readonly Annotation[],
): CollectionDef | undefined {
  if (annotations.length > 0) return writeSection(collection, SECTION, annotations);
  return readSettings(collection)?.[SECTION] === undefined
    ? collection
    : writeSection(collection, SECTION, undefined);
}
