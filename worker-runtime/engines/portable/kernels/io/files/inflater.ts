import type { Transform } from "node:stream";
import { constants, createGunzip, createInflate } from "node:zlib";
import { dataLoss } from "../../../../../protocol/status.js";

/** How the bytes of a file are stored. */
export type Compression = "" | "GZIP" | "ZLIB";

/** Decompresses a stream piece by piece. It holds no file, so an unfinished one is garbage-collected. */
export class Inflater {
  readonly #stream: Transform;
  #unpacked: Uint8Array[] = [];
  /** Awaited besides a write's callback, which is not called after the end of the data nor for invalid data. */
  readonly #ended: Promise<void>;

  constructor(compression: "GZIP" | "ZLIB") {
    // The readable part of a truncated file is returned, as in TensorFlow.
    const options = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
    const stream = compression === "GZIP" ? createGunzip(options) : createInflate(options);
    stream.on("data", (bytes: Uint8Array) => this.#unpacked.push(bytes));
    this.#ended = new Promise((resolve, reject) => {
      stream.once("end", resolve);
      stream.once("error", reject);
    });
    this.#ended.catch(() => undefined);
    this.#stream = stream;
  }

  /** Decompresses the next bytes. @throws TensorFlowError DATA_LOSS for bytes that are not of this compression. */
  async unpack(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    const written = new Promise<void>((resolve) => this.#stream.write(bytes, () => resolve()));
    try {
      await Promise.race([this.#ended, written]);
    } catch (error) {
      throw dataLoss(`inflate() failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }
}
