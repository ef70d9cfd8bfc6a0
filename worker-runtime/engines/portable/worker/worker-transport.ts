import type { WorkerInterface } from "./worker-interface.js";

/** A worker of another task, over a connection of its own that is opened with the first call and kept. */
export interface ConnectedWorker {
  readonly worker: WorkerInterface;
  /** Closes the connection. Pending calls fail with UNAVAILABLE. */
  close(): void;
}

/**
 * How calls reach the worker of another task. The one place to add another way. What any of them must keep:
 * - a call is carried out once. A RecvTensor that was sent must not be sent again, not even after the connection broke:
 *   the value is handed out once, and the worker refuses the second request with the same id. The caller gets the error.
 * - calls are not answered in order; a RecvTensor may wait for hours while others pass it.
 * - an aborted signal reaches the other side, which then stops waiting.
 */
export interface WorkerTransport {
  /** @param address "host:port". @throws TensorFlowError INVALID_ARGUMENT when it cannot be dialled. */
  connect(address: string): ConnectedWorker;
}
