import { availableParallelism } from "node:os";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../faults.js";
import { cancelled, cancelledBy, type TensorFlowError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { compiledModule } from "../../package-root.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import { type ComputeJob, ComputeWorker } from "./compute-worker.js";
import type { KernelOffload } from "./kernel-offload.js";

export interface ComputePoolOptions {
  /** Maximum number of threads; by default the number of cores, up to four. */
  readonly threads?: number;
  /** Grace period of a kernel whose result is no longer awaited, after which its thread is ended. */
  readonly graceMillis?: number;
  /** Threads end after this long without any work. */
  readonly idleMillis?: number;
  /** The module that a thread runs: the compiled compute-thread.js unless given. */
  readonly script?: string;
}

const MAX_THREADS = 4;
const DEFAULT_GRACE_MILLIS = 3000;
const DEFAULT_IDLE_MILLIS = 60_000;

/** A job that waits for a thread. */
interface QueuedJob extends ComputeJob {
  /** Called when a thread takes it. */
  started(worker: ComputeWorker): void;
}

/**
 * Threads for long-running kernels. They start when there is work, and end after a long idle period: the memory of
 * WebAssembly never shrinks, and threads without work do not collect their garbage.
 */
export class ComputePool implements KernelOffload {
  readonly parallelism: number;
  readonly #graceMillis: number;
  readonly #idleMillis: number;
  readonly #script: string;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #workers = new Set<ComputeWorker>();
  readonly #queue: QueuedJob[] = [];
  #isClosed = false;

  constructor({
    threads,
    graceMillis = DEFAULT_GRACE_MILLIS,
    idleMillis = DEFAULT_IDLE_MILLIS,
    script = compiledModule("engines/portable/compute/compute-thread.js"),
  }: ComputePoolOptions = {}) {
    // A lower priority than the thread that answers gRPC, so that the system schedules that one at once.
    this.parallelism = threads ?? Math.min(availableParallelism(), MAX_THREADS);
    this.#graceMillis = graceMillis;
    this.#idleMillis = idleMillis;
    this.#script = script;
  }

  /** The current number of threads. */
  get threads(): number {
    return this.#workers.size;
  }

  run(
    node: KernelNode,
    deviceType: string,
    inputs: readonly Tensor[],
    signal: CancellationSignal,
    onRan?: (millis: number) => void,
  ): Promise<readonly Tensor[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || signal.aborted) {
        reject(this.#isClosed ? stopped() : cancelledBy(signal.reason, "The step"));
        return;
      }
      let worker: ComputeWorker | undefined;
      const onAbort = (): void => {
        reject(cancelledBy(signal.reason, "The step"));
        if (worker === undefined) {
          this.#queue.splice(this.#queue.indexOf(job), 1);
        } else {
          this.#endUnlessIdle(worker, job);
        }
      };
      const job: QueuedJob = {
        node,
        deviceType,
        inputs,
        started(taken) {
          worker = taken;
        },
        done(outputs, millis) {
          signal.removeEventListener("abort", onAbort);
          onRan?.(millis);
          resolve(outputs);
        },
        failed(error) {
          signal.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(job);
      try {
        this.#dispatch();
      } catch (error) {
        signal.removeEventListener("abort", onAbort);
        this.#queue.splice(this.#queue.indexOf(job), 1);
        reject(error);
      }
    });
  }

  /** Ends all threads. Pending calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const job of this.#queue.splice(0)) {
      job.failed(stopped());
    }
    await Promise.all([...this.#workers].map((worker) => worker.terminate(stopped())));
  }

  /** Gives jobs to threads that are idle, and starts threads while there are fewer than allowed. */
  #dispatch(): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const worker = [...this.#workers].find(({ isIdle }) => isIdle) ?? this.#newWorker();
      const job = worker && this.#queue.shift();
      if (worker === undefined || job === undefined) {
        return;
      }
      job.started(worker);
      worker.start(job);
    }
  }

  #newWorker(): ComputeWorker | undefined {
    if (this.#workers.size >= this.parallelism) {
      return undefined;
    }
    const worker: ComputeWorker = new ComputeWorker(
      this.#script,
      () => this.#goOn(),
      () => {
        this.#workers.delete(worker);
        this.#goOn();
      },
    );
    this.#workers.add(worker);
    return worker;
  }

  /** A thread has ended or has nothing to do. */
  #goOn(): void {
    this.#dispatch();
    if (!this.#isClosed) {
      this.#idleTimer ??= setTimeout(() => this.#endThreads(), this.#idleMillis).unref();
      this.#idleTimer.refresh();
    }
  }

  /** Ends the threads if all are idle; otherwise once the last one is idle. */
  #endThreads(): void {
    if ([...this.#workers].every(({ isIdle }) => isIdle)) {
      for (const worker of this.#workers) {
        inBackground(worker.terminate(stopped()));
      }
      // The results of the threads are in this thread's memory, even if they are no longer referenced.
      if (this.#workers.size > 0) {
        memoryBudget.collectWhenIdle();
      }
    }
  }

  /** A kernel cannot be interrupted: if it continues for too long, its thread is ended. */
  #endUnlessIdle(worker: ComputeWorker, job: ComputeJob): void {
    setTimeout(() => {
      if (worker.isRunning(job)) {
        inBackground(
          worker.terminate(cancelled("The kernel continued for too long after its step had ended.")),
        );
      }
    }, this.#graceMillis).unref();
  }
}

function stopped(): TensorFlowError {
  return cancelled("The worker is being stopped.");
}
