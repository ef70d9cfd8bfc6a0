import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { BULK_KEY_BYTES } from "./bulk-coding.js";

/** Brings the bulk connections that a server takes to the streams that they belong to. */
export class BulkDesk {
  /** Streams that take one, by their keys. A key is good for one connection. */
  readonly #offers = new Map<string, (socket: Socket) => void>();

  /** @returns the key with which a bulk connection is to come. */
  offer(accept: (socket: Socket) => void): Buffer {
    const key = randomBytes(BULK_KEY_BYTES);
    this.#offers.set(key.toString("hex"), accept);
    return key;
  }

  withdraw(key: Buffer): void {
    this.#offers.delete(key.toString("hex"));
  }

  /** Hands a connection on; one whose key is not known is ended. */
  take(key: Buffer, socket: Socket): void {
    const accept = this.#offers.get(key.toString("hex"));
    this.withdraw(key);
    if (accept === undefined) {
      socket.destroy();
    } else {
      accept(socket);
    }
  }
}
