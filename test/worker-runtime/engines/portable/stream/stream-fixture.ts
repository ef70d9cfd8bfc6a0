/** A worker's services on a port of loopback, and ways to reach them. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { WorkerServiceDefinition } from "../../../../../protos/generated/tensorflow/worker_service.js";
import {
  defaultLimits,
  type ServiceLimits,
} from "../../../../../worker-runtime/engines/portable/service/call-limits.js";
import { GrpcEndpoint } from "../../../../../worker-runtime/engines/portable/service/grpc-endpoint.js";
import { GrpcListener } from "../../../../../worker-runtime/engines/portable/service/grpc-listener.js";
import type { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { streamTransport } from "../../../../../worker-runtime/engines/portable/worker/worker-transport.js";
import { LocalCluster } from "../worker/worker-fixture.js";

export interface StreamOptions {
  readonly limits?: Partial<ServiceLimits>;
  /** Handlers in place of the worker's own. */
  readonly handlers?: Partial<WorkerInterface>;
  /** Offer unary calls only, as TensorFlow's server does. */
  readonly unaryOnly?: boolean;
}

export interface Served {
  readonly worker: Worker;
  readonly endpoint: GrpcEndpoint;
  readonly address: string;
  readonly client: WorkerInterface;
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

  connect(address: string): WorkerInterface {
    const { worker, close } = streamTransport().connect(address);
    this.add(close);
    return worker;
  }

  async serve({ limits, handlers = {}, unaryOnly = false }: StreamOptions = {}): Promise<Served> {
    const cluster = new LocalCluster(1);
    const worker = cluster.worker(0);
    const plan = { required: ["127.0.0.1"], optional: [], isOpen: false };
    const listener = await GrpcListener.open(plan, 0, undefined);
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
    return { worker, endpoint, address, client: this.connect(address) };
  }

  /** A wire to an address; `cut` breaks the connections that there are, and new ones can be made. */
  async wire(address: string): Promise<{ readonly address: string; cut(): void }> {
    const sockets = new Set<Socket>();
    const port = Number(address.split(":")[1]);
    const proxy = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      sockets.add(near).add(far);
      near.on("error", () => undefined).pipe(far);
      far.on("error", () => undefined).pipe(near);
    });
    const cut = (): void => {
      for (const socket of sockets) {
        socket.destroy();
      }
      sockets.clear();
    };
    this.add(() => {
      proxy.close();
      cut();
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    return { address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut };
  }
}
