/** Health checks of tasks, by the call that every TensorFlow server supports: WorkerService.GetStatus. */
import type { Device } from "../api/cluster.js";

export interface Health {
  /** The devices under the name with which the server was started. */
  readonly devices: readonly Device[];
  /** Changes when the server behind the address was restarted. */
  readonly incarnation: string;
}

/** One address that is checked repeatedly. */
export interface HealthProbe {
  /** Rejects when no answer came in time. */
  check(signal: AbortSignal): Promise<Health>;
  close(): void;
}

export type OpenProbe = (address: string) => HealthProbe;

export const HEALTH_INTERVAL_MILLIS = 2000;
/** A server answers in about a millisecond; this leaves room for a machine whose cores are all busy. */
export const HEALTH_DEADLINE_MILLIS = 1500;
/** One missed answer happens on a busy machine; two in a row do not. */
export const MISSES_UNTIL_UNRESPONSIVE = 2;
