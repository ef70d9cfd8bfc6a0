import { expect, test } from "vitest";
import { remoteReceiver } from "../../../../../worker-runtime/engines/portable/worker/remote-receiver.js";
import { RpcLog } from "../../../../../worker-runtime/engines/portable/worker/rpc-log.js";
import type { TaskDevices } from "../../../../../worker-runtime/engines/portable/worker/task-devices.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import {
  invalidArgument,
  StatusCode,
  TensorFlowError,
} from "../../../../../worker-runtime/protocol/status.js";

const PS = "/job:ps/replica:0/task:0";
const WORKER = "/job:worker/replica:0/task:0";
const KEY = `${PS}/device:CPU:0;1;${WORKER}/device:CPU:0;edge_1_w;0:0`;

/** Receives a tensor from a task whose answer is an error. */
function receiveFrom(error: TensorFlowError): Promise<unknown> {
  const failing: Partial<WorkerInterface> = { recvTensor: () => Promise.reject(error) };
  const receiver = remoteReceiver({
    stepId: 1n,
    devices: { taskName: WORKER } as TaskDevices,
    workers: { tasks: () => [PS], worker: () => failing as WorkerInterface, close: () => undefined },
    log: new RpcLog(),
  });
  return receiver.receive(KEY, new AbortController().signal);
}

test("the task whose connection was lost is named", async () => {
  const payloads = new Map([["key", new Uint8Array(1)]]);
  const lost = new TensorFlowError(StatusCode.UNAVAILABLE, "connect ECONNREFUSED 127.0.0.1:2222", {
    payloads,
  });
  await expect(receiveFrom(lost)).rejects.toMatchObject({
    codeName: "UNAVAILABLE",
    message: `connect ECONNREFUSED 127.0.0.1:2222\nAdditional GRPC error information from remote target ${PS}`,
    payloads,
  });
});

test("other errors of the sender are passed on as they are", async () => {
  const error = invalidArgument("Bad shape.");
  await expect(receiveFrom(error)).rejects.toBe(error);
});
