/** What the cluster needs of machines, wherever they are. */
import type { MachineFacts } from "../api/machines.js";
import type { MachineSample } from "../api/samples.js";
import type { TaskHost } from "../tasks/task-host.js";
import type { TunnelRequest } from "./agent/tunnel-request.js";

/** A machine's end of the tunnels that a secure cluster is made of. */
export interface TunnelHost {
  /**
   * Replaces what this cluster had there.
   *
   * @returns Ports at which the machine could not listen, because another program does.
   * @throws ProblemError UNAVAILABLE, PERMISSION_DENIED of another machine.
   */
  setTunnels(request: TunnelRequest): Promise<readonly number[]>;
}

export interface ClusterMachine {
  readonly facts: MachineFacts;
  /** Absent for a machine that nobody paired with. */
  readonly tasks?: TaskHost;
  readonly tunnels?: TunnelHost;
}

export interface ClusterMachines {
  /** This machine first. The same host stands for the same machine for as long as it is listed. */
  list(): readonly ClusterMachine[];
  /** How many unpaired machines there are besides; none unless given. */
  unlisted?(): number;
  /** Calls the listener when a machine came, went, or is another one now, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Calls the listener with each sample of a machine, until the returned function is called. */
  onSample(listener: (machineId: string, sample: MachineSample) => void): () => void;
}
