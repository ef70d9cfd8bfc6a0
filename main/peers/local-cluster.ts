/** The part of this machine's cluster that peers use. */
import { problem } from "../shared/problems.js";
import type { TunnelHolder } from "./agent/collaborators.js";
import type { AgentPeer } from "./port/agent-peer.js";

/**
 * The cluster depends on the machines that peers know, so it is created after them and attached then. The agent does
 * not listen before that.
 */
export interface LocalCluster extends TunnelHolder {
  /** Takes over a connection for tunnels. */
  serveTunnels(peer: Pick<AgentPeer, "deviceId" | "socket">): void;
  /** Whether a machine may name the task it wants to reach, i.e. whether there is any that it may reach. */
  admitsPeer(peer: { readonly deviceId: string }): boolean;
  /** Breaks the tunnels' connections with a machine that is known to be gone. */
  disconnect(deviceId: string): void;
  /** Whether a server of the cluster or a tunnel, though no task of this machine, has a port here. */
  usesPort(port: number): boolean;
  /** Removes the foreign servers of a host that is listed only because of them. */
  forgetHost(machineId: string): Promise<void>;
}

/** Stands for a cluster that has not been attached. */
export const noCluster: LocalCluster = {
  setTunnels: () => Promise.reject(problem("UNAVAILABLE", "This machine has no cluster yet.")),
  serveTunnels: ({ socket }) => socket.destroy(),
  admitsPeer: () => false,
  disconnect: () => {},
  usesPort: () => false,
  forgetHost: () => Promise.resolve(),
};
