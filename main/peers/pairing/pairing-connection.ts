import type { TLSSocket } from "node:tls";
import { messageOf } from "../../shared/problems.js";
import { EXPORTER_BYTES, EXPORTER_LABEL } from "./code-proof.js";
import { encodeFrame, FrameReader, type PairingMessage } from "./pairing-messages.js";

/** Time for the last message to be sent; a peer that does not read is cut off. */
const HANG_UP_MILLIS = 2000;

export interface PairingConnectionListener {
  message(message: PairingMessage): void;
  /** Invalid bytes were received; the connection is ended. */
  garbage(details: string): void;
  /** The connection ended, on either side. */
  lost(): void;
}

/** Messages over one TLS connection. */
export class PairingConnection {
  readonly #socket: TLSSocket;
  #hangingUp: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.once("close", () => clearTimeout(this.#hangingUp));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Keying material that only the two ends of this TLS session have. */
  exporter(): Uint8Array {
    return this.#socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  }

  /** Begins to read. Messages come one by one; `lost` comes once, after the last of them. */
  listen(listener: PairingConnectionListener): void {
    const reader = new FrameReader();
    const take = (chunk: Buffer): void => {
      try {
        for (const message of reader.push(chunk)) listener.message(message);
      } catch (error) {
        this.#socket.off("data", take).destroy();
        listener.garbage(messageOf(error));
      }
    };
    this.#socket.on("data", take);
    this.#socket.once("end", () => this.#socket.end());
    this.#socket.once("close", () => listener.lost());
  }

  send(message: PairingMessage): void {
    if (this.#socket.writable) this.#socket.write(encodeFrame(message));
  }

  /** Ends the connection once everything sent has left. */
  hangUp(): void {
    if (!this.isOpen || this.#hangingUp) return;
    this.#hangingUp = setTimeout(() => this.#socket.destroy(), HANG_UP_MILLIS);
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
