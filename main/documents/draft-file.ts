/**
 * A draft on disk: a header, then one frame for each change, appended as edits come in. A frame has a length and a
 * checksum, so that one which a crash cut off is recognised and what came before it still counts.
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { type DraftChange, draftChangeSchema, draftDocumentSchema } from "../api/drafts.js";
import { writePrivateFile } from "../storage/private-files.js";

const MAGIC = Buffer.from("tensordeck draft 1\n");
/** Length and checksum, 32 bits each. */
const FRAME_HEAD_BYTES = 8;
/** A header has a name and a path, of at most 4,096 characters each. */
const MAX_HEADER_BYTES = 64 * 1024;

export const draftHeaderSchema = draftDocumentSchema.extend({
  /** The version of the file that the edits began from; absent where there was none. */
  version: z.string().optional(),
});
export type DraftHeader = z.infer<typeof draftHeaderSchema>;

/** Writes a draft with its first change, durably, in place of one that is there. Answers its size in bytes. */
export async function writeDraft(path: string, header: DraftHeader, whole: DraftChange): Promise<number> {
  const bytes = Buffer.concat([MAGIC, frameOf(header), frameOf(whole)]);
  await writePrivateFile(path, bytes);
  return bytes.length;
}

/**
 * Writes a change at the end of a draft, durably. Answers the new size in bytes.
 *
 * @param size of the draft as far as it is whole: what a write that failed left behind it is written over.
 * @throws Error ENOENT where there is no such draft.
 */
export async function appendChange(path: string, size: number, change: DraftChange): Promise<number> {
  const bytes = frameOf(change);
  const file = await open(path, "r+");
  try {
    // A full disk takes a part without an error; it gives one when it is asked to take the rest.
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

/** Every change of a draft as far as it is whole; the first is the whole document. @throws Error of Node's own. */
export async function readDraftChanges(path: string): Promise<DraftChange[]> {
  const changes: DraftChange[] = [];
  for (const frame of framesOf(await readFile(path)).slice(1)) {
    const change = draftChangeSchema.safeParse(frame);
    if (!change.success) break;
    changes.push(change.data);
  }
  return changes;
}

async function beginningOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function headerOf(frame: unknown): DraftHeader | undefined {
  const header = draftHeaderSchema.safeParse(frame);
  return header.success ? header.data : undefined;
}

function frameOf(value: DraftHeader | DraftChange): Buffer {
  const body = encode(value, { ignoreUndefined: true });
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([head, body]);
}

/** The frames of a draft up to the first that is cut off or damaged. */
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
