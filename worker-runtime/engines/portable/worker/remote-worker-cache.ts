import type { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import { parseHostPort } from "../../../cluster/address.js";
import { taskDeviceName } from "../../../cluster/device-name.js";
import { invalidArgument, notFound } from "../../../protocol/status.js";
import type { WorkerCache, WorkerInterface } from "./worker-interface.js";
import type { ConnectedWorker, WorkerTransport } from "./worker-transport.js";

/** The task that needs no connection: this one. */
export interface OwnTask {
  /** "/job:worker/replica:0/task:0". */
  readonly name: string;
  readonly worker: WorkerInterface;
}

/** The workers of a cluster: this task's own directly, the others over a transport, connected on first use. */
export class RemoteWorkerCache implements WorkerCache {
  /** Addresses by task, in the cluster's order. */
  readonly #addresses = new Map<string, string>();
  readonly #connected = new Map<string, ConnectedWorker>();
  readonly #transport: WorkerTransport;
  readonly #own: OwnTask | undefined;

  /**
   * @param own absent if this task is not in the cluster.
   * @throws TensorFlowError INVALID_ARGUMENT, in TensorFlow's words, for an address that is not host:port.
   */
  constructor(cluster: ClusterDef, transport: WorkerTransport, own: OwnTask | undefined) {
    this.#transport = transport;
    this.#own = own;
    for (const { name: job, tasks } of cluster.job) {
      for (const [index, address] of [...tasks].sort(([a], [b]) => a - b)) {
        if (parseHostPort(address) === undefined) {
          throw invalidArgument(`Could not interpret "${address}" as a host-port pair.`);
        }
        this.#addresses.set(taskDeviceName({ job, index }), address);
      }
    }
  }

  tasks(): readonly string[] {
    return [...this.#addresses.keys()];
  }

  worker(task: string): WorkerInterface {
    if (this.#own !== undefined && task === this.#own.name) {
      return this.#own.worker;
    }
    const connected = this.#connected.get(task);
    if (connected !== undefined) {
      return connected.worker;
    }
    const address = this.#addresses.get(task);
    if (address === undefined) {
      throw notFound(`${task} is not in the cluster, which has ${this.tasks().join(", ") || "no tasks"}.`);
    }
    const made = this.#transport.connect(address);
    this.#connected.set(task, made);
    return made.worker;
  }

  close(): void {
    for (const { close } of this.#connected.values()) {
      close();
    }
    this.#connected.clear();
  }
}
