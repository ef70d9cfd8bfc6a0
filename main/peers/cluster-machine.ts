/** Machines, local or remote, as far as the cluster needs them. */
import type { MachineFacts } from "../api/machines.js";
import type { MachineSample } from "../api/samples.js";
import type { TaskHost } from "../tasks/task-host.js";
import type { TunnelRequest } from "./agent/tunnel-request.js";

/** A machine's end of the tunnels that a secure cluster is made of. */
export interface TunnelHost {
  /**
   * Replaces this cluster's previous tunnels there.
   *
   * @returns Ports at which the machine could not listen, because another program does.
   * @throws ProblemError UNAVAILABLE, PERMISSION_DENIED of another machine.
   */
  setTunnels(request: TunnelRequest): Promise<readonly number[]>;
}

export interface ClusterMachine {
  readonly facts: MachineFacts;
  /** Absent for an unpaired machine. */
  readonly tasks?: TaskHost;
  readonly tunnels?: TunnelHost;
}

export interface ClusterMachines {
  /** This machine first. A machine keeps the same host object while it is listed. */
  list(): readonly ClusterMachine[];
  /** How many further, unpaired machines there are; none unless given. */
  unlisted?(): number;
  /** Calls the listener when a machine was added, removed or replaced, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Calls the listener with each sample of a machine, until the returned function is called. */
  onSample(listener: (machineId: string, sample: MachineSample) => void): () => void;
}
