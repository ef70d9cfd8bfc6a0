/**
 * A port at which stock TensorFlow scripts find a cluster that was set up in the window. A script that names it as its
 * target without defining a cluster gets a session over all tasks, unmodified: the gateway adds the ClusterSpec to the
 * call that creates the session, and passes on everything else unchanged.
 */
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { MasterServiceDefinition } from "../../../protos/generated/tensorflow/master_service.js";
import { formatHostPort } from "../../../worker-runtime/cluster/address.js";
import { isCompressedMessage } from "../../../worker-runtime/rpc/message-prefix.js";
import { errnoOf, messageOf } from "../../shared/problems.js";
import { collect } from "./collect.js";
import { type GatewayCluster, masterAddress } from "./gateway-cluster.js";
import { http2Options, WINDOW_BYTES } from "./http2-options.js";
import { HANDLE_BYTES, sessionHandle, withCluster } from "./messages.js";
import { GrpcCode, refuse, relay } from "./relay.js";
import { Upstreams } from "./upstreams.js";

export type { GatewayCluster } from "./gateway-cluster.js";

/** Port of the gateway, unless another program has it. */
export const GATEWAY_PORT = 2300;

const MASTER_SERVICE = `/${MasterServiceDefinition.fullName}/`;
const MASTER_METHODS = new Set<string>(
  Object.values(MasterServiceDefinition.methods).map(({ name }) => `${MASTER_SERVICE}${name}`),
);
const CREATE_SESSION = `${MASTER_SERVICE}CreateSession`;
/** Stock tools call this to check whether a server is running. */
const GET_STATUS = "/tensorflow.WorkerService/GetStatus";
/** Calls whose first field is something other than a session handle. */
const OF_NO_SESSION = new Set([CREATE_SESSION, `${MASTER_SERVICE}Reset`, GET_STATUS]);

/** Sessions whose task is remembered; others are assumed to be on the master of new sessions. */
const MOST_SESSIONS = 10_000;

const NO_TASK =
  "No task of this cluster is running. Start a worker in Tensordeck, then run the script again.";

const COMPRESSED =
  "The cluster cannot be added to a compressed CreateSession. Create the session without compression.";

export interface GatewayOptions {
  /** Default GATEWAY_PORT; any free port when another program has it. */
  readonly port?: number;
  /** Default 127.0.0.1: anyone who reaches the gateway can run any op. */
  readonly host?: string;
  /** The cluster at the moment; undefined when there is none. Queried for each new session. */
  readonly cluster: () => GatewayCluster | undefined;
}

export class Gateway {
  readonly host: string;
  readonly port: number;
  readonly #server: Http2Server;
  readonly #cluster: () => GatewayCluster | undefined;
  readonly #clients = new Map<ServerHttp2Session, Upstreams>();
  /** Address of the task that is the master of a session, by the session's handle. */
  readonly #masters = new Map<string, string>();

  private constructor(server: Http2Server, host: string, port: number, options: GatewayOptions) {
    this.host = host;
    this.port = port;
    this.#server = server;
    this.#cluster = options.cluster;
    // A connection that could not be accepted affects its client only.
    server.on("error", () => undefined);
    server.on("session", (session) => this.#welcome(session));
    server.on("stream", (stream, headers) => {
      stream.on("error", () => undefined);
      this.#handle(stream, headers).catch((error: unknown) => {
        refuse(stream, GrpcCode.INTERNAL, `The call could not be passed on: ${messageOf(error)}`);
      });
    });
  }

  /** @throws Error of the system when neither the wanted nor any other port is available. */
  static async listen(options: GatewayOptions): Promise<Gateway> {
    const host = options.host ?? "127.0.0.1";
    const server = createServer(http2Options);
    const listen = (port: number): Promise<number> =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          const address = server.address();
          resolve(typeof address === "object" && address !== null ? address.port : port);
        });
      });
    const port = await listen(options.port ?? GATEWAY_PORT).catch((error: unknown) => {
      if (errnoOf(error) !== "EADDRINUSE") throw error;
      return listen(0);
    });
    return new Gateway(server, host, port, options);
  }

  /** "grpc://127.0.0.1:2300": the target that a script passes to its session. */
  get target(): string {
    return `grpc://${formatHostPort({ host: this.host, port: this.port })}`;
  }

  /** Ends all connections. The sessions of scripts stay on their tasks. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.#clients.keys()) session.destroy();
    await closed;
  }

  #welcome(session: ServerHttp2Session): void {
    const upstreams = new Upstreams();
    this.#clients.set(session, upstreams);
    session.setLocalWindowSize(WINDOW_BYTES);
    session.on("error", () => undefined);
    session.once("close", () => {
      this.#clients.delete(session);
      upstreams.closeAll();
    });
  }

  async #handle(client: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const path = headers[":path"] ?? "";
    if (!MASTER_METHODS.has(path) && path !== GET_STATUS) {
      refuse(
        client,
        GrpcCode.UNIMPLEMENTED,
        `Tensordeck's gateway passes on calls of sessions only, not ${path}.`,
      );
      return;
    }
    const upstreams = this.#upstreamsOf(client);
    if (upstreams === undefined) return;
    const isNew = path === CREATE_SESSION;
    const { begun, complete } = await collect(client, isNew ? Number.POSITIVE_INFINITY : HANDLE_BYTES);
    const cluster = this.#cluster();
    const known = OF_NO_SESSION.has(path) ? undefined : this.#masters.get(sessionHandle(begun) ?? "");
    const address = known ?? (cluster === undefined ? undefined : masterAddress(cluster));
    if (address === undefined) {
      refuse(client, GrpcCode.UNAVAILABLE, NO_TASK);
      return;
    }
    if (isNew && isCompressedMessage(begun)) {
      refuse(client, GrpcCode.UNIMPLEMENTED, COMPRESSED);
      return;
    }
    relay({
      client,
      headers,
      begun: isNew && cluster?.isPropagated === true ? withCluster(begun, cluster, address) : begun,
      complete,
      upstream: upstreams.to(address),
      address,
      onResponse: isNew ? (response) => this.#remember(sessionHandle(response), address) : undefined,
    });
  }

  /** The connections of a call's client; undefined when it has left. */
  #upstreamsOf({ session }: ServerHttp2Stream): Upstreams | undefined {
    for (const [client, upstreams] of this.#clients) if (client === session) return upstreams;
    return undefined;
  }

  #remember(handle: string | undefined, address: string): void {
    if (handle === undefined) return;
    this.#masters.set(handle, address);
    const [oldest] = this.#masters.keys();
    if (this.#masters.size > MOST_SESSIONS && oldest !== undefined) this.#masters.delete(oldest);
  }
}
