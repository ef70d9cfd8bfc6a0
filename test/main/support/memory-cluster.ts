/** A cluster whose machines exist in memory only. */
import type { ClusterRow, Task } from "../../../main/api/cluster.js";
import type { MachineFacts } from "../../../main/api/machines.js";
import { type ClusterCollaborators, ClusterService } from "../../../main/cluster/cluster-service.js";
import { MachineList, machineFacts } from "./machines.js";
import { MemoryHost } from "./memory-host.js";
import { until } from "./until.js";

export interface MemoryCluster {
  readonly cluster: ClusterService;
  readonly machines: MachineList;
  host(id: string): MemoryHost;
  /** "worker/0" */
  task(name: string): Task;
  names(): string[];
  row(name: string, changes?: Partial<ClusterRow>): ClusterRow;
  running(): Promise<void>;
}

const THIS_MACHINE = "here";

/** @param facts What distinguishes the machines; the first is this one, and called "here". */
export function memoryCluster(
  facts: readonly (Partial<MachineFacts> & { readonly id: string })[] = [{ id: "gpu-pc" }],
  more: Partial<ClusterCollaborators> = {},
): MemoryCluster {
  const hosts = new Map<string, MemoryHost>();
  const all = [{ id: THIS_MACHINE, kind: "this" as const, addresses: ["10.0.0.1"] }, ...facts];
  const machines = new MachineList(
    all.map(({ id, ...rest }) => {
      const host = new MemoryHost();
      hosts.set(id, host);
      const isPaired = rest.kind !== "discovered";
      return { facts: machineFacts(id, rest), ...(isPaired ? { tasks: host, tunnels: host } : {}) };
    }),
  );
  const cluster = new ClusterService({
    machines,
    emit: () => undefined,
    openProbe: () => ({ check: () => Promise.reject(new Error("nothing there")), close: () => undefined }),
    discovery: () => ({ state: "off" }),
    stopPsWithLastWorker: async () => false,
    ...more,
  });
  const host = (id: string): MemoryHost => {
    const found = hosts.get(id);
    if (!found) throw new Error(`no machine ${id}`);
    return found;
  };
  const find = (name: string) => {
    const found = cluster.tasks().find((task) => task.name === name);
    if (!found) throw new Error(`no task ${name}`);
    return found;
  };
  const row = (name: string, changes: Partial<ClusterRow> = {}): ClusterRow => {
    const { id: taskId, job, index, address, engine, machineId, foreign, snapshot } = find(name);
    const place = foreign ? {} : { machineId };
    return { taskId, job, index, address, engine, gpu: snapshot.gpu, ...place, ...changes };
  };
  return {
    cluster,
    machines,
    host,
    task: (name) => find(name).snapshot,
    names: () => cluster.tasks().map(({ name, machineId }) => `${name} on ${machineId}`),
    row,
    running: () => until("all tasks run", () => cluster.tasks().every(({ state }) => state === "running")),
  };
}
