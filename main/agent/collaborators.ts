/** What the agent serves to paired machines, as the services of this machine offer it. */
import type { FirewallApply, FirewallFacts, FirewallPlan, FirewallScope } from "../api/firewall.js";
import type { MachineMetrics } from "../api/machines.js";
import type { LayerResult, LinkSpeed } from "../api/reachability.js";
import type { MachineDescription } from "../machine/description.js";

/** The machine that the agent runs on. */
export interface MachineSource {
  description(): MachineDescription;
  /** Calls the listener whenever the description is another one, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Measures once a second while anybody listens. */
  onMetrics(listener: (metrics: MachineMetrics) => void): () => void;
}

/** What is expected behind an address: "task" (plain HTTP/2 and GetStatus) or "agent" (TLS). */
export type ProbeKind = "task" | "agent";

export interface Prober {
  /**
   * Dials an address from here, layer by layer.
   *
   * @param address "host:port"
   * @param tries how often a layer that does not answer is tried.
   */
  probe(address: string, kind: ProbeKind, tries: number, signal: AbortSignal): Promise<LayerResult[]>;
}

/** A loopback port of this machine whose connections are carried to a task elsewhere. */
export interface TunnelEnd {
  readonly port: number;
  /** Machine that runs the task. */
  readonly deviceId: string;
  /** Where its agent may be reached, "host:port" each. */
  readonly agentAddresses: readonly string[];
}

/** A machine that may reach a port here through a tunnel, on the word of the cluster's owner. */
export interface TunnelAdmission {
  readonly deviceId: string;
  readonly port: number;
}

export interface TunnelRequest {
  readonly tunnels: readonly TunnelEnd[];
  readonly admissions: readonly TunnelAdmission[];
}

export interface TunnelHolder {
  /**
   * Replaces what one machine's cluster has here.
   *
   * @returns ports at which this machine could not listen, because another program does.
   */
  setTunnels(ownerDeviceId: string, request: TunnelRequest): Promise<number[]>;
}

export interface FirewallQuestion {
  /** Whose way in is asked about; absent: anybody's. */
  readonly peerAddress?: string;
  readonly ports: readonly number[];
}

export interface FirewallChange {
  readonly scope: FirewallScope;
  readonly ports: readonly number[];
  readonly removeBlockRules: boolean;
}

export interface FirewallKeeper {
  inspect(question: FirewallQuestion, signal: AbortSignal): Promise<FirewallFacts>;
  /** Says exactly what a change would do; changes nothing. */
  plan(change: FirewallChange, signal: AbortSignal): Promise<FirewallPlan>;
  /** Asks for the rights and changes the rules. The last state is final. */
  apply(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply>;
  /** Takes the rules away again. The last state is final. */
  undo(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply>;
}

export interface LinkMeasurer {
  /**
   * Measures the way from here to another machine's agent.
   *
   * @param addresses where that agent may be reached besides what is known of it, "host:port" each.
   * @throws ProblemError PERMISSION_DENIED when the machines are not paired, UNAVAILABLE when it does not answer.
   */
  measureLink(deviceId: string, addresses: readonly string[], signal: AbortSignal): Promise<LinkSpeed>;
}
