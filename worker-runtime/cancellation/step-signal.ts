import { cancelled, cancelledBy, deadlineExceeded, TensorFlowError } from "../protocol/status.js";
import { MAX_TIMER_MILLIS } from "../timers.js";
import { CancellationController } from "./cancellation-controller.js";
import type { CancellationSignal } from "./cancellation-signal.js";

/** The text of the error of a step whose client no longer waits for its answer. */
const CLIENT_GONE = "The client cancelled the step, or is gone.";

/** True if a step ended because its client cancelled the call or is gone: nobody reads its error. */
export function isOfClient(reason: unknown): boolean {
  return reason instanceof TensorFlowError && reason.message === CLIENT_GONE;
}

/** The signals and limits that may end a step early. */
export interface StepEnds {
  /** The signal of the client's call. */
  readonly client?: CancellationSignal | undefined;
  /** The signal of the session; its reason is a TensorFlowError. */
  readonly session: CancellationSignal;
  /** RunOptions.timeout_in_ms; 0 for none. */
  readonly timeoutMillis: number;
}

/** The signal of a step, which its client, its session and its time limit end. */
export class StepSignal {
  readonly #controller = new CancellationController();
  readonly #leaveClient: () => void;
  readonly #leaveSession: () => void;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ client, session, timeoutMillis }: StepEnds) {
    this.#leaveClient = this.#controller.follow(client, () => cancelled(CLIENT_GONE));
    this.#leaveSession = this.#controller.follow(session, () => cancelledBy(session.reason, "The step"));
    if (timeoutMillis > 0) {
      this.#timer = setTimeout(
        () =>
          this.#controller.abort(
            deadlineExceeded(`The step did not end within ${timeoutMillis} ms (RunOptions.timeout_in_ms).`),
          ),
        Math.min(timeoutMillis, MAX_TIMER_MILLIS),
      ).unref();
    }
  }

  get signal(): CancellationSignal {
    return this.#controller.signal;
  }

  /** Stops listening. */
  release(): void {
    this.#leaveClient();
    this.#leaveSession();
    clearTimeout(this.#timer);
  }
}
