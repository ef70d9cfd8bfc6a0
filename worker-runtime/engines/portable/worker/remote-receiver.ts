import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { taskDeviceName, taskOfDevice } from "../../../cluster/device-name.js";
import { internalError, invalidArgument, StatusCode, TensorFlowError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { randomRequestId } from "../../../random-id.js";
import { ReceivedTensor } from "../memory/received-tensor.js";
import { withPauses } from "../pauses.js";
import type { Sent } from "../rendezvous/rendezvous.js";
import { parseRendezvousKey } from "../rendezvous/rendezvous-key.js";
import type { RemoteReceiver } from "../rendezvous/step-rendezvous.js";
import { valueFromProto } from "../value-proto.js";
import { nowMicros } from "../wall-clock.js";
import type { RpcLog } from "./rpc-log.js";
import type { TaskDevices } from "./task-devices.js";
import type { WorkerCache } from "./worker-interface.js";

export interface RemoteReceiverOptions {
  readonly stepId: bigint;
  readonly devices: TaskDevices;
  readonly workers: WorkerCache;
  readonly log: RpcLog;
}

/** Fetches the tensors of one step from the tasks that its session sees. */
export function remoteReceiver(options: RemoteReceiverOptions): RemoteReceiver {
  const { devices } = options;
  const prefix = `${devices.taskName}/`;
  return {
    // Names are usually full; other spellings of this task are recognised by parsing.
    isLocal: (device) => device.startsWith(prefix) || taskNameOf(device) === devices.taskName,
    receive: (key, signal) => receive(options, key, signal),
  };
}

async function receive(
  { stepId, workers, log }: RemoteReceiverOptions,
  key: string,
  signal: CancellationSignal,
): Promise<Sent> {
  const { sendDevice, recvDevice, tensorName } = parseRendezvousKey(key);
  const task = taskNameOf(sendDevice);
  if (task === undefined) {
    throw invalidArgument(`Invalid  rendezvous key: ${key}`);
  }
  const worker = workers.worker(task);
  const askedMicros = nowMicros();
  const requestId = randomRequestId();
  const response = await worker
    .recvTensor(
      {
        stepId,
        rendezvousKey: key,
        dmaOk: false,
        clientLocality: undefined,
        serverLocality: undefined,
        transportOptions: undefined,
        requestId,
      },
      { signal },
    )
    .catch((error: unknown) => {
      throw namingSender(error, task);
    });
  if (response.requireAck) {
    // The sender keeps the answer until then; a failure to notify it does not matter here.
    worker.markRecvFinished({ requestId }).catch(() => undefined);
  }
  if (response.tensor === undefined && !response.isDead) {
    throw internalError(`${task} answered RecvTensor for ${tensorName} without a tensor.`);
  }
  const endMicros = nowMicros();
  const sent: Sent =
    response.isDead || response.tensor === undefined
      ? { isDead: true }
      : { isDead: false, value: ReceivedTensor.lend(await withPauses(valueFromProto(response.tensor))) };
  if (log.isEnabled) {
    const bytes = sent.isDead || !(sent.value instanceof Tensor) ? 0 : sent.value.byteLength;
    const startMicros = sendStart(response.sendStartMicros, askedMicros, endMicros);
    log.record({ stepId, tensorName, sendDevice, recvDevice, bytes, startMicros, endMicros });
  }
  return sent;
}

/** A lost connection knows only an address: with the task's name, in a line that TensorFlow appends, too. */
function namingSender(error: unknown, task: string): unknown {
  if (!(error instanceof TensorFlowError) || error.code !== StatusCode.UNAVAILABLE) return error;
  const message = `${error.message}\nAdditional GRPC error information from remote target ${task}`;
  return new TensorFlowError(error.code, message, { payloads: error.payloads, cause: error });
}

/**
 * When the transfer of the tensor began, by this task's clock: a receiver may ask before the tensor exists. The
 * sender's clock may differ, so its time is used only if it is between request and receipt, as in TensorFlow.
 */
function sendStart(sentMicros: bigint, askedMicros: number, endMicros: number): number {
  if (sentMicros === 0n) return askedMicros;
  return Math.max(askedMicros, Math.min(Number(sentMicros), endMicros - 1));
}

function taskNameOf(device: string): string | undefined {
  const task = taskOfDevice(device);
  return task === undefined ? undefined : taskDeviceName(task);
}
