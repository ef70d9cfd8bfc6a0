import type { Socket } from "node:net";
import { type ConnectionInjector, Server, ServerCredentials } from "@grpc/grpc-js";
import { BulkDesk } from "../bulk/bulk-desk.js";
import { divideConnection } from "../sockets/connection-kind.js";
import type { GrpcListener } from "../sockets/grpc-listener.js";
import { SILENCE_LIMITS, type SilenceLimits } from "../sockets/silence-watch.js";
import { serveStream } from "../stream/stream-service.js";
import { noteCalls } from "./call-connections.js";
import { CallLedger, type ServiceLimits } from "./call-limits.js";
import { assembleWhileReceiving } from "./internals/message-decoder.js";
import { onServerSession } from "./internals/server-sessions.js";
import { WINDOW_BYTES, widenCallWindows } from "./internals/server-windows.js";
import { answerUnknownMethodsPlainly } from "./internals/unknown-methods.js";
import { watchSession } from "./session-watch.js";
import { type ServiceDefinition, type ServiceHandlers, serve } from "./unary-service.js";

/** The gRPC side of a server: services on the connections that a listener accepts. */
export class GrpcEndpoint {
  readonly #listener: GrpcListener;
  readonly #server: Server;
  readonly #injector: ConnectionInjector;
  readonly #ledger: CallLedger;
  readonly #limits: ServiceLimits;
  readonly #silence: SilenceLimits;
  readonly #bulk = new BulkDesk();
  /** The sessions of the open connections. */
  readonly #sockets = new Set<Socket>();

  /** @param silence when silent clients are considered gone */
  constructor(listener: GrpcListener, limits: ServiceLimits, silence: SilenceLimits = SILENCE_LIMITS) {
    this.#listener = listener;
    this.#limits = limits;
    this.#silence = silence;
    this.#ledger = new CallLedger(limits);
    this.#server = new Server({
      "grpc.max_receive_message_length": limits.maxMessageBytes,
      "grpc.max_send_message_length": limits.maxMessageBytes,
      // Statistics of each call that nothing reads.
      "grpc.enable_channelz": 0,
      interceptors: [assembleWhileReceiving],
    });
    widenCallWindows(this.#server);
    answerUnknownMethodsPlainly(this.#server);
    onServerSession(this.#server, (session) => {
      session.setLocalWindowSize(WINDOW_BYTES);
      noteCalls(session);
      watchSession(session, silence);
    });
    // TLS, if any, is handled by the listener, which passes on only authenticated connections.
    this.#injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
  }

  /** Calls in progress. */
  get calls(): number {
    return this.#ledger.calls;
  }

  /** Adds a service. To be called before `open`. */
  offer<Methods extends object>(
    definition: ServiceDefinition<Methods>,
    handlers: ServiceHandlers<Methods>,
  ): void {
    serve(this.#server, definition, handlers, this.#ledger);
  }

  /** Also offers a worker's calls on streams, for tasks of the portable engine. To be called before `open`. */
  offerStream<Methods extends object>(
    definition: ServiceDefinition<Methods>,
    handlers: ServiceHandlers<Methods>,
  ): void {
    const { maxMessageBytes } = this.#limits;
    const limits = { ledger: this.#ledger, maxMessageBytes, bulk: this.#bulk, silence: this.#silence };
    serveStream(this.#server, definition, handlers, limits);
  }

  /** Begins to answer. */
  open(): void {
    this.#listener.handTo((socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      const takers = {
        http2: () => this.#injector.injectConnection(socket),
        bulk: (key: Buffer) => this.#bulk.take(key, socket),
      };
      divideConnection(socket, takers, this.#silence);
    });
  }

  /** Accepts no more connections and closes the open ones. */
  close(): void {
    this.#listener.close();
    this.#injector.destroy();
    this.#server.forceShutdown();
    // Both wait for calls to end, and a stream never does. Answers that were just written are sent before.
    setImmediate(() => {
      for (const socket of this.#sockets) {
        socket.destroy();
      }
    });
  }
}
