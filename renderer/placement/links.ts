/** The costs of sending between two tasks. */
import { type MeasuredTransfer, type Measurements, quantile } from "./measurements.js";
import type { PlacementTask } from "./placement-task.js";

interface Link {
  readonly latencyMicros: number;
  readonly microsPerByte: number;
  readonly measured: boolean;
}

/** gRPC over the loopback interface: between portable tasks, a small tensor takes 0.7 to 1.5 ms. */
const SAME_MACHINE = { latencyMicros: 1000, microsPerByte: 1 / 1000 };
/** Gigabit Ethernet. */
const OTHER_MACHINE = { latencyMicros: 2000, microsPerByte: 1 / 100 };

/** Up to this size, the time of a transfer is its latency. */
const SMALL_BYTES = 16_384;
/** From this size on, it tells the bandwidth. */
const LARGE_BYTES = 262_144;
/** Most transfers also wait for others, so that the faster ones tell more about the connection. */
const FASTER = 0.25;

/** The measurements of a connection apart from a step's transfers. */
interface MeasuredConnection {
  /** The round trip between the machines' agents; half of it is a lower bound of the latency. */
  readonly roundTripMillis: number | undefined;
  readonly bytesPerSecond: number | undefined;
}

/** The cost between two machines: from transfers between them as far as there are any, otherwise assumed. */
function linkOf(
  transfers: readonly MeasuredTransfer[],
  isSameMachine: boolean,
  { roundTripMillis, bytesPerSecond }: MeasuredConnection,
): Link {
  const assumed = isSameMachine ? SAME_MACHINE : OTHER_MACHINE;
  const small = transfers.filter(({ bytes }) => bytes <= SMALL_BYTES).map(({ micros }) => micros);
  const trip = roundTripMillis === undefined ? 0 : (roundTripMillis * 1000) / 2;
  const latencyMicros = small.length > 0 ? quantile(small, FASTER) : Math.max(assumed.latencyMicros, trip);
  const rates = transfers
    .filter(({ bytes }) => bytes >= LARGE_BYTES)
    .map(({ bytes, micros }) => Math.max(0, micros - latencyMicros) / bytes);
  const rate = bytesPerSecond === undefined ? assumed.microsPerByte : 1e6 / bytesPerSecond;
  return {
    latencyMicros,
    microsPerByte: rates.length > 0 ? quantile(rates, FASTER) : rate,
    measured: small.length + rates.length > 0 || bytesPerSecond !== undefined,
  };
}

/** The costs between all pairs of tasks, row by row. */
export interface Links {
  readonly latencyMicros: Float64Array;
  readonly microsPerByte: Float64Array;
  readonly count: number;
  readonly measured: number;
}

export function linksOf(tasks: readonly PlacementTask[], { transfers }: Measurements): Links {
  const machineOf = new Map(tasks.map(({ engine, machineId }) => [engine.name, machineId]));
  const latencyMicros = new Float64Array(tasks.length ** 2);
  const microsPerByte = new Float64Array(tasks.length ** 2);
  let [count, measured] = [0, 0];
  for (const [from, source] of tasks.entries()) {
    for (const [to, target] of tasks.entries()) {
      if (from === to) continue;
      const between = transfers.filter(
        (one) => machineOf.get(one.from) === source.machineId && machineOf.get(one.to) === target.machineId,
      );
      const isSame = source.machineId === target.machineId;
      const trips = [source.roundTripMillis, target.roundTripMillis].filter((trip) => trip !== undefined);
      const link = linkOf(between, isSame, {
        roundTripMillis: isSame || trips.length === 0 ? undefined : Math.max(...trips),
        bytesPerSecond: source.bytesPerSecond.get(target.machineId),
      });
      latencyMicros[from * tasks.length + to] = link.latencyMicros;
      microsPerByte[from * tasks.length + to] = link.microsPerByte;
      count++;
      if (link.measured) measured++;
    }
  }
  return { latencyMicros, microsPerByte, count, measured };
}
