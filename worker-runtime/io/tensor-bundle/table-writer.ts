import { internalError } from "../../protocol/status.js";
import { fixed32Bytes, varintBytes } from "./byte-cursor.js";
import { crc32c, maskCrc } from "./crc32c.js";
import { BLOCK_TRAILER_BYTES, FOOTER_BYTES, NO_COMPRESSION, TABLE_MAGIC } from "./table-format.js";

/** A block is closed once it reaches this size, as in TensorFlow. */
const BLOCK_BYTES = 256 * 1024;

/** In a data block every 16th key is written in full; in the index block, every key. */
const DATA_RESTART_INTERVAL = 16;
const INDEX_RESTART_INTERVAL = 1;

/** The position of a block in the file. */
interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

class BlockBuilder {
  readonly #restartInterval: number;
  readonly #chunks: Uint8Array[] = [];
  #restarts: number[] = [0];
  #size = 0;
  #sinceRestart = 0;
  #lastKey: Uint8Array = new Uint8Array(0);

  constructor(restartInterval: number) {
    this.#restartInterval = restartInterval;
  }

  get size(): number {
    return this.#size + 4 * this.#restarts.length + 4;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get lastKey(): Uint8Array {
    return this.#lastKey;
  }

  add(key: Uint8Array, value: Uint8Array): void {
    let shared = 0;
    if (this.#sinceRestart < this.#restartInterval) {
      const longest = Math.min(this.#lastKey.length, key.length);
      while (shared < longest && this.#lastKey[shared] === key[shared]) {
        shared += 1;
      }
    } else {
      this.#restarts.push(this.#size);
      this.#sinceRestart = 0;
    }
    const header = [
      ...varintBytes(shared),
      ...varintBytes(key.length - shared),
      ...varintBytes(value.length),
    ];
    const entry = Buffer.concat([Uint8Array.from(header), key.subarray(shared), value]);
    this.#chunks.push(entry);
    this.#size += entry.length;
    this.#sinceRestart += 1;
    this.#lastKey = key;
  }

  bytes(): Uint8Array {
    return Buffer.concat([
      ...this.#chunks,
      ...this.#restarts.map(fixed32Bytes),
      fixed32Bytes(this.#restarts.length),
    ]);
  }
}

/**
 * Encodes a table of keys and values.
 * @param entries sorted by the bytes of their unique keys.
 */
export function tableBytes(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  const write = (block: BlockBuilder): BlockHandle => {
    const bytes = block.bytes();
    const type = Uint8Array.of(NO_COMPRESSION);
    const handle = { offset, size: bytes.length };
    chunks.push(bytes, type, fixed32Bytes(maskCrc(crc32c(type, crc32c(bytes)))));
    offset += bytes.length + BLOCK_TRAILER_BYTES;
    return handle;
  };

  const index = new BlockBuilder(INDEX_RESTART_INTERVAL);
  let block = new BlockBuilder(DATA_RESTART_INTERVAL);
  const closeBlock = () => {
    if (!block.isEmpty) {
      // Any key from the block's last to the next block's first is valid here; the last one is simplest.
      const { lastKey } = block;
      index.add(lastKey, handleBytes(write(block)));
      block = new BlockBuilder(DATA_RESTART_INTERVAL);
    }
  };
  let last: Uint8Array | undefined;
  for (const [key, value] of entries) {
    if (last !== undefined && Buffer.compare(last, key) >= 0) {
      throw internalError("The keys of a table must be sorted.");
    }
    last = key;
    block.add(key, value);
    if (block.size >= BLOCK_BYTES) {
      closeBlock();
    }
  }
  closeBlock();
  const metaindex = write(new BlockBuilder(DATA_RESTART_INTERVAL));
  const footer = new Uint8Array(FOOTER_BYTES);
  footer.set([...handleBytes(metaindex), ...handleBytes(write(index))]);
  footer.set(TABLE_MAGIC, FOOTER_BYTES - TABLE_MAGIC.length);
  return Buffer.concat([...chunks, footer]);
}

function handleBytes({ offset, size }: BlockHandle): Uint8Array {
  return Uint8Array.from([...varintBytes(offset), ...varintBytes(size)]);
}
