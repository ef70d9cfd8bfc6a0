/** The message of a cluster's owner to a machine about its tunnels. */

/** A loopback port of one machine whose connections are carried to a task elsewhere. */
export interface TunnelEnd {
  /** The task's port, which is also the one that is listened on. */
  readonly port: number;
  /** Machine that runs the task. */
  readonly deviceId: string;
  /** Where its agent may be reached, "host:port" each, the likeliest first. */
  readonly agentAddresses: readonly string[];
}

/** A machine that may reach a task through a tunnel, as stated by the cluster's owner. */
export interface TunnelAdmission {
  readonly deviceId: string;
  readonly port: number;
}

/** The complete table for one machine; it replaces the previous one. */
export interface TunnelRequest {
  readonly tunnels: readonly TunnelEnd[];
  readonly admissions: readonly TunnelAdmission[];
}
