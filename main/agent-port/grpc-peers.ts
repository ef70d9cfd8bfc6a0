/**
 * Who calls a gRPC method. The agent's port has looked at the certificate, but grpc-js hands its handlers no socket, only
 * the ends of the connection; so the peer of each injected connection is kept by these, for as long as it is open.
 */
import {
  type ConnectionInjector,
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from "@grpc/grpc-js";
import { problem } from "../problems.js";
import type { AgentPeer } from "./agent-peer.js";
import { connectionKey } from "./connection-key.js";

export class GrpcPeers {
  readonly #byConnection = new Map<string, AgentPeer>();
  /** grpc-js makes one Metadata for each call and hands it to the handler. */
  readonly #byCall = new WeakMap<Metadata, AgentPeer>();

  /** Goes into `interceptors` of the server. A call over a connection that was not injected here is refused. */
  readonly interceptor: ServerInterceptor = (_method, call) => {
    const peer = this.#byConnection.get(connectionKey(call.getConnectionInfo()));
    if (!peer) {
      queueMicrotask(() =>
        call.sendStatus({ code: status.UNAUTHENTICATED, details: "The caller is not known." }),
      );
    }
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, onward) => {
            if (!peer) return;
            this.#byCall.set(metadata, peer);
            onward(metadata);
          },
        }),
    });
  };

  /** Lets a peer's connection be served by the injector's server. */
  inject(injector: ConnectionInjector, peer: AgentPeer): void {
    const key = connectionKey(peer.socket);
    // The system gives the same ends again only after the older connection ended there, whatever is left of it here.
    this.#byConnection.get(key)?.socket.destroy();
    this.#byConnection.set(key, peer);
    peer.socket.once("close", () => {
      if (this.#byConnection.get(key) === peer) this.#byConnection.delete(key);
    });
    injector.injectConnection(peer.socket);
  }

  /** @throws ProblemError UNAUTHENTICATED for a call of a server without the interceptor. */
  peerOfCall(call: { readonly metadata: Metadata }): AgentPeer {
    const peer = this.#byCall.get(call.metadata);
    if (!peer) throw problem("UNAUTHENTICATED", "It is not known which machine calls.");
    return peer;
  }
}
