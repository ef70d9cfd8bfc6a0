import type { OnReadOpts, Socket } from "node:net";
import { asTensorFlowError, StatusCode, type TensorFlowError } from "../../../../protocol/status.js";
import { encodePreamble } from "./bulk-coding.js";
import { PartReader, type PartSink } from "./part-reader.js";

/** Connects to the port of the task that a stream leads to, and reads from there as the options say. */
export type BulkDialer = (onread: OnReadOpts) => Socket;

export interface BulkSink extends PartSink {
  /** The connection has ended: it was lost after data had come, or, with an error, the data was invalid. */
  lost(error: TensorFlowError | undefined): void;
}

/**
 * The caller's end of a bulk connection: large answers to the calls of one stream arrive here. HTTP/2 delivers them in
 * chunks that are allocated and joined, and this garbage makes the collector scan the whole heap many times a second.
 * Here the system writes them to their destination.
 */
export class BulkReceiver {
  readonly #socket: Socket;
  #bytesReceived = 0;
  #isClosed = false;

  /**
   * Connects. If that fails, or the other side does not know the key, answers come on the stream instead.
   * @param key from the other side's headers
   */
  constructor(dial: BulkDialer, key: Uint8Array, sink: BulkSink) {
    const reader = new PartReader(sink);
    const lost = (error: TensorFlowError | undefined): void => {
      if (!this.#isClosed) {
        this.close();
        sink.lost(error);
      }
    };
    const callback = (length: number): boolean => {
      this.#bytesReceived += length;
      try {
        reader.wrote(length);
      } catch (error) {
        lost(asTensorFlowError(error, StatusCode.INTERNAL));
      }
      return !this.#isClosed;
    };
    this.#socket = dial({ buffer: () => reader.space, callback });
    this.#socket.unref();
    // The cause does not matter: the connection is gone.
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
