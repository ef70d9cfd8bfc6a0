/**
 * Whether machines that only announce themselves are still there. An announcement is valid for two minutes; a probe of
 * the agent's port shows within seconds whether it listens.
 */

import { connect } from "node:net";
import { withDeadline } from "../../../worker-runtime/cancellation/deadline.js";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";

const PROBE_EVERY_MILLIS = 3000;
const PROBE_AGAIN_MILLIS = 1000;
/** With many machines each waits longer for its turn: this number of probes per second is negligible for both sides. */
const PROBES_PER_SECOND = 25;
/** New machines in a large group need not all be probed at the same moment. */
const PROBES_AT_ONCE = 16;
const ANSWER_MILLIS = 2000;
/** Two: a single lost packet may be retransmitted too late for one probe. */
const MISSES_UNTIL_GONE = 2;

/** Whether anything listens at one of the addresses, "host:port" each. Never rejects. */
export type Probe = (addresses: readonly string[], signal: AbortSignal) => Promise<boolean>;

/** Opens a TCP connection and closes it at once. */
export const probe: Probe = async (addresses, signal) => {
  const anyOpens = withDeadline(ANSWER_MILLIS, signal, (shared) =>
    Promise.any(addresses.map((address) => connects(address, shared))),
  );
  return await anyOpens.then(
    () => true,
    () => false,
  );
};

function connects(address: string, signal: AbortSignal): Promise<void> {
  const { host, port } = parseHostPort(address) ?? { host: address, port: 0 };
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}

export interface ProbingOptions {
  readonly probe: Probe;
  /** Where the agent of a machine may be, "host:port" each. */
  readonly addressesOf: (deviceId: string) => readonly string[];
  readonly onChange: () => void;
}

interface Probed {
  readonly over: AbortController;
  answers: boolean;
}

export class Probing {
  readonly #options: ProbingOptions;
  readonly #probed = new Map<string, Probed>();

  constructor(options: ProbingOptions) {
    this.#options = options;
  }

  /** False for a machine whose probes fail. */
  answers(deviceId: string): boolean {
    return this.#probed.get(deviceId)?.answers ?? true;
  }

  /** Sets the machines to probe from now on; an empty list ends it. */
  follow(deviceIds: readonly string[]): void {
    const wanted = new Set(deviceIds);
    for (const [id, { over }] of this.#probed) {
      if (wanted.has(id)) continue;
      over.abort();
      this.#probed.delete(id);
    }
    for (const id of deviceIds) {
      if (this.#probed.has(id)) continue;
      const probed: Probed = { over: new AbortController(), answers: true };
      this.#probed.set(id, probed);
      inBackground(this.#attend(id, probed));
    }
  }

  async #attend(deviceId: string, probed: Probed): Promise<void> {
    const { signal } = probed.over;
    let misses = 0;
    // If many machines are switched on together, the first ones are probed now.
    if (this.#probed.size > PROBES_AT_ONCE) await delay(Math.random() * this.#between(), signal);
    while (!signal.aborted) {
      const isThere = await this.#options.probe(this.#options.addressesOf(deviceId), signal);
      if (signal.aborted) return;
      misses = isThere ? 0 : misses + 1;
      const answers = misses < MISSES_UNTIL_GONE;
      if (answers !== probed.answers) {
        probed.answers = answers;
        this.#options.onChange();
      }
      await delay(misses === 1 ? Math.max(PROBE_AGAIN_MILLIS, this.#between() / 3) : this.#between(), signal);
    }
  }

  /** Milliseconds between two probes at the same machine. */
  #between(): number {
    return Math.max(PROBE_EVERY_MILLIS, (this.#probed.size / PROBES_PER_SECOND) * 1000);
  }
}
