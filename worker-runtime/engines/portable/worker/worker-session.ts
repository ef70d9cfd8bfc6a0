import { aborted } from "../../../protocol/status.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import type { RegisteredGraph } from "./registered-graph.js";
import type { TaskDevices } from "./task-devices.js";
import type { WorkerCache } from "./worker-interface.js";

const HANDLE_DIGITS = 16;

export interface WorkerSessionParts {
  /** The handle chosen by the master; "" for the session of masters that create none. */
  readonly handle: string;
  /** This task's devices with the session's names and sharing. */
  readonly devices: TaskDevices;
  readonly workers: WorkerCache;
  /** The workers are the session's own and end with it. */
  readonly ownsWorkers: boolean;
  /** The resources are the session's own and end with it. */
  readonly ownsResources: boolean;
}

/** A worker's state for one session of one master: its view of the cluster, its graphs, and which steps it ran. */
export class WorkerSession {
  readonly handle: string;
  readonly devices: TaskDevices;
  readonly workers: WorkerCache;
  /** Steps that have a rendezvous here and were not cleaned up; they end with the session. */
  readonly steps = new Set<bigint>();
  readonly #graphs = new Map<string, RegisteredGraph>();
  readonly #ownsWorkers: boolean;
  readonly #ownsResources: boolean;
  #nextGraph = 1;

  constructor({ handle, devices, workers, ownsWorkers, ownsResources }: WorkerSessionParts) {
    this.handle = handle;
    this.devices = devices;
    this.workers = workers;
    this.#ownsWorkers = ownsWorkers;
    this.#ownsResources = ownsResources;
  }

  /** Keeps a graph. @returns its handle, sixteen digits that count up, as TensorFlow's. */
  addGraph(graph: RegisteredGraph): string {
    const handle = this.#nextGraph.toString(16).padStart(HANDLE_DIGITS, "0");
    this.#nextGraph += 1;
    this.#graphs.set(handle, graph);
    return handle;
  }

  /** @throws TensorFlowError ABORTED in TensorFlow's words: clients then create a new session. */
  graph(handle: string): RegisteredGraph {
    const graph = this.#graphs.get(handle);
    if (graph === undefined) {
      throw aborted(`Graph handle is not found: ${handle}`);
    }
    return graph;
  }

  /** @throws TensorFlowError ABORTED in TensorFlow's words. */
  removeGraph(handle: string): void {
    this.#graphs.get(handle)?.release();
    if (!this.#graphs.delete(handle)) {
      throw aborted(`Graph handle is not found: ${handle}. Possibly, this worker just restarted.`);
    }
  }

  /** Releases what belongs to the session alone. */
  close(): void {
    memoryBudget.letGo();
    for (const graph of this.#graphs.values()) {
      graph.release();
    }
    this.#graphs.clear();
    if (this.#ownsWorkers) {
      this.workers.close();
    }
    if (this.#ownsResources) {
      this.devices.clearAll();
    } else {
      this.devices.endSession(this.handle);
    }
  }
}
