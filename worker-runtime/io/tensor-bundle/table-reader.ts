import { dataLoss, unimplemented } from "../../protocol/status.js";
import { ByteCursor } from "./byte-cursor.js";
import { crc32c, unmaskCrc } from "./crc32c.js";
import { BLOCK_TRAILER_BYTES, FOOTER_BYTES, NO_COMPRESSION, TABLE_MAGIC } from "./table-format.js";

/** No tensor has a longer name; a damaged or malicious file may repeat a long key in very few bytes. */
const MAX_KEY_BYTES = 64 * 1024;

/** The maximum size of all keys as a multiple of the file size: they share prefixes in the file but not in memory. */
const MAX_KEY_GROWTH = 64;

/**
 * The entries of a table, in the order of their keys. A key is a string with one character per byte ("latin1").
 * @param what the file's name for errors.
 * @throws TensorFlowError DATA_LOSS for a file that is damaged or not a table.
 */
export function readTable(bytes: Uint8Array, what: string): Map<string, Uint8Array> {
  const footer = new ByteCursor(bytes, what, Math.max(0, bytes.length - FOOTER_BYTES));
  if (
    bytes.length < FOOTER_BYTES ||
    TABLE_MAGIC.some((byte, at) => bytes[bytes.length - TABLE_MAGIC.length + at] !== byte)
  ) {
    throw dataLoss(
      `${what} is no index of a checkpoint: its last bytes are not those of an sstable (bad magic number).`,
    );
  }
  readHandle(footer);
  const entries = new Map<string, Uint8Array>();
  let keyBytes = 0;
  let blocksEnd = 0;
  for (const [, handle] of blockEntries(blockAt(bytes, readHandle(footer), what), what)) {
    const block = readHandle(new ByteCursor(handle, what));
    // Blocks must be in file order, as TensorFlow writes them; this also rejects a block that is listed twice.
    if (block.offset < blocksEnd) {
      throw dataLoss(`${what} is damaged: its blocks overlap.`);
    }
    blocksEnd = block.offset + block.size;
    for (const [key, value] of blockEntries(blockAt(bytes, block, what), what)) {
      keyBytes += key.length;
      if (keyBytes > bytes.length * MAX_KEY_GROWTH) {
        throw dataLoss(`${what} is damaged: its keys take more room than any tensor names do.`);
      }
      entries.set(key, value);
    }
  }
  return entries;
}

interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

function readHandle(cursor: ByteCursor): BlockHandle {
  const offset = cursor.varint();
  return { offset, size: cursor.varint() };
}

/** A block's content, after verifying its checksum. */
function blockAt(bytes: Uint8Array, { offset, size }: BlockHandle, what: string): Uint8Array {
  if (offset + size + BLOCK_TRAILER_BYTES > bytes.length) {
    throw dataLoss(`${what} is damaged: it names a block that lies beyond its end.`);
  }
  const trailer = new ByteCursor(bytes, what, offset + size);
  const [type] = trailer.take(1);
  const checksum = crc32c(bytes.subarray(offset, offset + size + 1));
  if (unmaskCrc(trailer.fixed32()) !== checksum) {
    throw dataLoss(`${what} is damaged: block checksum mismatch at byte ${offset}.`);
  }
  if (type !== NO_COMPRESSION) {
    throw unimplemented(`${what} is compressed (type ${type}); only uncompressed indexes can be read.`);
  }
  return bytes.subarray(offset, offset + size);
}

function* blockEntries(block: Uint8Array, what: string): Generator<[key: string, value: Uint8Array]> {
  const restarts = block.length < 4 ? -1 : new ByteCursor(block, what, block.length - 4).fixed32();
  const end = block.length - 4 - restarts * 4;
  if (restarts < 0 || end < 0) {
    throw dataLoss(`${what} is damaged: a block has no room for its restart points.`);
  }
  const cursor = new ByteCursor(block.subarray(0, end), what);
  let key = "";
  while (cursor.left > 0) {
    const shared = cursor.varint();
    const unshared = cursor.varint();
    const length = cursor.varint();
    if (shared > key.length || shared + unshared > MAX_KEY_BYTES) {
      throw cursor.broken("a key is longer than any tensor's name");
    }
    key = key.slice(0, shared) + Buffer.from(cursor.take(unshared)).toString("latin1");
    yield [key, cursor.take(length)];
  }
}
