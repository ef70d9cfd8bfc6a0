/** A worker's services on a port of loopback, and ways to reach them. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { WorkerServiceDefinition } from "../../../../../protos/generated/tensorflow/worker_service.js";
import {
  defaultLimits,
  type ServiceLimits,
} from "../../../../../worker-runtime/engines/portable/transport/grpc/call-limits.js";
import { GrpcEndpoint } from "../../../../../worker-runtime/engines/portable/transport/grpc/grpc-endpoint.js";
import { streamTransport } from "../../../../../worker-runtime/engines/portable/transport/peer-transport.js";
import { GrpcListener } from "../../../../../worker-runtime/engines/portable/transport/sockets/grpc-listener.js";
import type { PeerTrust } from "../../../../../worker-runtime/engines/portable/transport/sockets/peer-trust.js";
import type { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { tensorFromReceived } from "../../../../../worker-runtime/protocol/tensor.js";
import { LocalCluster } from "../worker/worker-fixture.js";

export interface StreamOptions {
  readonly limits?: Partial<ServiceLimits>;
  /** Handlers in place of the worker's own. */
  readonly handlers?: Partial<WorkerInterface>;
  /** Offer unary calls only, as TensorFlow's server does. */
  readonly unaryOnly?: boolean;
  /** Mutual TLS, on both sides with the same certificate. */
  readonly trust?: PeerTrust;
}

export interface Served {
  readonly worker: Worker;
  readonly endpoint: GrpcEndpoint;
  readonly address: string;
  readonly client: WorkerInterface;
}

export interface Wire {
  readonly address: string;
  /** Connections made so far. */
  made(): number;
  /** Bytes that came from the server on one of them, the first being 0. */
  bytesOf(nth: number): number;
  /** Refuses further connections; those there are stay. */
  stopTaking(): void;
  /** Breaks one of them, or all. */
  cut(nth?: number): void;
}

/** What is to be ended after a test. */
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

  connect(address: string, trust?: PeerTrust): WorkerInterface {
    const { worker, close } = streamTransport(trust).connect(address);
    this.add(close);
    return worker;
  }

  async serve({ limits, handlers = {}, unaryOnly = false, trust }: StreamOptions = {}): Promise<Served> {
    const cluster = new LocalCluster(1);
    const worker = cluster.worker(0);
    const plan = { required: ["127.0.0.1"], optional: [], isOpen: false };
    const listener = await GrpcListener.open(plan, 0, trust);
    const endpoint = new GrpcEndpoint(listener, { ...defaultLimits(), ...limits });
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
    const address = `127.0.0.1:${listener.port}`;
    return { worker, endpoint, address, client: this.connect(address, trust) };
  }

  /** A wire to an address whose connections can be counted and broken; new ones can be made. */
  async wire(address: string): Promise<Wire> {
    const pairs: (readonly [Socket, Socket])[] = [];
    const port = Number(address.split(":")[1]);
    const proxy = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      pairs.push([near, far]);
      near.on("error", () => undefined).pipe(far);
      far.on("error", () => undefined).pipe(near);
    });
    const cut = (nth?: number): void => {
      for (const socket of (nth === undefined ? pairs : pairs.slice(nth, nth + 1)).flat()) {
        socket.destroy();
      }
    };
    this.add(() => {
      proxy.close();
      cut();
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    return {
      address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      bytesOf: (nth) => pairs[nth]?.[1].bytesRead ?? 0,
      made: () => pairs.length,
      stopTaking: () => proxy.close(),
      cut,
    };
  }
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
