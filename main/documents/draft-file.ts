/**
 * A draft on disk: a header, for some documents the rest of their SavedModel, then one frame for each change, appended
 * as edits come in. A frame has a length and a checksum, so that a frame truncated by a crash is recognised and
 * the preceding ones still count.
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../protos/generated/tensorflow/saved_model.js";
import type { SavedModelSource } from "../../worker-runtime/graph/graph-file.js";
import { bytesSchema } from "../api/documents.js";
import { type DraftChange, draftChangeSchema, draftDocumentSchema } from "../api/drafts.js";
import { writePrivateFile } from "../storage/private-files.js";

const MAGIC = Buffer.from("tensordeck draft 1\n");
/** Length and checksum, 32 bits each. */
const FRAME_HEAD_BYTES = 8;
/** A header has a name and a path, of at most 4,096 characters each. */
const MAX_HEADER_BYTES = 64 * 1024;

export const draftHeaderSchema = draftDocumentSchema.extend({
  /** The version of the file that the edits began from; absent if there was none. */
  version: z.string().optional(),
  /** True: a frame with the rest of the SavedModel follows. */
  hasOriginal: z.boolean().optional(),
});
export type DraftHeader = z.infer<typeof draftHeaderSchema>;

/** A SavedModel without the meta graph that is being edited, which the changes hold. */
const originalSchema = z.object({
  /** A serialized SavedModel. */
  savedModel: bytesSchema,
  /** Which of its meta graphs is being edited; an empty one stands in its place. */
  index: z.number().int().nonnegative(),
});
export type DraftOriginal = z.infer<typeof originalSchema>;

export function encodeOriginal({ savedModel, index }: SavedModelSource): DraftOriginal {
  const metaGraphs = savedModel.metaGraphs.map((metaGraph, metaGraphIndex) =>
    metaGraphIndex === index ? MetaGraphDef.fromPartial({}) : metaGraph,
  );
  return { savedModel: SavedModel.encode({ ...savedModel, metaGraphs }).finish(), index };
}

/** The contents of a draft besides its header. */
export interface DraftContent {
  /** For a SavedModel whose file is nowhere else. */
  readonly original?: SavedModelSource;
  /** Every change as far as the file is whole; the first is the whole document. */
  readonly changes: readonly DraftChange[];
}

/** Writes a draft with its first change, durably, in place of one that is there. Answers its size in bytes. */
export async function writeDraft(
  path: string,
  header: Omit<DraftHeader, "hasOriginal">,
  whole: DraftChange,
  original?: DraftOriginal,
): Promise<number> {
  const frames =
    original === undefined
      ? [frameOf(header)]
      : [frameOf({ ...header, hasOriginal: true }), frameOf(original)];
  const bytes = Buffer.concat([MAGIC, ...frames, frameOf(whole)]);
  await writePrivateFile(path, bytes);
  return bytes.length;
}

/**
 * Appends a change to a draft, durably. Returns the new size in bytes.
 *
 * @param size of the intact part of the draft: remains of a failed write are overwritten.
 * @throws Error ENOENT if there is no such draft.
 */
export async function appendChange(path: string, size: number, change: DraftChange): Promise<number> {
  const bytes = frameOf(change);
  const file = await open(path, "r+");
  try {
    // A full disk accepts a part without an error, and fails only when the rest is written.
    for (let written = 0; written < bytes.length; ) {
      written += (await file.write(bytes, written, bytes.length - written, size + written)).bytesWritten;
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  return size + bytes.length;
}

/** The header of a draft; undefined for a file that is not a draft. @throws Error of Node's own. */
export async function readDraftHeader(path: string): Promise<DraftHeader | undefined> {
  const file = await open(path, "r");
  try {
    return headerOf(framesOf(await beginningOf(file))[0]);
  } finally {
    await file.close();
  }
}

/** A draft without its header; no changes where nothing of it can be read. @throws Error of Node's own. */
export async function readDraftContent(path: string): Promise<DraftContent> {
  const [first, ...frames] = framesOf(await readFile(path));
  const original = headerOf(first)?.hasOriginal ? originalOf(frames.shift()) : undefined;
  const changes: DraftChange[] = [];
  for (const frame of frames) {
    const change = draftChangeSchema.safeParse(frame);
    if (!change.success) break;
    changes.push(change.data);
  }
  return original === undefined ? { changes } : { original, changes };
}

function originalOf(frame: unknown): SavedModelSource | undefined {
  const original = originalSchema.safeParse(frame);
  if (!original.success) return undefined;
  const { savedModel, index } = original.data;
  return { savedModel: SavedModel.decode(savedModel), index };
}

async function beginningOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function headerOf(frame: unknown): DraftHeader | undefined {
  const header = draftHeaderSchema.safeParse(frame);
  return header.success ? header.data : undefined;
}

function frameOf(value: DraftHeader | DraftOriginal | DraftChange): Buffer {
  const body = encode(value, { ignoreUndefined: true });
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([head, body]);
}

/** The frames of a draft up to the first truncated or damaged one. */
function framesOf(bytes: Buffer): unknown[] {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return [];
  const frames: unknown[] = [];
  let at = MAGIC.length;
  while (at + FRAME_HEAD_BYTES <= bytes.length) {
    const start = at + FRAME_HEAD_BYTES;
    const end = start + bytes.readUInt32LE(at);
    if (end > bytes.length) break;
    const body = bytes.subarray(start, end);
    if (crc32(body) !== bytes.readUInt32LE(at + 4)) break;
    frames.push(decode(body));
    at = end;
  }
  return frames;
}
