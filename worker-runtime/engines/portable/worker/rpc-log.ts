import { NodeExecStats, StepStats } from "../../../../protos/generated/tensorflow/step_stats.js";
import type {
  LabeledStepStats,
  LoggingRequest,
  LoggingResponse,
} from "../../../../protos/generated/tensorflow/worker.js";

/** Maximum number of steps whose transfers are kept until they are read, for clients that never read them. */
const MAX_STEPS = 100;
const BYTES_PER_MEGABYTE = 2 ** 20;
/** From this size on, TensorFlow's labels are in megabytes. */
const MIN_MEGABYTES = 0.1;
const BITS_PER_BYTE = 8;
const MEGABITS_PER_GIGABIT = 1000;

/** A tensor that came from another task. */
export interface Transfer {
  readonly stepId: bigint;
  /** "edge_12_x". */
  readonly tensorName: string;
  readonly sendDevice: string;
  readonly recvDevice: string;
  readonly bytes: number;
  /** Microseconds since 1970. */
  readonly startMicros: number;
  readonly endMicros: number;
}

/** The transfers of traced steps, enabled and read by the Logging call. */
export class RpcLog {
  readonly #steps = new Map<bigint, Map<string, NodeExecStats[]>>();
  #enabled = false;

  get isEnabled(): boolean {
    return this.#enabled;
  }

  /** Records a transfer while logging is on. */
  record(transfer: Transfer): void {
    if (!this.#enabled) {
      return;
    }
    let devices = this.#steps.get(transfer.stepId);
    if (devices === undefined) {
      devices = new Map();
      this.#steps.set(transfer.stepId, devices);
      if (this.#steps.size > MAX_STEPS) {
        for (const oldest of this.#steps.keys()) {
          this.#steps.delete(oldest);
          break;
        }
      }
    }
    const entries = devices.get(transfer.recvDevice) ?? [];
    entries.push(statsOf(transfer));
    devices.set(transfer.recvDevice, entries);
  }

  /** One Logging call. Fetched records are dropped. */
  handle(request: LoggingRequest): LoggingResponse {
    const { enableRpcLogging, disableRpcLogging, fetchStepId, clear } = request;
    if (enableRpcLogging) {
      this.#enabled = true;
    }
    // Masters before disable_rpc_logging sent an empty request to switch it off.
    if (disableRpcLogging || (!enableRpcLogging && fetchStepId.length === 0)) {
      this.#enabled = false;
    }
    const step = fetchStepId.flatMap((stepId) => this.#take(stepId) ?? []);
    if (clear) {
      this.#steps.clear();
    }
    return { step };
  }

  #take(stepId: bigint): LabeledStepStats | undefined {
    const devices = this.#steps.get(stepId);
    if (devices === undefined) {
      return undefined;
    }
    this.#steps.delete(stepId);
    const devStats = [...devices].map(([device, nodeStats]) => ({
      device,
      nodeStats,
      threadNames: new Map<number, string>(),
    }));
    return { stepId, stepStats: StepStats.fromPartial({ devStats }) };
  }
}

/** TensorFlow's record of a transfer; timelines recognise transfers by its name. */
function statsOf(transfer: Transfer): NodeExecStats {
  const { bytes, startMicros, endMicros } = transfer;
  const duration = BigInt(endMicros - startMicros);
  return NodeExecStats.fromPartial({
    nodeName: "RecvTensor",
    allStartMicros: BigInt(startMicros),
    opStartRelMicros: 0n,
    opEndRelMicros: duration,
    allEndRelMicros: duration,
    timelineLabel: labelOf(transfer),
    output: [{ slot: 0, tensorDescription: { allocationDescription: { requestedBytes: BigInt(bytes) } } }],
  });
}

/** "[4B] [0.25Mb/s] edge_12_x from /job:… to /job:…". */
function labelOf({ bytes, startMicros, endMicros, tensorName, sendDevice, recvDevice }: Transfer): string {
  const megabytes = bytes / BYTES_PER_MEGABYTE;
  const size = megabytes >= MIN_MEGABYTES ? `${sixDigits(megabytes)}MB` : `${bytes}B`;
  // Bits per microsecond are megabits per second.
  const rate = (BITS_PER_BYTE * bytes) / Math.max(endMicros - startMicros, 1);
  const speed =
    rate >= MEGABITS_PER_GIGABIT ? `${sixDigits(rate / MEGABITS_PER_GIGABIT)}Gb/s` : `${sixDigits(rate)}Mb/s`;
  return `[${size}] [${speed}] ${tensorName} from ${sendDevice} to ${recvDevice}`;
}

/** Formatted as in C++: six digits, no trailing zeros. */
function sixDigits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
