/** How fast one machine sends to another, over a separate connection so that nothing else waits for it. */
import { performance } from "node:perf_hooks";
import type { Throughput } from "../../api/reachability.js";
import { agentAddresses } from "../../machine/agent-addresses.js";
import { problem } from "../../shared/problems.js";
import type { Identity } from "../identity/identity.js";
import type { TrustStore } from "../trust/trust-store.js";
import { type AgentChannel, openAgentChannel } from "./agent-channel.js";
import { median } from "./clock-estimate.js";
import type { ThroughputMeasurer } from "./collaborators.js";

const DIAL_TIMEOUT_MILLIS = 8000;
const PINGS = 11;
const CHUNK_BYTES = 256 * 1024;
const MAX_BYTES = 64 << 20;
/** A slow network is measured no longer than this, a fast one until MAX_BYTES are sent. */
const SENDING_MILLIS = 1000;
/** Time for sent data to arrive: some megabytes at the speed of a bad wireless link. */
const DEADLINE_MILLIS = 30_000;

export interface ThroughputMeterOptions {
  readonly identity: Identity;
  readonly trust: Pick<TrustStore, "get">;
}

export class ThroughputMeter implements ThroughputMeasurer {
  readonly #options: ThroughputMeterOptions;

  constructor(options: ThroughputMeterOptions) {
    this.#options = options;
  }

  async measureThroughput(
    deviceId: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Throughput> {
    const { identity, trust } = this.#options;
    const machine = trust.get(deviceId);
    if (!machine) {
      throw problem("PERMISSION_DENIED", "The two machines are not paired with each other.", {
        remedy: "Pair them to measure the throughput between them.",
        details: deviceId,
      });
    }
    const { certPem, name } = machine;
    const channel = await openAgentChannel(
      {
        identity,
        deviceId,
        certPem,
        name,
        addresses: [...new Set([...addresses, ...agentAddresses(machine)])],
        timeoutMillis: DIAL_TIMEOUT_MILLIS,
      },
      signal,
    );
    try {
      return await measure(channel, signal);
    } finally {
      channel.close();
    }
  }
}

async function measure(channel: AgentChannel, signal: AbortSignal): Promise<Throughput> {
  const roundTrips: number[] = [];
  // The first ping includes the time for connecting and is not counted.
  for (let i = 0; i <= PINGS; i++) {
    const startedAt = performance.now();
    await channel.call("ping", {}, { signal });
    if (i > 0) roundTrips.push(performance.now() - startedAt);
  }
  const startedAt = performance.now();
  let bytes = 0;
  let receivedAt = startedAt;
  await channel.duplex(
    "sink",
    chunksFor(startedAt),
    (receipt) => {
      bytes += Number(receipt.bytes);
      receivedAt = performance.now();
    },
    { deadlineMillis: DEADLINE_MILLIS, signal },
  );
  const seconds = Math.max(0.001, (receivedAt - startedAt) / 1000);
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    roundTripMillis: median(roundTrips) ?? 0,
    bytes,
    seconds,
  };
}

function* chunksFor(startedAt: number): Generator<{ data: Uint8Array }> {
  const data = new Uint8Array(CHUNK_BYTES);
  for (
    let sent = 0;
    sent < MAX_BYTES && performance.now() - startedAt < SENDING_MILLIS;
    sent += CHUNK_BYTES
  ) {
    yield { data };
  }
}
