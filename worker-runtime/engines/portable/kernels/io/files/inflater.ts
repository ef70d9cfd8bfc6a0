import type { Transform } from "node:stream";
import { constants, createGunzip, createInflate } from "node:zlib";
import { dataLoss } from "../../../../../protocol/status.js";

/** How the bytes of a file are stored. */
export type Compression = "" | "GZIP" | "ZLIB";

/** Unpacks a stream of bytes piece by piece. It holds no file, so one that is never finished is simply collected. */
export class Inflater {
  readonly #stream: Transform;
  #unpacked: Uint8Array[] = [];
  /** What a write waits for in addition to its callback, which is not called behind the end of the packed bytes nor for wrong ones. */
  readonly #ended: Promise<void>;

  constructor(compression: "GZIP" | "ZLIB") {
    // What a file that is cut off still holds is given out, as TensorFlow does.
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

  /** What the next packed bytes hold. @throws TensorFlowError DATA_LOSS for bytes that are not of this compression. */
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
