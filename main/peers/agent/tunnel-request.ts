/** What the owner of a cluster says to a machine about its tunnels. */

/** A loopback port of one machine whose connections are carried to a task elsewhere. */
export interface TunnelEnd {
  /** The task's, which is also the one that is listened at. */
  readonly port: number;
  /** Machine that runs the task. */
  readonly deviceId: string;
  /** Where its agent may be reached, "host:port" each, the likeliest first. */
  readonly agentAddresses: readonly string[];
}

/** A machine that may reach a task through a tunnel, on the word of the cluster's owner. */
export interface TunnelAdmission {
  readonly deviceId: string;
  readonly port: number;
}

/** All that one machine is told; it replaces what it was told before. */
export interface TunnelRequest {
  readonly tunnels: readonly TunnelEnd[];
  readonly admissions: readonly TunnelAdmission[];
}
