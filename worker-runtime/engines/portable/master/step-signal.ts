import { LightAbortController } from "../../../light-abort.js";
import { cancelled, cancelledBy, deadlineExceeded, TensorFlowError } from "../../../protocol/status.js";
import { MAX_TIMER_MILLIS } from "../timers.js";

/** The text of the error of a step whose client no longer waits for its answer. */
const CLIENT_GONE = "The client cancelled the step, or is gone.";

/** Whether a step ended because its client cancelled the call or is gone: nobody reads its error. */
export function isOfClient(reason: unknown): boolean {
  return reason instanceof TensorFlowError && reason.message === CLIENT_GONE;
}

/** The signals and limits that may end a step early. */
export interface StepEnds {
  /** Of the client's call. */
  readonly client?: AbortSignal | undefined;
  /** Of the session; its reason is a TensorFlowError. */
  readonly session: AbortSignal;
  /** RunOptions.timeout_in_ms; 0 for none. */
  readonly timeoutMillis: number;
}

/**
 * Combines several signals. `AbortSignal.any` keeps its result alive as long as the session, so it is unsuitable for
 * steps.
 */
export class StepSignal {
  readonly #controller = new LightAbortController();
  readonly #release: (() => void)[] = [];

  constructor({ client, session, timeoutMillis }: StepEnds) {
    this.#follow(client, () => cancelled(CLIENT_GONE));
    this.#follow(session, () => cancelledBy(session.reason, "The step"));
    if (timeoutMillis > 0) {
      const timer = setTimeout(
        () =>
          this.#controller.abort(
            deadlineExceeded(`The step did not end within ${timeoutMillis} ms (RunOptions.timeout_in_ms).`),
          ),
        Math.min(timeoutMillis, MAX_TIMER_MILLIS),
      );
      timer.unref();
      this.#release.push(() => clearTimeout(timer));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops listening. */
  release(): void {
    for (const release of this.#release.splice(0)) {
      release();
    }
  }

  #follow(signal: AbortSignal | undefined, reason: () => unknown): void {
    if (signal === undefined) {
      return;
    }
    const abort = () => this.#controller.abort(reason());
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    this.#release.push(() => signal.removeEventListener("abort", abort));
  }
}

/** The promise's value, unless the signal is aborted before. @throws the signal's reason. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) {
      end();
      return;
    }
    signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
