import type * as worker from "../../protos/generated/tensorflow/worker.js";
import { WorkerServiceDefinition } from "../../protos/generated/tensorflow/worker_service.js";
import type { Channel } from "./channel.js";
import { type CallOptions, type MethodCaller, ServiceClient } from "./service-client.js";

const { methods } = WorkerServiceDefinition;

/**
 * The calls of a worker, as they are on the wire. None has a deadline unless one is given, and none is ever repeated:
 * a worker refuses a RecvTensor or RunGraph whose request_id it has seen.
 */
export class WorkerClient {
  readonly #client: MethodCaller;

  /** @param client what carries the calls over the channel: unary gRPC unless given. */
  constructor(
    channel: Channel,
    client: MethodCaller = new ServiceClient(WorkerServiceDefinition.fullName, channel),
  ) {
    this.#client = client;
  }

  get address(): string {
    return this.#client.address;
  }

  /** The devices of the task, each with the incarnation that tells one life of the process from the next. */
  getStatus(request: worker.GetStatusRequest, options?: CallOptions): Promise<worker.GetStatusResponse> {
    return this.#client.call(methods.getStatus, request, options);
  }

  createWorkerSession(
    request: worker.CreateWorkerSessionRequest,
    options?: CallOptions,
  ): Promise<worker.CreateWorkerSessionResponse> {
    return this.#client.call(methods.createWorkerSession, request, options);
  }

  deleteWorkerSession(
    request: worker.DeleteWorkerSessionRequest,
    options?: CallOptions,
  ): Promise<worker.DeleteWorkerSessionResponse> {
    return this.#client.call(methods.deleteWorkerSession, request, options);
  }

  registerGraph(
    request: worker.RegisterGraphRequest,
    options?: CallOptions,
  ): Promise<worker.RegisterGraphResponse> {
    return this.#client.call(methods.registerGraph, request, options);
  }

  deregisterGraph(
    request: worker.DeregisterGraphRequest,
    options?: CallOptions,
  ): Promise<worker.DeregisterGraphResponse> {
    return this.#client.call(methods.deregisterGraph, request, options);
  }

  runGraph(request: worker.RunGraphRequest, options?: CallOptions): Promise<worker.RunGraphResponse> {
    return this.#client.call(methods.runGraph, request, options);
  }

  cleanupGraph(
    request: worker.CleanupGraphRequest,
    options?: CallOptions,
  ): Promise<worker.CleanupGraphResponse> {
    return this.#client.call(methods.cleanupGraph, request, options);
  }

  cleanupAll(request: worker.CleanupAllRequest, options?: CallOptions): Promise<worker.CleanupAllResponse> {
    return this.#client.call(methods.cleanupAll, request, options);
  }

  recvTensor(request: worker.RecvTensorRequest, options?: CallOptions): Promise<worker.RecvTensorResponse> {
    return this.#client.call(methods.recvTensor, request, options);
  }

  markRecvFinished(
    request: worker.MarkRecvFinishedRequest,
    options?: CallOptions,
  ): Promise<worker.MarkRecvFinishedResponse> {
    return this.#client.call(methods.markRecvFinished, request, options);
  }

  logging(request: worker.LoggingRequest, options?: CallOptions): Promise<worker.LoggingResponse> {
    return this.#client.call(methods.logging, request, options);
  }

  tracing(request: worker.TracingRequest, options?: CallOptions): Promise<worker.TracingResponse> {
    return this.#client.call(methods.tracing, request, options);
  }

  recvBuf(request: worker.RecvBufRequest, options?: CallOptions): Promise<worker.RecvBufResponse> {
    return this.#client.call(methods.recvBuf, request, options);
  }

  completeGroup(
    request: worker.CompleteGroupRequest,
    options?: CallOptions,
  ): Promise<worker.CompleteGroupResponse> {
    return this.#client.call(methods.completeGroup, request, options);
  }

  completeInstance(
    request: worker.CompleteInstanceRequest,
    options?: CallOptions,
  ): Promise<worker.CompleteInstanceResponse> {
    return this.#client.call(methods.completeInstance, request, options);
  }

  getStepSequence(
    request: worker.GetStepSequenceRequest,
    options?: CallOptions,
  ): Promise<worker.GetStepSequenceResponse> {
    return this.#client.call(methods.getStepSequence, request, options);
  }
}
