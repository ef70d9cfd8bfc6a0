/** A client of the contract outside a browser: lets a test query the application directly, besides the window. */
import { Decoder, Encoder } from "@msgpack/msgpack";
import WebSocket from "ws";
import type { EventData, EventName, MethodName, Params, Result } from "../../../main/api/contract.js";
import {
  MESSAGE_PACK_ENCODE,
  SESSION_PATH,
  SOCKET_PATH,
  sessionResponseSchema,
  socketProtocols,
} from "../../../main/api/headless.js";
import type { NumberedEvent } from "../../../main/api/missed-events.js";
import { messageSchema, ProblemError } from "../../../main/api/wire.js";
import { withDeadline } from "../../support/deadline.js";

/** Longer than the application's own deadlines, and shorter than the test runner's. */
const ANSWER_MILLIS = 240_000;
const CONNECT_MILLIS = 60_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class ApiClient {
  readonly #socket: WebSocket;
  readonly #encoder = new Encoder(MESSAGE_PACK_ENCODE);
  readonly #decoder = new Decoder();
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(event: NumberedEvent) => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = "nodebuffer";
    socket.on("message", (frame: Buffer) => this.#take(this.#decoder.decode(frame)));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values())
        reject(new Error("The application closed the connection."));
      this.#waiting.clear();
    });
  }

  /** Signs in with a one-time link. */
  static async connect(link: string): Promise<ApiClient> {
    const { origin, host } = new URL(link);
    const secret = await withDeadline("Signing in", secretOf(link), CONNECT_MILLIS);
    const socket = new WebSocket(`ws://${host}${SOCKET_PATH}`, socketProtocols(secret), {
      origin,
      handshakeTimeout: CONNECT_MILLIS,
    });
    const client = new ApiClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return client;
  }

  async call<M extends MethodName>(method: M, params?: Params<M>): Promise<Result<M>> {
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(this.#encoder.encode({ id, method, params }));
    return (await withDeadline(`The answer to ${method}`, answer, ANSWER_MILLIS)) as Result<M>;
  }

  /** Resolves with the first matching event from now on. */
  next<E extends EventName>(
    event: E,
    fits: (data: EventData<E>) => boolean,
    timeoutMillis = 60_000,
  ): Promise<EventData<E>> {
    return new Promise((resolve, reject) => {
      const listener = ({ event: name, data }: NumberedEvent) => {
        if (name !== event || !fits(data as EventData<E>)) return;
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(data as EventData<E>);
      };
      const timer = setTimeout(() => {
        this.#listeners.delete(listener);
        reject(new Error(`No "${event}" event that fits came within ${timeoutMillis} ms.`));
      }, timeoutMillis);
      this.#listeners.add(listener);
    });
  }

  /** Calls the listener for every event until the returned function is called. */
  listen(listener: (event: NumberedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The running tasks of this machine, once there are that many. */
  async runningTasks(count: number, timeoutMillis = 60_000) {
    const tasksOf = (state: Result<"cluster.get">) =>
      state.machines.flatMap(({ tasks }) => tasks).filter(({ state }) => state === "running");
    const coming = this.next("cluster", (state) => tasksOf(state).length === count, timeoutMillis);
    // Whichever is used, the other must not be reported as unhandled.
    coming.catch(() => undefined);
    const now = tasksOf(await this.call("cluster.get"));
    return now.length === count ? now : tasksOf(await coming);
  }

  close(): void {
    this.#socket.close();
  }

  #take(frame: unknown): void {
    const message = messageSchema.parse(frame);
    if ("event" in message) {
      for (const listener of [...this.#listeners]) listener(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.ok) waiting?.resolve(message.result);
    else waiting?.reject(new ProblemError(message.problem));
  }
}

/** Uses a one-time link up. @returns what the application gives for it */
async function secretOf(link: string): Promise<string> {
  const { origin, hash } = new URL(link);
  const response = await fetch(origin + SESSION_PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({ token: new URLSearchParams(hash.slice(1)).get("token") }),
  });
  if (!response.ok) throw new Error(`The link was refused: ${response.status} ${await response.text()}`);
  return sessionResponseSchema.parse(await response.json()).secret;
}
