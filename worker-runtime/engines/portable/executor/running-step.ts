import { CancellationController } from "../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { StepCollectives } from "../collectives/collective.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import type { Rendezvous } from "../rendezvous/rendezvous.js";
import type { FileAccess } from "../resources/file-access.js";
import type { ResourceManager } from "../resources/resource-manager.js";
import type { FunctionCaller, StepContext } from "./step-context.js";
import type { StepStatsCollector } from "./step-stats.js";

/**
 * A step as the nodes of one graph see it: the step that it is part of, with a signal of its own, so that the failure of
 * a node ends the waits of the others. The functions that nodes call see it, too, and add a level each.
 */
export class RunningStep implements StepContext {
  readonly #step: StepContext;
  readonly session?: string;
  readonly stats: StepStatsCollector | undefined;
  readonly functions: FunctionCaller;
  /** How many functions around this graph call each other. */
  readonly callDepth: number;
  // Most graphs have no node that waits.
  #abort: CancellationController | undefined;
  /** The functions that run for nodes of this graph, each as what names its waiting nodes; most graphs call none. */
  #within: Set<() => readonly string[]> | undefined;
  #reason: unknown;
  #isAborted = false;

  /** @param functions that the graph's nodes may call. */
  constructor(step: StepContext, stats: StepStatsCollector | undefined, functions: FunctionCaller) {
    this.#step = step;
    this.functions = functions;
    if (step.session !== undefined) {
      this.session = step.session;
    }
    this.stats = stats ?? (step instanceof RunningStep ? step.stats : undefined);
    this.callDepth = step instanceof RunningStep ? step.callDepth + 1 : 0;
  }

  get signal(): CancellationSignal {
    if (this.#abort === undefined) {
      this.#abort = new CancellationController();
      if (this.#isAborted) {
        this.#abort.abort(this.#reason);
      }
    }
    return this.#abort.signal;
  }

  /** Ends the waits of all nodes. */
  abort(reason: unknown): void {
    this.#isAborted = true;
    this.#reason = reason;
    this.#abort?.abort(reason);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** A function runs for a node of this graph. @returns what to call when it has ended. */
  enter(waitingNodes: () => readonly string[]): () => void {
    this.#within ??= new Set();
    const within = this.#within.add(waitingNodes);
    return () => within.delete(waitingNodes);
  }

  /** The waiting nodes of the functions that run for nodes of this graph. */
  waitingWithin(): readonly string[] {
    return [...(this.#within ?? [])].flatMap((waitingNodes) => waitingNodes());
  }

  get stepId(): bigint {
    return this.#step.stepId;
  }

  get stepResources(): ResourceManager {
    return this.#step.stepResources;
  }

  get rendezvous(): Rendezvous {
    return this.#step.rendezvous;
  }

  get collectives(): StepCollectives | undefined {
    return this.#step.collectives;
  }

  get files(): FileAccess {
    return this.#step.files;
  }

  get compute(): KernelOffload | undefined {
    return this.#step.compute;
  }

  resources(device: string): ResourceManager {
    return this.#step.resources(device);
  }

  log(line: string): void {
    this.#step.log(line);
  }
}
