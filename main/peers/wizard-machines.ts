/** The machines as the firewall wizard asks for them. */
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import type { ClusterState, Machine } from "../api/cluster.js";
import type { FirewallTool } from "../network/firewall/tool.js";
import type {
  WizardMachine,
  WizardMachines,
  WizardProber,
} from "../network/firewall/wizard/wizard-machine.js";
import { defined } from "../shared/problems.js";
import type { ControlPlane } from "./control-plane.js";

export interface WizardMachinesOptions {
  readonly cluster: { state(): ClusterState };
  readonly ownId: string;
  readonly ownFirewall: FirewallTool;
  readonly network: Pick<ControlPlane, "machines">;
  readonly proberOf: (machineId: string) => WizardProber | undefined;
}

/** This machine and the paired ones; foreign hosts have no agent to ask. */
export function wizardMachines(options: WizardMachinesOptions): WizardMachines {
  const { cluster, ownId, ownFirewall, network, proberOf } = options;
  const all = () =>
    cluster
      .state()
      .machines.filter(({ kind }) => kind === "this" || kind === "paired")
      .map(wizardMachine);
  return {
    all,
    find: (machineId) => all().find(({ id }) => id === machineId),
    firewallOf: (machineId) => (machineId === ownId ? ownFirewall : network.machines.link(machineId)),
    proberOf,
  };
}

/** Tasks behind tunnels are named on the loopback interface, and nobody has to reach their ports. */
function wizardMachine({ id, name, addresses, agentPort, presence, tasks }: Machine): WizardMachine {
  return {
    id,
    name,
    addresses,
    online: presence === "online",
    ...defined({ agentPort }),
    tasks: tasks.flatMap(({ address, job, index }) => {
      const parsed = parseHostPort(address);
      return parsed && !isLoopback(parsed.host) ? [{ port: parsed.port, name: `${job}/${index}` }] : [];
    }),
  };
}
