import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { BULK_KEY_BYTES } from "./bulk-coding.js";

/** Assigns the bulk connections that a server accepts to their streams. */
export class BulkDesk {
  /** Streams that expect a connection, by key. A key is valid for one connection. */
  readonly #offers = new Map<string, (socket: Socket) => void>();

  /** @returns the key that a bulk connection has to present. */
  offer(accept: (socket: Socket) => void): Buffer {
    const key = randomBytes(BULK_KEY_BYTES);
    this.#offers.set(key.toString("hex"), accept);
    return key;
  }

  withdraw(key: Buffer): void {
    this.#offers.delete(key.toString("hex"));
  }

  /** Passes on a connection; one with an unknown key is closed. */
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
