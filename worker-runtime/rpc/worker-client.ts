import { WorkerServiceDefinition } from "../../protos/generated/tensorflow/worker_service.js";
import type { Channel } from "./channel.js";
import type { MethodCaller } from "./method-caller.js";
import { type ServiceCalls, serviceCalls } from "./service-calls.js";
import { ServiceClient } from "./service-client.js";

/**
 * The calls of tensorflow.WorkerService, as they are on the wire. None has a deadline unless one is given, and none is
 * ever repeated: a worker refuses a RecvTensor or RunGraph whose request_id it has seen. `getStatus` tells the devices of
 * the task, each with the incarnation that tells one life of the process from the next.
 */
export type WorkerClient = ServiceCalls<(typeof WorkerServiceDefinition)["methods"]>;

/** @param caller what carries the calls over the channel: unary gRPC unless given. */
export function workerClient(
  channel: Channel,
  caller: MethodCaller = new ServiceClient(WorkerServiceDefinition.fullName, channel),
): WorkerClient {
  return serviceCalls(WorkerServiceDefinition.methods, caller);
}
