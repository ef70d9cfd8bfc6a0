/**
 * Which machine listens on which port for which task in a secure cluster. Pure: tunnel-sync.ts updates the
 * machines.
 */
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import { agentAddresses, withoutZones } from "../machine/agent-addresses.js";
import type { TunnelAdmission, TunnelEnd, TunnelRequest } from "../peers/agent/tunnel-request.js";

export interface TunnelledTask {
  readonly machineId: string;
  /** 0 while it is not chosen; such a task is skipped. */
  readonly port: number;
}

export interface TunnelledMachine {
  readonly id: string;
  readonly addresses: readonly string[];
  readonly agentPort: number | undefined;
  /** Whether it dials tasks even without tasks of its own: the machine with the window. */
  readonly dials: boolean;
}

export const NO_TUNNELS: TunnelRequest = { tunnels: [], admissions: [] };

/**
 * The table of every machine, by its id. Machines that run tasks dial the tasks of all others, as does the window's
 * machine; the rest have no tunnels.
 */
export function tunnelTable(
  machines: readonly TunnelledMachine[],
  tasks: readonly TunnelledTask[],
): Map<string, TunnelRequest> {
  const listed = tasks.filter(({ port }) => port !== 0);
  const dialling = machines.filter(
    ({ id, dials }) => dials || listed.some(({ machineId }) => machineId === id),
  );
  return new Map(
    machines.map(({ id }) => {
      if (!dialling.some((machine) => machine.id === id)) return [id, NO_TUNNELS];
      return [
        id,
        { tunnels: tunnelsOf(id, machines, listed), admissions: admissionsOf(id, dialling, listed) },
      ];
    }),
  );
}

function tunnelsOf(
  machineId: string,
  machines: readonly TunnelledMachine[],
  tasks: readonly TunnelledTask[],
): TunnelEnd[] {
  const ownPorts = new Set(tasks.flatMap((task) => (task.machineId === machineId ? [task.port] : [])));
  const tunnels = new Map<number, TunnelEnd>();
  const dialsHere = machines.some(({ id, dials }) => dials && id === machineId);
  for (const { machineId: owner, port } of tasks) {
    const machine = machines.find(({ id }) => id === owner);
    // The first of two tasks with one port is reached; the cluster reports this for the second.
    if (owner === machineId || machine === undefined || ownPorts.has(port) || tunnels.has(port)) continue;
    const known = agentAddresses(machine);
    tunnels.set(port, { port, deviceId: owner, agentAddresses: dialsHere ? known : withoutZones(known) });
  }
  return [...tunnels.values()].sort((a, b) => a.port - b.port);
}

function admissionsOf(
  machineId: string,
  dialling: readonly TunnelledMachine[],
  tasks: readonly TunnelledTask[],
): TunnelAdmission[] {
  return tasks
    .filter((task) => task.machineId === machineId)
    .flatMap(({ port }) => dialling.flatMap(({ id }) => (id === machineId ? [] : [{ deviceId: id, port }])));
}

/** A task of the cluster, as far as tunnels are concerned. */
interface ListedTask {
  readonly machineId: string;
  readonly address: string;
}

/**
 * The tasks that tunnels lead to: those named on the loopback interface, including foreign servers of a known machine.
 * A foreign server with another address is dialled there.
 */
export function tunnelledTasks(tasks: readonly ListedTask[]): TunnelledTask[] {
  return tasks.flatMap(({ machineId, address }) => {
    const parsed = parseHostPort(address);
    return parsed && isLoopback(parsed.host) ? [{ machineId, port: parsed.port }] : [];
  });
}
