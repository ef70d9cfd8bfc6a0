import type { OnReadOpts, Socket } from "node:net";
import { asTensorFlowError, StatusCode, type TensorFlowError } from "../../../../protocol/status.js";
import { encodePreamble } from "./bulk-coding.js";
import { PartReader, type PartSink } from "./part-reader.js";

/** Bytes that one read takes from the system at most. They are read into the same place each time, again and again. */
const READ_BYTES = 256 * 1024;

/** Connects to the port of the task that a stream leads to, and reads from there as the options say. */
export type BulkDialer = (onread: OnReadOpts) => Socket;

export interface BulkSink extends PartSink {
  /** Nothing comes any more: the connection was lost after something had come, or, with an error, it made no sense. */
  lost(error: TensorFlowError | undefined): void;
}

/**
 * The caller's end of a bulk connection: large answers to the calls of one stream come here. HTTP/2 brings them in chunks
 * that are allocated and put together, and what is thrown away so makes the garbage collector look at the whole heap
 * many times a second. Here they go from one buffer, which is used again, to where they are to lie.
 */
export class BulkReceiver {
  readonly #socket: Socket;
  #bytesReceived = 0;
  #isClosed = false;

  /**
   * Connects. Where that fails, or the other side does not know the key, nothing happens: answers come on the stream.
   * @param key what the other side's headers said
   */
  constructor(dial: BulkDialer, key: Uint8Array, sink: BulkSink) {
    const reader = new PartReader(sink);
    const lost = (error: TensorFlowError | undefined): void => {
      if (!this.#isClosed) {
        this.close();
        sink.lost(error);
      }
    };
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (length: number): boolean => {
      this.#bytesReceived += length;
      try {
        reader.read(buffer.subarray(0, length));
      } catch (error) {
        lost(asTensorFlowError(error, StatusCode.INTERNAL));
      }
      return !this.#isClosed;
    };
    this.#socket = dial({ buffer, callback });
    this.#socket.unref();
    // What went wrong says less than that the connection is gone.
    this.#socket.on("error", () => undefined);
    this.#socket.once("close", () => {
      if (this.#bytesReceived > 0) {
        lost(undefined);
      }
    });
    this.#socket.write(encodePreamble(key));
  }

  get bytesReceived(): number {
    return this.#bytesReceived;
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }
}
