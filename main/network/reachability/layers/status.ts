import { formatHostPort, type HostPort } from "../../../../worker-runtime/cluster/address.js";
import { asTensorFlowError, StatusCode } from "../../../../worker-runtime/protocol/status.js";
import { Channel } from "../../../../worker-runtime/rpc/channel.js";
import { workerClient } from "../../../../worker-runtime/rpc/worker-client.js";
import type { FailureCause, LayerResult } from "../../../api/reachability.js";
import { durationText, failed, stopwatch, succeeded } from "./result.js";

/** Whether a TensorFlow server answers GetStatus there. Rejects when the signal is aborted. */
export async function probeStatus(
  target: HostPort,
  timeoutMillis: number,
  signal: AbortSignal,
): Promise<LayerResult> {
  const elapsed = stopwatch();
  const channel = new Channel(formatHostPort(target));
  try {
    const { deviceAttributes } = await workerClient(channel).getStatus(
      {},
      { signal, deadlineMillis: timeoutMillis },
    );
    return succeeded("status", elapsed(), devicesText(deviceAttributes.map(({ deviceType }) => deviceType)));
  } catch (error) {
    signal.throwIfAborted();
    const { code, codeName, message } = asTensorFlowError(error);
    if (code === StatusCode.DEADLINE_EXCEEDED) {
      return failed("status", "timed-out", elapsed(), `no answer within ${durationText(timeoutMillis)}`);
    }
    return failed("status", causeOf(code), elapsed(), `${codeName}: ${message}`);
  } finally {
    channel.close();
  }
}

function causeOf(code: StatusCode): FailureCause {
  return code === StatusCode.UNAVAILABLE ? "closed" : "not-tensorflow";
}

/** "answers: CPU, 2 × GPU" */
function devicesText(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const devices = [...counts].map(([type, count]) => (count === 1 ? type : `${count} × ${type}`));
  return devices.length === 0 ? "answers, without devices" : `answers: ${devices.join(", ")}`;
}
