/**
 * Which machines reach each other, why others do not, and the firewall wizard that fixes it.
 */
import type { ClusterState } from "../api/cluster.js";
import type { networkMethods } from "../api/network.js";
import type { Throughput } from "../api/reachability.js";
import type { NewestSamples } from "../api/samples.js";
import type { EmitEvent, EventHub } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { once, type Room } from "../shared/room.js";
import type { FirewallTool } from "./firewall/tool.js";
import { FirewallWizardService } from "./firewall/wizard/firewall-wizard.js";
import { wizardMachines } from "./firewall/wizard/wizard-machines.js";
import { KnownFacts, type KnownFactsOptions } from "./reachability/known-facts.js";
import { type Prober, probeAddress } from "./reachability/probe.js";
import { ReachabilityService } from "./reachability/reachability-service.js";

/** The port through which this room uses the machines. */
export interface NetworkPeers {
  /** Device ID of this machine. */
  readonly ownId: string;
  /** How a paired machine dials; undefined if it cannot be asked. */
  proberOf(machineId: string): Prober | undefined;
  /** The firewall of a paired machine; undefined if it cannot be asked. */
  firewallOf(machineId: string): FirewallTool | undefined;
  /** Whether a machine has a connection to this one now. */
  isCalledBy(machineId: string): boolean;
  measureThroughput(from: string, to: string, signal: AbortSignal): Promise<Throughput>;
}

/** The port through which this room uses the cluster. */
export interface NetworkCluster {
  state(): ClusterState;
  tasks: KnownFactsOptions["tasks"];
  samples(): NewestSamples;
  onChange(listener: () => void): () => void;
  onSamples(listener: () => void): () => void;
}

export interface NetworkOptions {
  readonly peers: NetworkPeers;
  readonly cluster: NetworkCluster;
  /** The firewall of this machine. */
  readonly firewall: FirewallTool;
  readonly events: Pick<EventHub, "listen">;
  readonly emit: EmitEvent;
}

export function createNetwork(options: NetworkOptions): Room<HandlersOf<typeof networkMethods>> {
  const { peers, cluster, firewall, events, emit } = options;
  const { ownId } = peers;
  const proberOf = (machineId: string) => (machineId === ownId ? probeAddress : peers.proberOf(machineId));
  const known = new KnownFacts({
    machineId: () => ownId,
    listen: (listener) => events.listen(listener),
    tasks: () => cluster.tasks(),
  });
  const reachability = new ReachabilityService({
    cluster,
    emit,
    proberOf,
    measure: (from, to, signal) => peers.measureThroughput(from, to, signal),
    facts: () => known.facts(),
    inspectFirewall: (question, signal) => firewall.inspect(question, signal),
    callsHere: (machineId) => peers.isCalledBy(machineId),
  });
  const wizard = new FirewallWizardService({
    machines: wizardMachines({
      cluster,
      firewallOf: (machineId) => (machineId === ownId ? firewall : peers.firewallOf(machineId)),
      proberOf,
    }),
    emit,
    // A change to the firewall may affect the routes.
    onApplied: () => reachability.check(),
  });
  const endWork = once(async () => {
    reachability.dispose();
    known.dispose();
    wizard.close();
  });
  return {
    handlers: {
      "reachability.get": () => reachability.get(),
      "reachability.check": () => reachability.check(),
      "reachability.measureThroughput": ({ from, to }) => reachability.measureThroughput(from, to),
      "firewall.get": () => wizard.get(),
      "firewall.open": (request) => wizard.open(request),
      "firewall.configure": (choice) => wizard.configure(choice),
      "firewall.goTo": (request) => wizard.goTo(request),
      "firewall.test": () => wizard.test(),
      "firewall.apply": () => wizard.apply(),
      "firewall.undo": () => wizard.undo(),
      "firewall.close": () => wizard.close(),
    },
    endWork,
    dispose: endWork,
  };
}
