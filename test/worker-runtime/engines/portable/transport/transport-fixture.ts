/** A worker's services on a port of loopback, and ways to reach them. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { WorkerServiceDefinition } from "../../../../../protos/generated/tensorflow/worker_service.js";
import {
  defaultLimits,
  type ServiceLimits,
} from "../../../../../worker-runtime/engines/portable/transport/grpc/call-limits.js";
import { GrpcEndpoint } from "../../../../../worker-runtime/engines/portable/transport/grpc/grpc-endpoint.js";
import {
  type PeerTransportOptions,
  streamTransport,
} from "../../../../../worker-runtime/engines/portable/transport/peer-transport.js";
import { GrpcListener } from "../../../../../worker-runtime/engines/portable/transport/sockets/grpc-listener.js";
import type { PeerTrust } from "../../../../../worker-runtime/engines/portable/transport/sockets/peer-trust.js";
import type { SilenceLimits } from "../../../../../worker-runtime/engines/portable/transport/sockets/silence-watch.js";
import type { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { tensorFromReceived } from "../../../../../worker-runtime/protocol/tensor.js";
import { Channel } from "../../../../../worker-runtime/rpc/channel.js";
import { type WorkerClient, workerClient } from "../../../../../worker-runtime/rpc/worker-client.js";
import { LocalCluster } from "../worker/worker-fixture.js";

export interface StreamOptions {
  readonly limits?: Partial<ServiceLimits>;
  /** Handlers in place of the worker's own. */
  readonly handlers?: Partial<WorkerInterface>;
  /** Offer unary calls only, as TensorFlow's server does. */
  readonly unaryOnly?: boolean;
  /** Mutual TLS, on both sides with the same certificate. */
  readonly trust?: PeerTrust;
  /** On both sides. */
  readonly silence?: SilenceLimits;
}

export interface Served {
  readonly worker: Worker;
  readonly endpoint: GrpcEndpoint;
  readonly address: string;
  readonly port: number;
  readonly client: WorkerInterface;
}

export interface Wire {
  readonly address: string;
  /** Connections made so far. */
  made(): number;
  /** Bytes that came from the server on one of them, the first being 0. */
  bytesOf(nth: number): number;
  /** Bytes that it let through from the server, of all connections together. */
  answered(): number;
  /** Refuses further connections; those there are stay. */
  stopTaking(): void;
  /** Breaks one of them, or all. */
  cut(nth?: number): void;
  /** Passes nothing on any more on one of them, or on all, and closes none; as a link that goes dead. */
  freeze(nth?: number): void;
}

/** Soon enough for a test, and late enough for a machine that does much else: looks are counted, not time. */
export const SHORT_SILENCE: SilenceLimits = { lookMillis: 20, looksUntilAsked: 2, looksUntilGone: 25 };

/** Servers, clients and wires of a test, and what ends them after it. */
export class Endings {
  readonly #ends: (() => void)[] = [];

  add(end: () => void): void {
    this.#ends.push(end);
  }

  endAll(): void {
    for (const end of this.#ends.splice(0).reverse()) {
      end();
    }
  }

  connect(address: string, options: PeerTransportOptions = {}): WorkerInterface {
    const { worker, close } = streamTransport(options).connect(address);
    this.add(close);
    return worker;
  }

  /** A client of plain gRPC, as those of TensorFlow are. */
  connectUnary(address: string): WorkerClient {
    const channel = new Channel(address);
    this.add(() => channel.close());
    return workerClient(channel);
  }

  async serve(options: StreamOptions = {}): Promise<Served> {
    const { limits, handlers = {}, unaryOnly = false, trust, silence } = options;
    const cluster = new LocalCluster(1);
    const worker = cluster.worker(0);
    const plan = { required: ["127.0.0.1"], optional: [], isOpen: false };
    const listener = await GrpcListener.open(plan, 0, trust);
    const endpoint = new GrpcEndpoint(listener, { ...defaultLimits(), ...limits }, silence);
    const served = new Proxy(worker, {
      get: (target, name) => {
        const own: unknown = Reflect.get(handlers, name) ?? Reflect.get(target, name);
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
    endpoint.offer(WorkerServiceDefinition, served);
    if (!unaryOnly) {
      endpoint.offerStream(WorkerServiceDefinition, served);
    }
    endpoint.open();
    this.add(() => cluster.close());
    this.add(() => endpoint.close());
    const { port } = listener;
    const address = `127.0.0.1:${port}`;
    return { worker, endpoint, address, port, client: this.connect(address, { trust, silence }) };
  }

  /** A port that takes connections and says nothing. @returns its address, and how many connections are open. */
  async silentPort(): Promise<{ readonly address: string; open(): number }> {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => sockets.delete(socket))
        .resume();
    });
    this.add(() => {
      silent.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    });
    return { address: await listen(silent), open: () => sockets.size };
  }

  /**
   * A wire to an address whose connections can be counted and broken; new ones can be made.
   * @param maxBytes of answers that it lets through
   */
  async wire(address: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Wire> {
    const pairs: (readonly [Socket, Socket])[] = [];
    const port = Number(address.split(":")[1]);
    const proxy = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      pairs.push([near, far]);
      near.on("error", () => undefined).pipe(far);
      far.on("error", () => undefined).pipe(near);
      far.on("data", (bytes: Buffer) => {
        answered += bytes.byteLength;
        if (answered > maxBytes) {
          freezePair([near, far]);
        }
      });
    });
    let answered = 0;
    const chosen = (nth: number | undefined) => (nth === undefined ? pairs : pairs.slice(nth, nth + 1));
    const cut = (nth?: number): void => {
      for (const socket of chosen(nth).flat()) {
        socket.destroy();
      }
    };
    this.add(() => {
      proxy.close();
      cut();
    });
    return {
      address: await listen(proxy),
      answered: () => answered,
      bytesOf: (nth) => pairs[nth]?.[1].bytesRead ?? 0,
      made: () => pairs.length,
      stopTaking: () => proxy.close(),
      cut,
      freeze: (nth) => chosen(nth).forEach(freezePair),
    };
  }
}

/** @returns the address. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function freezePair([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far).pause();
  far.unpipe(near).pause();
}

/** Whether a tensor that was received holds these numbers, bit for bit. */
export function sameBytes(proto: TensorProto | undefined, expected: Float32Array): boolean {
  const { data } = tensorFromReceived(proto ?? TensorProto.create());
  const received = data as Float32Array;
  return (
    Buffer.from(received.buffer, received.byteOffset, received.byteLength).compare(
      Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength),
    ) === 0
  );
}
