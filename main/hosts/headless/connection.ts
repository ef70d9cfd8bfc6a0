/** One tab: requests come in, answers and events go out. */
import { decode, encode } from "@msgpack/msgpack";
import { WebSocket } from "ws";
import { inBackground } from "../../../worker-runtime/faults.js";
import { MESSAGE_PACK_ENCODE, SocketClose } from "../../api/headless.js";
import type { WireMessage } from "../../api/wire.js";
import type { Application } from "../../application.js";
import type { Caller } from "../../shared/caller.js";
import { log } from "../../shared/log/log.js";
import { answerRequest, parseRequest } from "../shared/dispatcher.js";
import { Outbox } from "./outbox.js";

/** How often a tab is pinged; one that has not answered the last ping is cut off. */
const PING_INTERVAL_MILLIS = 20_000;
/** Requests of one tab that may be in progress at once; a window has a handful. */
const MAX_OPEN_REQUESTS = 256;
/** How long a tab has to answer the host's close frame before its socket is destroyed. */
const CLOSE_GRACE_MILLIS = 500;

/** The part of the application that a host uses. */
export type ServedApplication = Pick<Application, "handle" | "onEvent" | "newestEvent">;

export class Connection {
  readonly #socket: WebSocket;
  readonly #application: ServedApplication;
  readonly #outbox: Outbox;
  readonly #stopListening: () => void;
  readonly #pings: NodeJS.Timeout;
  readonly #gone = new AbortController();
  readonly #caller: Caller = { gone: this.#gone.signal };
  #openRequests = 0;
  #alive = true;

  constructor(socket: WebSocket, application: ServedApplication) {
    this.#socket = socket;
    this.#application = application;
    this.#outbox = new Outbox({
      bufferedBytes: () => socket.bufferedAmount,
      send: (message, taken) => this.#send(message, taken),
      overflow: () => socket.close(SocketClose.tooSlow, "too slow"),
      newest: (event) => application.newestEvent(event),
    });
    this.#stopListening = application.onEvent((...event) => this.#outbox.pushEvent(...event));
    this.#pings = setInterval(() => this.#ping(), PING_INTERVAL_MILLIS);
    this.#pings.unref();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => {
      this.#alive = true;
    });
    // The library closes the socket by itself after an error (a frame that is too large, a broken frame).
    socket.on("error", () => undefined);
    socket.once("close", () => this.#dispose());
  }

  /** Closes the WebSocket; resolves when the socket is closed. */
  async close(code: number, reason: string): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.close(code, reason);
    const cut = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MILLIS);
    await closed;
    clearTimeout(cut);
  }

  #receive(data: WebSocket.RawData, isBinary: boolean): void {
    if (!isBinary) {
      this.#socket.close(SocketClose.protocolError, "binary frames only");
      return;
    }
    let frame: unknown;
    try {
      frame = decode(bytesOf(data));
    } catch {
      this.#socket.close(SocketClose.invalidPayload, "not MessagePack");
      return;
    }
    const request = parseRequest(frame);
    if (request === undefined || this.#openRequests >= MAX_OPEN_REQUESTS) {
      this.#socket.close(SocketClose.protocolError, request ? "too many requests" : "not a request");
      return;
    }
    this.#openRequests++;
    inBackground(
      answerRequest(this.#application, request, this.#caller).then((answer) => {
        this.#openRequests--;
        this.#outbox.push(answer);
      }),
    );
  }

  #send(message: WireMessage, taken: () => void): void {
    let frame: Uint8Array;
    try {
      frame = encode(message, MESSAGE_PACK_ENCODE);
    } catch (error) {
      log.error("A message could not be encoded:", error);
      this.#socket.close(1011, "internal error");
      return;
    }
    this.#socket.send(frame, { binary: true }, () => taken());
  }

  #ping(): void {
    if (!this.#alive) {
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    this.#socket.ping();
  }

  #dispose(): void {
    clearInterval(this.#pings);
    this.#gone.abort();
    this.#stopListening();
    this.#outbox.close();
  }
}

/** As a plain Uint8Array: decoded byte strings are views of the same kind, and Buffer's `slice` does not copy. */
function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const buffer = Array.isArray(data) ? Buffer.concat(data) : data;
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
