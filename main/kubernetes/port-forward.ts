/**
 * A loopback port whose connections go to a port of a pod, each through a WebSocket of the API server.
 *
 * The protocol is v4.channel.k8s.io of Kubernetes' port forwarding: the first byte of a message is its channel, 0 for
 * data and 1 for the text of an error, and the first message of each channel holds the port as two bytes, the lower
 * first. It knows no end of one direction only, which gRPC does not need.
 */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { WebSocket } from "ws";
import { LinkedAbortController } from "../../worker-runtime/cancellation/linked-abort-controller.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Problem } from "../api/problem.js";
import { problem, problemOf } from "../shared/problems.js";
import { prepareForRelay, reset } from "../shared/sockets/relay.js";
import type { ApiServer } from "./api-server.js";

const PROTOCOL = "v4.channel.k8s.io";
const DATA = 0;
const ERROR = 1;
const PORT_BYTES = 2;
/** A client that sends faster than the API server takes is paused from here on. */
const MOST_BUFFERED_BYTES = 1 << 20;

export interface ForwardedPod {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export class PortForward {
  readonly #api: ApiServer;
  readonly #target: ForwardedPod;
  readonly #onChange: () => void;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #closed = new AbortController();
  #failure: Problem | undefined;

  private constructor(api: ApiServer, target: ForwardedPod, onChange: () => void) {
    this.#api = api;
    this.#target = target;
    this.#onChange = onChange;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (client) =>
      inBackground(this.#carry(client)),
    );
  }

  /**
   * Listens on a port of 127.0.0.1. Nothing is sent to the pod before a client connects.
   *
   * @param port 0: any that is free.
   * @param onChange called when `failure` changes
   * @throws ProblemError if the port is taken
   */
  static async open(
    api: ApiServer,
    target: ForwardedPod,
    { port = 0, onChange = () => undefined }: { port?: number; onChange?: () => void } = {},
  ): Promise<PortForward> {
    const forward = new PortForward(api, target, onChange);
    await new Promise<void>((resolve, reject) => {
      forward.#server.once("error", (error) =>
        reject(
          problem("ALREADY_EXISTS", `Port ${port} of this machine cannot be used for pod ${target.pod}.`, {
            reason: error.message,
            remedy: "Choose another port, or 0 for any that is free.",
          }),
        ),
      );
      forward.#server.listen({ port, host: "127.0.0.1", exclusive: true }, resolve);
    });
    forward.#server.removeAllListeners("error").on("error", () => undefined);
    return forward;
  }

  /** The port of 127.0.0.1. */
  get port(): number {
    const address = this.#server.address();
    return isAddress(address) ? address.port : 0;
  }

  /** Why the newest connection failed; undefined once one succeeded. */
  get failure(): Problem | undefined {
    return this.#failure;
  }

  /** Frees the port and ends the connections; resolves when they have ended. */
  async close(): Promise<void> {
    this.#closed.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#clients) reset(client);
    await closed;
  }

  /** Carries one connection. Its client sees a failure as a reset. */
  async #carry(client: Socket): Promise<void> {
    const { namespace, pod, port } = this.#target;
    const gone = new LinkedAbortController(this.#closed.signal);
    this.#clients.add(client);
    prepareForRelay(client);
    client.on("error", () => undefined);
    client.once("close", () => {
      this.#clients.delete(client);
      gone.abort();
    });
    try {
      const remote = await this.#api.socket({
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`,
        query: { ports: port },
        protocols: [PROTOCOL],
        what: `Port ${port} of pod ${pod} cannot be reached`,
        signal: gone.signal,
      });
      // It may have gone while the answer was on its way.
      if (client.destroyed) remote.terminate();
      else this.#join(client, remote);
    } catch (error) {
      if (!gone.signal.aborted) this.#fail(problemOf(error));
      reset(client);
    }
  }

  #join(client: Socket, remote: WebSocket): void {
    /** Bytes of the port that each channel still has to send. */
    const portBytes = [PORT_BYTES, PORT_BYTES];
    let isRefused = false;
    remote.on("message", (message: Buffer) => {
      const channel = message[0] ?? -1;
      const skipped = Math.min(portBytes[channel] ?? 0, message.length - 1);
      portBytes[channel] = (portBytes[channel] ?? 0) - skipped;
      const content = message.subarray(1 + skipped);
      if (content.length === 0) return;
      if (channel === ERROR) {
        isRefused = true;
        this.#fail(this.#refusal(content.toString()));
        remote.close();
      } else if (channel === DATA) {
        this.#succeed();
        if (!client.write(content)) remote.pause();
      }
    });
    client.on("drain", () => remote.resume());
    client.on("data", (bytes: Buffer) => {
      const framed = Buffer.allocUnsafe(1 + bytes.length);
      framed[0] = DATA;
      bytes.copy(framed, 1);
      remote.send(framed, () => {
        if (remote.bufferedAmount < MOST_BUFFERED_BYTES) client.resume();
      });
      if (remote.bufferedAmount >= MOST_BUFFERED_BYTES) client.pause();
    });
    client.once("end", () => remote.close());
    client.once("close", () => remote.terminate());
    remote.once("close", (code) => {
      // A close without a status means that the connection was lost.
      if (isRefused || code === 1006) reset(client);
      else client.destroySoon();
    });
    remote.resume();
    client.resume();
  }

  #refusal(details: string): Problem {
    const { pod, port } = this.#target;
    return {
      code: "UNAVAILABLE",
      message: `Port ${port} of pod ${pod} cannot be reached.`,
      reason: "Probably nothing listens there yet, or the pod has ended.",
      remedy: "Wait until the task runs, or read its log.",
      details,
    };
  }

  #fail(failure: Problem): void {
    this.#failure = failure;
    this.#onChange();
  }

  #succeed(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#onChange();
  }
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
