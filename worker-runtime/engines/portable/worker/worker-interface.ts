import type * as worker from "../../../../protos/generated/tensorflow/worker.js";

/** How a call may end before its answer. */
export interface WorkerCallOptions {
  /** Cancels the call; the other side stops what it does for it. */
  readonly signal?: AbortSignal | undefined;
  /** None unless given: only control calls have one. */
  readonly deadlineMillis?: number | undefined;
}

type Call<Request, Response> = (request: Request, options?: WorkerCallOptions) => Promise<Response>;

/**
 * The calls of tensorflow.WorkerService. The task's own worker and those of other tasks, over whatever transport, are the
 * same to a master and to a rendezvous. Every call throws TensorFlowError with the code, text and payloads of the worker.
 */
export interface WorkerInterface {
  readonly getStatus: Call<worker.GetStatusRequest, worker.GetStatusResponse>;
  readonly createWorkerSession: Call<worker.CreateWorkerSessionRequest, worker.CreateWorkerSessionResponse>;
  readonly deleteWorkerSession: Call<worker.DeleteWorkerSessionRequest, worker.DeleteWorkerSessionResponse>;
  readonly registerGraph: Call<worker.RegisterGraphRequest, worker.RegisterGraphResponse>;
  readonly deregisterGraph: Call<worker.DeregisterGraphRequest, worker.DeregisterGraphResponse>;
  readonly runGraph: Call<worker.RunGraphRequest, worker.RunGraphResponse>;
  readonly cleanupGraph: Call<worker.CleanupGraphRequest, worker.CleanupGraphResponse>;
  readonly cleanupAll: Call<worker.CleanupAllRequest, worker.CleanupAllResponse>;
  readonly recvTensor: Call<worker.RecvTensorRequest, worker.RecvTensorResponse>;
  readonly markRecvFinished: Call<worker.MarkRecvFinishedRequest, worker.MarkRecvFinishedResponse>;
  readonly logging: Call<worker.LoggingRequest, worker.LoggingResponse>;
  readonly tracing: Call<worker.TracingRequest, worker.TracingResponse>;
  readonly recvBuf: Call<worker.RecvBufRequest, worker.RecvBufResponse>;
  readonly completeGroup: Call<worker.CompleteGroupRequest, worker.CompleteGroupResponse>;
  readonly completeInstance: Call<worker.CompleteInstanceRequest, worker.CompleteInstanceResponse>;
  readonly getStepSequence: Call<worker.GetStepSequenceRequest, worker.GetStepSequenceResponse>;
}

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
