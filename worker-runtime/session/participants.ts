import type { ChannelCredentials } from "@grpc/grpc-js";
import type { GetStatusResponse } from "../../protos/generated/tensorflow/worker.js";
import { withSharedSignal } from "../cancellation/shared-signal.js";
import { StatusCode, TensorFlowError } from "../protocol/status.js";
import { Channel } from "../rpc/channel.js";
import type { CallOptions } from "../rpc/method-caller.js";
import { workerClient } from "../rpc/worker-client.js";

/** A task whose health matters to a session. */
export interface Participant {
  /** For messages: "/job:worker/task:1", or the address if the task's name is unknown. */
  readonly name: string;
  /** "/job:worker/replica:0/task:1", if known. */
  readonly task?: string;
  readonly address: string;
}

/** A task's answer to a health probe. */
export interface ProbeResult extends Participant {
  /** Absent if it answered. */
  readonly error?: TensorFlowError;
  /** True if the process differs from the one that answered the first probe. */
  readonly restarted: boolean;
}

/** A connection to a task, and the number of pending probes on it. */
interface Line {
  readonly channel: Channel;
  questions: number;
}

/** Probes the health of a session's tasks, each over a separate connection that no transfer can block. */
export class Participants {
  readonly list: readonly Participant[];
  readonly #credentials: ChannelCredentials | undefined;
  readonly #lines = new Map<string, Line>();
  /** Incarnations of each task's devices when it first answered, by address. A process draws them at random. */
  readonly #incarnations = new Map<string, ReadonlySet<bigint>>();

  constructor(list: readonly Participant[], credentials?: ChannelCredentials) {
    this.list = list;
    this.#credentials = credentials;
  }

  /** Probes all tasks concurrently. Never throws, except CANCELLED if the signal is aborted. */
  probe(deadlineMillis: number, signal?: AbortSignal): Promise<ProbeResult[]> {
    return withSharedSignal(signal, (shared) =>
      Promise.all(this.list.map((participant) => this.#probeOne(participant, deadlineMillis, shared))),
    );
  }

  async #probeOne(
    participant: Participant,
    deadlineMillis: number,
    signal: AbortSignal | undefined,
  ): Promise<ProbeResult> {
    try {
      const { deviceAttributes } = await this.#ask(participant.address, { deadlineMillis, signal });
      const now = new Set(deviceAttributes.map((device) => device.incarnation));
      const before = this.#incarnations.get(participant.address);
      if (before === undefined) {
        this.#incarnations.set(participant.address, now);
      }
      // Devices may be added to a running process, so only a task that kept none of its devices has been
      // replaced.
      const restarted = before !== undefined && before.size > 0 && ![...now].some((one) => before.has(one));
      return { ...participant, restarted };
    } catch (error) {
      if (signal?.aborted || !(error instanceof TensorFlowError)) {
        throw error;
      }
      // A server that answers, even without this method, is not gone.
      const answered = error.code !== StatusCode.UNAVAILABLE && error.code !== StatusCode.DEADLINE_EXCEEDED;
      return answered ? { ...participant, restarted: false } : { ...participant, error, restarted: false };
    }
  }

  async #ask(address: string, options: CallOptions): Promise<GetStatusResponse> {
    const line = this.#lineTo(address);
    line.questions += 1;
    try {
      return await workerClient(line.channel).getStatus({}, options);
    } catch (error) {
      // The connection may be dead if it was opened while the network failed: the next probe uses a new one.
      if (error instanceof TensorFlowError && error.code === StatusCode.DEADLINE_EXCEEDED) {
        this.#leave(address, line);
      }
      throw error;
    } finally {
      line.questions -= 1;
      this.#endIfLeft(address, line);
    }
  }

  #lineTo(address: string): Line {
    const known = this.#lines.get(address);
    if (known !== undefined) {
      return known;
    }
    const line = { channel: new Channel(address, this.#credentials), questions: 0 };
    this.#lines.set(address, line);
    return line;
  }

  #leave(address: string, line: Line): void {
    if (this.#lines.get(address) === line) {
      this.#lines.delete(address);
    }
  }

  #endIfLeft(address: string, line: Line): void {
    if (line.questions === 0 && this.#lines.get(address) !== line) {
      line.channel.close();
    }
  }

  close(): void {
    for (const { channel } of this.#lines.values()) {
      channel.close();
    }
    this.#lines.clear();
  }
}
