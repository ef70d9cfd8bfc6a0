import type { WorkerServiceDefinition } from "../../../../protos/generated/tensorflow/worker_service.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { ServiceCalls } from "../../../rpc/service-calls.js";
import type { ClientConnection } from "../clients/client-connection.js";

/** How a call may end before its answer. */
export interface WorkerCallOptions {
  /** Cancels the call; the other side stops working on it. */
  readonly signal?: CancellationSignal | undefined;
  /** None unless given: only control calls have one. */
  readonly deadlineMillis?: number | undefined;
}

/** An incoming call, from this process or over a network. */
export interface IncomingCall extends WorkerCallOptions {
  /** Undefined for a caller in this process. */
  readonly connection?: ClientConnection | undefined;
}

/**
 * The calls of tensorflow.WorkerService. The task's own worker and those of other tasks, over any transport, look the
 * same to a master and to a rendezvous. Every call throws TensorFlowError with the code, text and payloads of the
 * worker.
 */
export type WorkerInterface = ServiceCalls<(typeof WorkerServiceDefinition)["methods"], WorkerCallOptions>;

/** The workers that a session sees, by task. */
export interface WorkerCache {
  /** Task names in order, "/job:worker/replica:0/task:0". */
  tasks(): readonly string[];
  /**
   * The worker of a task; the same object every time.
   * @throws TensorFlowError NOT_FOUND for a task that the cluster does not have.
   */
  worker(task: string): WorkerInterface;
  /** Closes the connections. */
  close(): void;
}
