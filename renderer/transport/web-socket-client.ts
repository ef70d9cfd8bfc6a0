import { decode, encode } from "@msgpack/msgpack";
import type {
  ApplicationClient,
  ContentReader,
  MethodName,
  Params,
  Result,
} from "../../main/api/contract.js";
import { MESSAGE_PACK_ENCODE } from "../../main/api/headless.js";
import type { Problem } from "../../main/api/problem.js";
import { messageSchema, ProblemError, type WireRequest } from "../../main/api/wire.js";
import { texts } from "../texts/texts.js";
import { Emitter } from "./emitter.js";

const words = texts.transport.webSocketClient;

/** How long a call waits for a lost connection before it fails. */
const CONNECTION_WAIT_MILLIS = 10_000;
/**
 * How long the application may take to answer. A saved or opened file may be large, hence the long timeout.
 */
const ANSWER_DEADLINE_MILLIS = 60_000;
const FIRST_RETRY_MILLIS = 250;
const LONGEST_RETRY_MILLIS = 5_000;

export interface WebSocketClientOptions {
  readonly url: string;
  /** Sent as the subprotocols of the handshake, where a browser may put a secret that no other page can read. */
  readonly protocols: readonly string[];
  /** The first connection, if there is one already. What came over it before is not known here. */
  readonly socket?: WebSocket;
  /**
   * Called when a connection ended before it opened. True: the application refuses this window for good, so stop
   * trying.
   */
  readonly isRefused?: () => Promise<boolean>;
  readonly onRefused?: () => void;
  readonly readContent?: ContentReader;
}

interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: ProblemError): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface Waiting {
  send(): void;
  reject(error: ProblemError): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

type Told = Pick<Problem, "message" | "remedy">;

function unavailable(told: Told): ProblemError {
  const problem: Problem = { code: "UNAVAILABLE", ...told };
  return new ProblemError(problem);
}

/**
 * The application over a WebSocket. A lost connection is re-established with growing delays; pending calls fail,
 * because it is unknown whether they were carried out, and calls made meanwhile wait for a while.
 */
export class WebSocketClient implements ApplicationClient {
  readonly readContent: ContentReader | undefined;
  readonly #options: WebSocketClientOptions;
  readonly #emitter = new Emitter();
  readonly #pending = new Map<number, Pending>();
  readonly #waiting = new Set<Waiting>();
  #socket: WebSocket | undefined;
  #nextId = 0;
  #retryMillis = FIRST_RETRY_MILLIS;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: WebSocketClientOptions) {
    this.#options = options;
    this.readContent = options.readContent;
    this.#follow(options.socket ?? this.#newSocket());
  }

  call<M extends MethodName>(
    method: M,
    ...params: Params<M> extends undefined ? [] : [params: Params<M>]
  ): Promise<Result<M>> {
    return new Promise<Result<M>>((resolve, reject) => {
      const send = () => this.#send(method, params[0], (result) => resolve(result as Result<M>), reject);
      if (this.#socket?.readyState === WebSocket.OPEN) send();
      else if (this.#closed) reject(unavailable(words.closed));
      else this.#wait(send, reject);
    });
  }

  async catchUp(): Promise<void> {
    await this.#emitter.catchUp((known) => this.call("events.missed", known));
  }

  readonly on: ApplicationClient["on"] = (event, listener) => this.#emitter.on(event, listener);
  readonly onConnection: ApplicationClient["onConnection"] = (listener) =>
    this.#emitter.onConnection(listener);

  /** Tries again now instead of when the current pause ends. */
  reconnectNow(): void {
    if (this.#closed || this.#socket !== undefined) return;
    clearTimeout(this.#retryTimer);
    this.#follow(this.#newSocket());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    this.#socket?.close();
    this.#failAll(words.closed);
  }

  #wait(send: () => void, reject: (error: ProblemError) => void): void {
    const waiting: Waiting = {
      send,
      reject,
      timer: setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(unavailable(words.notAnswering));
      }, CONNECTION_WAIT_MILLIS),
    };
    this.#waiting.add(waiting);
  }

  #send(
    method: MethodName,
    params: unknown,
    resolve: (result: unknown) => void,
    reject: (error: ProblemError) => void,
  ): void {
    const id = this.#nextId++;
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      reject(
        new ProblemError({
          code: "DEADLINE_EXCEEDED",
          message: words.late.message({ method, seconds: ANSWER_DEADLINE_MILLIS / 1000 }),
          remedy: words.late.remedy,
        }),
      );
    }, ANSWER_DEADLINE_MILLIS);
    this.#pending.set(id, { method, resolve, reject, timer });
    const request: WireRequest = params === undefined ? { id, method } : { id, method, params };
    this.#socket?.send(encode(request, MESSAGE_PACK_ENCODE));
  }

  #newSocket(): WebSocket {
    return new WebSocket(this.#options.url, [...this.#options.protocols]);
  }

  #follow(socket: WebSocket): void {
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    let opened = false;
    const open = () => {
      opened = true;
      this.#retryMillis = FIRST_RETRY_MILLIS;
      // The first request is answered first.
      for (const waiting of this.#waiting) {
        clearTimeout(waiting.timer);
        waiting.send();
      }
      this.#waiting.clear();
      this.#emitter.setConnected(true);
    };
    const close = () => {
      this.#socket = undefined;
      this.#emitter.setConnected(false);
      this.#failPending();
      if (!this.#closed) void this.#retry(opened);
    };
    socket.addEventListener("message", (message) => this.#receive(message.data));
    // The "close" event that follows has all that the window can know about an error.
    socket.addEventListener("error", () => undefined);
    if (socket.readyState === WebSocket.OPEN) open();
    else if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", open);
    if (socket.readyState === WebSocket.CLOSED) queueMicrotask(close);
    else socket.addEventListener("close", close);
  }

  async #retry(opened: boolean): Promise<void> {
    if (!opened && (await this.#options.isRefused?.())) {
      this.close();
      this.#options.onRefused?.();
      return;
    }
    if (this.#closed) return;
    this.#retryTimer = setTimeout(() => this.#follow(this.#newSocket()), this.#retryMillis);
    this.#retryMillis = Math.min(this.#retryMillis * 2, LONGEST_RETRY_MILLIS);
  }

  #receive(data: unknown): void {
    if (!(data instanceof ArrayBuffer)) return;
    const message = messageSchema.safeParse(decode(data));
    if (!message.success) return;
    if ("event" in message.data) {
      this.#emitter.receive(message.data);
      return;
    }
    const pending = this.#pending.get(message.data.id);
    if (pending === undefined) return;
    this.#pending.delete(message.data.id);
    clearTimeout(pending.timer);
    if (message.data.ok) pending.resolve(message.data.result ?? undefined);
    else pending.reject(new ProblemError(message.data.problem));
  }

  #failPending(): void {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.reject(
        unavailable({
          message: words.lost.message,
          remedy: words.lost.remedy({ method: pending.method }),
        }),
      );
    }
    this.#pending.clear();
  }

  #failAll(why: Told): void {
    this.#failPending();
    for (const waiting of this.#waiting) {
      clearTimeout(waiting.timer);
      waiting.reject(unavailable(why));
    }
    this.#waiting.clear();
  }
}
