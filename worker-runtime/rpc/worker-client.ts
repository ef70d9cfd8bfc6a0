import type * as worker from "../../protos/generated/tensorflow/worker.js";
import { WorkerServiceDefinition } from "../../protos/generated/tensorflow/worker_service.js";
import type { Channel } from "./channel.js";
import { type CallOptions, ServiceClient } from "./service-client.js";

const { methods } = WorkerServiceDefinition;

/** The calls of a worker that a client or a monitor makes. None has a deadline unless one is given. */
export class WorkerClient {
  readonly #client: ServiceClient;

  constructor(channel: Channel) {
    this.#client = new ServiceClient(WorkerServiceDefinition.fullName, channel);
  }

  get address(): string {
    return this.#client.address;
  }

  /** The devices of the task, each with the incarnation that tells one life of the process from the next. */
  getStatus(request: worker.GetStatusRequest, options?: CallOptions): Promise<worker.GetStatusResponse> {
    return this.#client.call(methods.getStatus, request, options);
  }

  logging(request: worker.LoggingRequest, options?: CallOptions): Promise<worker.LoggingResponse> {
    return this.#client.call(methods.logging, request, options);
  }

  cleanupAll(request: worker.CleanupAllRequest, options?: CallOptions): Promise<worker.CleanupAllResponse> {
    return this.#client.call(methods.cleanupAll, request, options);
  }
}
