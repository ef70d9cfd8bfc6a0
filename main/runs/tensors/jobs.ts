import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { withPauses } from "../../../worker-runtime/engines/portable/pauses.js";
import { cancelledBy } from "../../../worker-runtime/protocol/status.js";
import type { EmitEvent } from "../../shared/events.js";
import { UpdateThrottle } from "../../shared/update-throttle.js";

/** Work that yields, every millisecond or so, the part of it that is done, from 0 to 1. */
export type Progressing<T> = Generator<number, T>;

/** Shorter work is not reported. */
const REPORTED_AFTER_MILLIS = 250;

interface Job {
  readonly abort: AbortController;
  readonly startedAt: number;
  done: number;
}

/**
 * Long work on tensors, in turns of a few milliseconds, so that the application serves runs and windows meanwhile. It
 * ends when it is cancelled and when its window has gone.
 */
export class Jobs {
  readonly #emit: EmitEvent;
  readonly #jobs = new Map<string, Job>();
  readonly #throttle: UpdateThrottle;
  #reported = false;

  constructor(emit: EmitEvent) {
    this.#emit = emit;
    this.#throttle = new UpdateThrottle(() => this.#report());
  }

  /** @throws TensorFlowError CANCELLED */
  run<T>(jobId: string, gone: AbortSignal, work: () => Progressing<T>): Promise<T> {
    return this.#track(jobId, gone, (signal, job) => withPauses(noting(work(), job), signal));
  }

  /** Work that waits for other things than the processor; it heeds the signal and reports its progress itself. */
  runAsync<T>(
    jobId: string,
    gone: AbortSignal,
    work: (signal: AbortSignal, onProgress: (done: number) => void) => Promise<T>,
  ): Promise<T> {
    return this.#track(jobId, gone, (signal, job) =>
      work(signal, (done) => {
        job.done = done;
        this.#throttle.soon();
      }),
    );
  }

  cancel(jobId: string): void {
    this.#jobs.get(jobId)?.abort.abort();
  }

  /** Cancels everything. */
  dispose(): void {
    for (const { abort } of this.#jobs.values()) abort.abort();
    this.#throttle.dispose();
  }

  async #track<T>(
    jobId: string,
    gone: AbortSignal,
    work: (signal: AbortSignal, job: Job) => Promise<T>,
  ): Promise<T> {
    // A second request of the same id replaces the first.
    this.cancel(jobId);
    const abort = new LinkedAbortController(gone);
    const job: Job = { abort, startedAt: performance.now(), done: 0 };
    const { signal } = abort;
    this.#jobs.set(jobId, job);
    const reports = setInterval(() => this.#throttle.soon(), REPORTED_AFTER_MILLIS);
    try {
      signal.throwIfAborted();
      return await work(signal, job);
    } catch (error) {
      throw signal.aborted ? cancelledBy(signal.reason, "The work on the tensor") : error;
    } finally {
      clearInterval(reports);
      abort.abort();
      if (this.#jobs.get(jobId) === job) this.#jobs.delete(jobId);
      if (this.#reported) this.#throttle.soon();
    }
  }

  #report(): void {
    const now = performance.now();
    const slow = [...this.#jobs].filter(([, { startedAt }]) => now - startedAt >= REPORTED_AFTER_MILLIS);
    if (slow.length === 0 && !this.#reported) return;
    this.#reported = slow.length > 0;
    this.#emit(
      "tensorJobs",
      slow.map(([jobId, { done }]) => ({ jobId, done })),
    );
  }
}

function* noting<T>(work: Progressing<T>, job: Job): Generator<void, T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    job.done = value;
    yield;
  }
}
