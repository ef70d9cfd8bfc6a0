import { Worker } from "node:worker_threads";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../faults.js";
import { cancelled, cancelledBy } from "../../../protocol/status.js";
import { compiledModule } from "../../package-root.js";
import type { GpuProvider } from "../gpu/choose-gpus.js";
import { DeviceLostError } from "./device-errors.js";
import type { DeviceAnswer, DeviceRequest, DeviceThreadData } from "./device-messages.js";
import { RUN_THREADS, RUNTIME } from "./runtime.js";
import { forbidTelemetry } from "./telemetry.js";

export interface ThreadLifeOptions {
  /** The ONNX Runtime module; tests of its absence name a different one. */
  readonly runtime?: string | undefined;
  /** The time in milliseconds after which an idle thread ends. */
  readonly idleMillis?: number | undefined;
  /** The module that the thread runs; defaults to the compiled device-thread.js. */
  readonly script?: string | undefined;
  /** The provider of the GPU; undefined for the CPU. */
  readonly provider: GpuProvider | undefined;
  /** Whether another thread may follow one that ended by itself. */
  readonly mayRestart: boolean;
  /** Whether nothing is lost if an idle thread ends. */
  mayRest(): boolean;
  /** The error for a request that failed in ONNX Runtime. */
  failureOf(reason: string): Error;
  /** The thread has ended, with everything on it. */
  onEnded(): void;
  /** Called once if ONNX Runtime cannot be loaded or its thread repeatedly ends. */
  onUnavailable(reason: string): void;
}

/** A running thread, and the number that distinguishes it from earlier ones. */
export interface RunningThread {
  readonly worker: Worker;
  readonly generation: number;
}

const DEFAULT_IDLE_MILLIS = 60_000;
/** A thread that ends this many times in a row without an answer is not restarted. */
const MAX_LOSSES = 3;
/** More than a thread can make. */
const HANDLES_PER_THREAD = 2 ** 40;
/** The longest wait of `close` for a current ONNX Runtime call, which is not interrupted. */
const MAX_CLOSING_MILLIS = 10_000;

/** The threads of this process with ONNX Runtime loaded. */
export const deviceThreads = { count: 0 };

interface Pending {
  done(answer: DeviceAnswer): void;
  failed(error: Error): void;
}

/**
 * The life of a device's thread and the requests that wait for its answers. It starts when it is needed and ends when
 * idle; if it ends by itself, pending requests fail, and another one may follow.
 */
export class ThreadLife {
  readonly #options: ThreadLifeOptions;
  readonly #pending = new Map<number, Pending>();
  #current: RunningThread | undefined;
  #generation = 0;
  #requests = 0;
  #losses = 0;
  #isUnavailable = false;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: ThreadLifeOptions) {
    this.#options = options;
  }

  /** False once ONNX Runtime is known not to work here. */
  get isAvailable(): boolean {
    return !this.#isUnavailable && !this.#isClosed;
  }

  /** The thread; undefined while it is not running. */
  get current(): RunningThread | undefined {
    return this.#current;
  }

  /**
   * Starts the thread unless it is running.
   * @throws DeviceLostError if it cannot be started.
   */
  start(): RunningThread {
    if (!this.isAvailable) {
      throw new DeviceLostError("ONNX Runtime is not available.");
    }
    if (this.#current !== undefined) {
      return this.#current;
    }
    const { script = compiledModule("engines/portable/regions/device-thread.js"), runtime = RUNTIME } =
      this.#options;
    this.#generation += 1;
    const workerData: DeviceThreadData = {
      runtime,
      threads: RUN_THREADS,
      provider: this.#options.provider,
      // A tensor of an earlier thread is not mistaken for one of this thread.
      firstHandle: this.#generation * HANDLES_PER_THREAD,
    };
    // Options of this process, such as a TypeScript loader, do not apply to compiled files.
    forbidTelemetry();
    const thread = new Worker(script, { execArgv: [], workerData });
    thread.unref();
    deviceThreads.count += 1;
    const current: RunningThread = { worker: thread, generation: this.#generation };
    this.#current = current;
    let reason = "its thread ended";
    thread.on("message", (answer: DeviceAnswer) => {
      if (this.#current === current) {
        this.#answered(answer);
      }
    });
    thread.on("error", (error: Error) => {
      reason = `its thread failed: ${error.message}`;
    });
    thread.on("exit", () => {
      deviceThreads.count -= 1;
      if (this.#current === current) {
        this.#losses += 1;
        this.#lose(`ONNX Runtime: ${reason}.`);
        if (this.#losses >= MAX_LOSSES || !this.#options.mayRestart) {
          this.setUnavailable(reason);
        }
      }
    });
    return current;
  }

  #answered(answer: DeviceAnswer): void {
    switch (answer.kind) {
      case "started":
        return;
      case "unavailable":
        this.setUnavailable(answer.reason);
        this.end(answer.reason);
        return;
      case "failed":
        this.#take(answer.request)?.failed(this.#options.failureOf(answer.reason));
        break;
      default:
        this.#take(answer.request)?.done(answer);
    }
    this.#losses = 0;
  }

  /** Nothing can be run from now on. Its thread is ended separately. */
  setUnavailable(reason: string): void {
    if (!this.#isUnavailable && !this.#isClosed) {
      this.#isUnavailable = true;
      this.#options.onUnavailable(reason);
    }
  }

  /** Sends a request and waits for the answer, which is dropped if the signal has been aborted. */
  ask(
    send: (request: number) => void,
    signal?: CancellationSignal,
    late?: (answer: DeviceAnswer) => void,
  ): Promise<DeviceAnswer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(cancelledBy(signal.reason, "The step"));
        return;
      }
      this.#requests += 1;
      const request = this.#requests;
      const onAbort = (): void => reject(cancelledBy(signal?.reason, "The step"));
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = (): void => signal?.removeEventListener("abort", onAbort);
      this.#pending.set(request, {
        done(answer) {
          settle();
          if (signal?.aborted) {
            late?.(answer);
          }
          resolve(answer);
        },
        failed(error) {
          settle();
          reject(error);
        },
      });
      this.#current?.worker.ref();
      clearTimeout(this.#idleTimer);
      try {
        send(request);
      } catch (error) {
        this.#take(request)?.failed(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #take(request: number): Pending | undefined {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    this.restWhenIdle();
    return pending;
  }

  /** Lets the thread end after a while without work, unless something is kept on it. */
  restWhenIdle(): void {
    if (this.#pending.size > 0 || this.#isClosed) {
      return;
    }
    // An idle thread does not keep the process alive.
    this.#current?.worker.unref();
    clearTimeout(this.#idleTimer);
    const { idleMillis = DEFAULT_IDLE_MILLIS, mayRest } = this.#options;
    const end = () => {
      if (mayRest()) {
        this.end("it had no work");
      }
    };
    this.#idleTimer = setTimeout(end, idleMillis).unref();
  }

  /** Ends the thread and rejects pending requests. */
  end(reason: string): void {
    const thread = this.#current?.worker;
    this.#lose(`ONNX Runtime's thread was ended: ${reason}.`);
    inBackground(endThread(thread));
  }

  #lose(reason: string): void {
    if (this.#current !== undefined) {
      this.#current = undefined;
      this.#options.onEnded();
    }
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { failed } of pending) {
      failed(this.#isClosed ? cancelled(reason) : new DeviceLostError(reason));
    }
  }

  /** Ends the thread. Pending requests fail with DeviceLostError; `start` starts another one. */
  async restart(): Promise<void> {
    const thread = this.#current?.worker;
    this.#lose("ONNX Runtime's thread was ended.");
    await endThread(thread);
  }

  /** Ends the thread. Pending requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    const thread = this.#current?.worker;
    this.#lose("The worker is being stopped.");
    await endThread(thread);
  }
}

/**
 * Ends a thread after its current call: if `terminate` interrupts ONNX Runtime, its addon aborts the process. Resolves
 * when the thread has ended or takes too long; in the latter case it ends later without keeping the process alive.
 */
async function endThread(thread: Worker | undefined): Promise<void> {
  if (thread === undefined) {
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, MAX_CLOSING_MILLIS).unref();
  });
  const ended = new Promise((resolve) => thread.once("exit", resolve));
  thread.postMessage({ kind: "end" } satisfies DeviceRequest);
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
