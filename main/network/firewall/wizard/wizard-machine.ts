/** Machines as the wizard sees them. */

import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import type { FirewallFacts } from "../../../api/firewall.js";
import type { LayerResult } from "../../../api/reachability.js";
import { contains, networkOf } from "../addresses.js";
import type { FirewallTool } from "../tool.js";

export interface WizardMachine {
  readonly id: string;
  readonly name: string;
  /** Addresses that others may reach it by, the likeliest first. */
  readonly addresses: readonly string[];
  /** Whether it answers now and can be asked to dial. */
  readonly online: boolean;
  /** Absent while its agent does not listen. */
  readonly agentPort?: number;
  /** Tasks whose ports others have to reach; not those behind tunnels. */
  readonly tasks: readonly { readonly port: number; readonly name: string }[];
}

/** Dials an address from one machine, layer by layer. */
export type WizardProber = (request: {
  /** "host:port" */
  readonly address: string;
  readonly kind: "task" | "agent";
  readonly tries: number;
  readonly signal: AbortSignal;
}) => Promise<LayerResult[]>;

/** The known machines, and the questions that each can answer. */
export interface WizardMachines {
  find(machineId: string): WizardMachine | undefined;
  /** This machine and all paired ones. */
  all(): readonly WizardMachine[];
  /** Undefined if the machine cannot be asked now. */
  firewallOf(machineId: string): FirewallTool | undefined;
  /** Undefined if the machine cannot be asked now. */
  proberOf(machineId: string): WizardProber | undefined;
}

/** The likeliest numeric address; empty if none is known. */
export function firstAddress({ addresses }: WizardMachine): string {
  return addresses.map(canonicalAddress).find((address) => address !== undefined) ?? "";
}

/** The peer's address as the machine's firewall sees it: the one in a network that both share, if any. */
export function addressSeenBy({ adapters }: FirewallFacts, peer: WizardMachine): string | undefined {
  const networks = adapters.flatMap(({ address }) => {
    const [host = "", length] = address.split("/");
    return networkOf(host, Number(length))?.text ?? [];
  });
  const addresses = peer.addresses.flatMap((address) => canonicalAddress(address) ?? []);
  return addresses.find((address) => networks.some((network) => contains(network, address))) ?? addresses[0];
}
