import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { TensorFlowError } from "../../../protocol/status.js";
import type { Value } from "../values.js";

/** The value that travels between a _Send and its _Recv. */
export type Sent = { readonly isDead: false; readonly value: Value } | { readonly isDead: true };

/**
 * Exchanges values between the nodes of one step across devices and tasks. A key has the wire format: send device,
 * incarnation, receive device, name, frame and iteration, with semicolons between. Each key is sent once and received
 * once, in either order.
 */
export interface Rendezvous {
  /** Stores a value for its receiver. @throws TensorFlowError the reason, once the step was aborted. */
  send(key: string, sent: Sent): void;
  /**
   * Waits for a value, on this task or from the task that the key names.
   * @throws TensorFlowError CANCELLED when the signal is aborted; the step's error; the other task's.
   */
  recv(key: string, signal: CancellationSignal): Promise<Sent>;
  /** Ends all waits, present and future, with this error. Only the first one counts. */
  abort(error: TensorFlowError): void;
}
