import { type ChannelCredentials, type ChannelOptions, Client, credentials } from "@grpc/grpc-js";
import { grpcTarget } from "./grpc-target.js";
import { addressOfTarget } from "./target-address.js";
import { TrackedCredentials } from "./tracked-credentials.js";

/**
 * Bytes that a server may send before it must wait for us. With HTTP/2's own 64 KiB a tensor of many megabytes would stop
 * at every window for a round trip.
 */
const FLOW_CONTROL_WINDOW_BYTES = 64 * 1024 * 1024;

/** TensorFlow's own channels wait no longer than this between attempts to connect (grpc_channel.cc). */
const MAX_RECONNECT_BACKOFF_MILLIS = 1000;
const INITIAL_RECONNECT_BACKOFF_MILLIS = 100;

const options: ChannelOptions = {
  // A proxy for web pages cannot carry gRPC, and peers of a cluster are never behind one.
  "grpc.enable_http_proxy": 0,
  "grpc.max_send_message_length": -1,
  "grpc-node.flow_control_window": FLOW_CONTROL_WINDOW_BYTES,
  "grpc.initial_reconnect_backoff_ms": INITIAL_RECONNECT_BACKOFF_MILLIS,
  "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_BACKOFF_MILLIS,
  // A repeated RunStep or RecvTensor would be a second step; it also spares keeping each request for a retry.
  "grpc.enable_retries": 0,
  // No TXT lookup for a service config, which is never published.
  "grpc.service_config_disable_resolution": 1,
  // Statistics of each call that nothing reads.
  "grpc.enable_channelz": 0,
  // A channel of its own, so that closing one closes its connection, whatever else talks to the same server.
  "grpc.use_local_subchannel_pool": 1,
};

export interface ChannelDetails {
  /** The server's name in a TLS handshake; its host unless given. */
  readonly serverName?: string | undefined;
  /** Largest answer; without limit unless given. */
  readonly maxMessageBytes?: number | undefined;
}

/** A grpc-js client with the sockets of its connections. */
interface TrackedClient {
  readonly client: Client;
  readonly credentials: TrackedCredentials;
}

/**
 * One connection to one server, shared by the clients of its services. Nothing is sent before the first call. It does not
 * keep the process alive.
 */
export class Channel {
  /** "host:port". */
  readonly address: string;
  readonly #makeClient: () => TrackedClient;
  #current: TrackedClient;
  #closed = false;

  /**
   * @param address "host:port", or a target with "grpc://".
   * @param channelCredentials plain gRPC unless given.
   * @throws TensorFlowError INVALID_ARGUMENT when the address cannot be dialled.
   */
  constructor(
    address: string,
    channelCredentials: ChannelCredentials = credentials.createInsecure(),
    { serverName, maxMessageBytes = -1 }: ChannelDetails = {},
  ) {
    this.address = addressOfTarget(address);
    const clientOptions = {
      ...options,
      "grpc.max_receive_message_length": maxMessageBytes,
      ...(serverName !== undefined && { "grpc.ssl_target_name_override": serverName }),
    };
    this.#makeClient = () => {
      const tracked = new TrackedCredentials(channelCredentials);
      return { client: new Client(grpcTarget(this.address), tracked, clientOptions), credentials: tracked };
    };
    this.#current = this.#makeClient();
  }

  /** The grpc-js client; only the service clients use it. It is another one after `reconnect`. */
  get client(): Client {
    return this.#current.client;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Drops the connection: calls in progress end with an error, and the next one opens another connection. */
  reconnect(): void {
    if (!this.#closed) {
      const { client, credentials: tracked } = this.#current;
      client.close();
      tracked.destroySockets();
      this.#current = this.#makeClient();
    }
  }

  /** Closes the connection; calls in progress end with an error. May be called again. */
  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      const { client, credentials: tracked } = this.#current;
      client.close();
      tracked.destroyUnansweredSockets();
    }
  }
}
