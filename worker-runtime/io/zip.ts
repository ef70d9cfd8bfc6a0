/** Reads ZIP archives in memory. */
import { constants, inflateRawSync, type ZlibOptions } from "node:zlib";
import { invalidArgument } from "../protocol/status.js";

// Records and fields of a ZIP file: PKWARE's APPNOTE 6.3.
const LOCAL_FILE = 0x04034b50;
const CENTRAL_ENTRY = 0x02014b50;
const END_OF_CENTRAL = 0x06054b50;
const END_OF_CENTRAL_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const END_OF_CENTRAL_BYTES = 22;
const LOCATOR_64_BYTES = 20;
const MAX_COMMENT_BYTES = 0xffff;
const EXTRA_ZIP64 = 1;
const ALL_ONES_32 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
/** The bytes of an entry that are enough for the header of its array. */
const HEAD_BYTES = 64 * 1024;

export interface ZipEntry {
  readonly method: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly localOffset: number;
}

/** Whether a file begins like a ZIP archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** The files in a ZIP archive. Nothing is ever unpacked to a disk, so their names are only names. */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #name: string;
  readonly #kind: string;
  readonly entries = new Map<string, ZipEntry>();

  /**
   * @param kind what errors call the archive, ".npz file"
   * @throws TensorFlowError INVALID_ARGUMENT if it is damaged
   */
  constructor(bytes: Uint8Array, name: string, kind: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#name = name;
    this.#kind = kind;
    try {
      this.#readDirectory();
    } catch (error) {
      if (error instanceof RangeError) this.#damaged("its directory points outside the file");
      throw error;
    }
  }

  #damaged(how: string): never {
    throw invalidArgument(`"${this.#name}" is not a complete ${this.#kind}: ${how}.`);
  }

  #u64(offset: number): number {
    return Number(this.#view.getBigUint64(offset, true));
  }

  #readDirectory(): void {
    const view = this.#view;
    let end = this.#bytes.length - END_OF_CENTRAL_BYTES;
    const first = Math.max(0, end - MAX_COMMENT_BYTES);
    while (end >= first && view.getUint32(end, true) !== END_OF_CENTRAL) end -= 1;
    if (end < first) this.#damaged("the directory at its end is missing");
    let count = view.getUint16(end + 10, true);
    let offset = view.getUint32(end + 16, true);
    const locator = end - LOCATOR_64_BYTES;
    if (locator >= 0 && view.getUint32(locator, true) === LOCATOR_64) {
      const end64 = this.#u64(locator + 8);
      if (view.getUint32(end64, true) !== END_OF_CENTRAL_64) this.#damaged("its 64-bit directory is missing");
      count = this.#u64(end64 + 32);
      offset = this.#u64(end64 + 48);
    }
    for (let i = 0; i < count; i += 1) offset = this.#readEntry(offset);
  }

  /** Reads one entry of the directory and returns the offset of the next one. */
  #readEntry(offset: number): number {
    const view = this.#view;
    if (view.getUint32(offset, true) !== CENTRAL_ENTRY) this.#damaged("its directory is broken");
    const nameLength = view.getUint16(offset + 28, true);
    const extraLength = view.getUint16(offset + 30, true);
    const commentLength = view.getUint16(offset + 32, true);
    const nameStart = offset + 46;
    const fields = {
      size: view.getUint32(offset + 24, true),
      compressedSize: view.getUint32(offset + 20, true),
    };
    let localOffset = view.getUint32(offset + 42, true);
    const extraStart = nameStart + nameLength;
    for (let at = extraStart; at + 4 <= extraStart + extraLength; at += 4 + view.getUint16(at + 2, true)) {
      if (view.getUint16(at, true) !== EXTRA_ZIP64) continue;
      // Contains only those of the three that do not fit in 32 bits, in this order.
      let next = at + 4;
      const wide = (value: number): number => {
        if (value !== ALL_ONES_32) return value;
        next += 8;
        return this.#u64(next - 8);
      };
      fields.size = wide(fields.size);
      fields.compressedSize = wide(fields.compressedSize);
      localOffset = wide(localOffset);
    }
    const name = new TextDecoder().decode(this.#bytes.subarray(nameStart, extraStart));
    this.entries.set(name, { ...fields, localOffset, method: view.getUint16(offset + 10, true) });
    return extraStart + extraLength + commentLength;
  }

  #packed(entryName: string, entry: ZipEntry): Uint8Array {
    const view = this.#view;
    const { localOffset } = entry;
    const inFile = localOffset + 30 <= this.#bytes.length;
    if (!inFile || view.getUint32(localOffset, true) !== LOCAL_FILE)
      this.#damaged(`"${entryName}" is not where it should be`);
    const start =
      localOffset + 30 + view.getUint16(localOffset + 26, true) + view.getUint16(localOffset + 28, true);
    const packed = this.#bytes.subarray(start, start + entry.compressedSize);
    if (packed.length < entry.compressedSize) this.#damaged(`it ends within "${entryName}"`);
    return packed;
  }

  /** The whole of an entry, which never takes more memory than the archive says. */
  content(entryName: string, entry: ZipEntry): Uint8Array {
    return this.#unpacked(entryName, entry, this.#packed(entryName, entry), {
      maxOutputLength: Math.max(entry.size, 1),
    });
  }

  /** The first bytes of an entry. */
  head(entryName: string, entry: ZipEntry): Uint8Array {
    const packed = this.#packed(entryName, entry).subarray(0, HEAD_BYTES);
    return this.#unpacked(entryName, entry, packed, { finishFlush: constants.Z_SYNC_FLUSH });
  }

  #unpacked(entryName: string, entry: ZipEntry, packed: Uint8Array, options: ZlibOptions): Uint8Array {
    if (entry.method === STORED) return packed;
    if (entry.method !== DEFLATED) {
      throw invalidArgument(
        `"${entryName}" in "${this.#name}" is compressed by method ${entry.method}, not by deflate.`,
      );
    }
    try {
      return inflateRawSync(packed, options);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidArgument(`"${entryName}" in "${this.#name}" is damaged (${reason}).`, { cause: error });
    }
  }
}
