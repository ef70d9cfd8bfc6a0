/** The machines as the firewall wizard asks for them. */
import { parseHostPort } from "../../../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../../../worker-runtime/cluster/host.js";
import type { ClusterState, Machine } from "../../../api/cluster.js";
import { defined } from "../../../shared/problems.js";
import type { WizardMachine, WizardMachines } from "./wizard-machine.js";

export interface WizardMachinesOptions extends Pick<WizardMachines, "firewallOf" | "proberOf"> {
  readonly cluster: { state(): ClusterState };
}

/** This machine and the paired ones; foreign hosts have no agent to ask. */
export function wizardMachines(options: WizardMachinesOptions): WizardMachines {
  const { cluster, firewallOf, proberOf } = options;
  const all = () =>
    cluster
      .state()
      .machines.filter(({ kind }) => kind === "this" || kind === "paired")
      .map(wizardMachine);
  return {
    all,
    find: (machineId) => all().find(({ id }) => id === machineId),
    firewallOf,
    proberOf,
  };
}

/** Tasks behind tunnels are named on the loopback interface, and their ports need not be reachable. */
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
