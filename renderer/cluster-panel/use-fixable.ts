import { whyNotManaged } from "../cluster/machines.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";

/** True where a firewall keeps connections out that this machine may change; elsewhere the remedy is shown in words. */
export function useFixable(firewallOf: string | undefined): boolean {
  return useCluster((store) => {
    const machine = machinesOf(store).find(({ id }) => id === firewallOf);
    return machine !== undefined && whyNotManaged(machine) === undefined;
  });
}
