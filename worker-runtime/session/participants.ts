import type { ChannelCredentials } from "@grpc/grpc-js";
import { StatusCode, TensorFlowError } from "../protocol/status.js";
import { Channel } from "../rpc/channel.js";
import { workerClient } from "../rpc/worker-client.js";

/** A task whose health matters to a session. */
export interface Participant {
  /** For messages: "/job:worker/task:1", or the address where the task's name is not known. */
  readonly name: string;
  /** "/job:worker/replica:0/task:1", where it is known. */
  readonly task?: string;
  readonly address: string;
}

/** What a task answered when it was asked whether it lives. */
export interface ProbeResult extends Participant {
  /** Absent when it answered. */
  readonly error?: TensorFlowError;
  /** Set when the process is another one than at the first probe that it answered. */
  readonly restarted: boolean;
}

/** Asks the tasks of a session whether they live, each over a connection of its own that no transfer can hold up. */
export class Participants {
  readonly list: readonly Participant[];
  readonly #credentials: ChannelCredentials | undefined;
  readonly #channels = new Map<string, Channel>();
  /** Incarnations of each task's devices when it first answered, by address. A process draws them at random. */
  readonly #incarnations = new Map<string, ReadonlySet<bigint>>();

  constructor(list: readonly Participant[], credentials?: ChannelCredentials) {
    this.list = list;
    this.#credentials = credentials;
  }

  /** Asks all at once. Never throws, except CANCELLED when the signal is aborted. */
  probe(deadlineMillis: number, signal?: AbortSignal): Promise<ProbeResult[]> {
    return Promise.all(this.list.map((participant) => this.#probeOne(participant, deadlineMillis, signal)));
  }

  async #probeOne(
    participant: Participant,
    deadlineMillis: number,
    signal: AbortSignal | undefined,
  ): Promise<ProbeResult> {
    try {
      const client = workerClient(this.#channelTo(participant.address));
      const { deviceAttributes } = await client.getStatus({}, { deadlineMillis, signal });
      const now = new Set(deviceAttributes.map((device) => device.incarnation));
      const before = this.#incarnations.get(participant.address);
      if (before === undefined) {
        this.#incarnations.set(participant.address, now);
      }
      // Devices may be added to a living process, so only a task that kept none of its devices is another one.
      const restarted = before !== undefined && before.size > 0 && ![...now].some((one) => before.has(one));
      return { ...participant, restarted };
    } catch (error) {
      if (signal?.aborted || !(error instanceof TensorFlowError)) {
        throw error;
      }
      // Whatever answers, even without this method, is not gone.
      const answered = error.code !== StatusCode.UNAVAILABLE && error.code !== StatusCode.DEADLINE_EXCEEDED;
      return answered ? { ...participant, restarted: false } : { ...participant, error, restarted: false };
    }
  }

  #channelTo(address: string): Channel {
    const known = this.#channels.get(address);
    if (known !== undefined) {
      return known;
    }
    const channel = new Channel(address, this.#credentials);
    this.#channels.set(address, channel);
    return channel;
  }

  close(): void {
    for (const channel of this.#channels.values()) {
      channel.close();
    }
    this.#channels.clear();
  }
}
