/**
 * The sockets under a grpc-js channel. grpc-js (1.14) leaves a connection alone that a closed client is still making: to a
 * server that takes connections and says nothing, such as a stopped process, each attempt would leave one. And a client
 * that is closed lets a connection go only when its last bytes were taken, which a dead link never does.
 *
 * The only place where grpc-js shows a socket is the connector of the credentials, `_createSecureConnector`: declared in
 * its types, and meant for its own classes.
 */
import type { Socket } from "node:net";
import { ChannelCredentials } from "@grpc/grpc-js";

type ConnectorArguments = Parameters<ChannelCredentials["_createSecureConnector"]>;
type SecureConnector = ReturnType<ChannelCredentials["_createSecureConnector"]>;

/** Credentials as they are given, for one client, that know the sockets of its connections. */
export class TrackedCredentials extends ChannelCredentials {
  readonly #credentials: ChannelCredentials;
  readonly #sockets = new Set<Socket>();

  constructor(credentials: ChannelCredentials) {
    super();
    this.#credentials = credentials;
  }

  /** Ends the connections; what is on its way is lost. */
  destroySockets(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /**
   * Ends the connections on which nothing was ever received: they cannot be used any more once their client is
   * closed.
   */
  destroyUnansweredSockets(): void {
    for (const socket of this.#sockets) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
    }
  }

  override _isSecure(): boolean {
    return this.#credentials._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(...connectorArguments: ConnectorArguments): SecureConnector {
    const connector = this.#credentials._createSecureConnector(...connectorArguments);
    return {
      connect: (socket) => {
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }
}
