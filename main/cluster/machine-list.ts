/** The machines of the cluster's state, each with its tasks. Pure. */
import type { Machine } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { type ClusterTask, isActive } from "./cluster-task.js";

/** The known machines, then one for each unknown host of foreign servers. */
export function listMachines(machines: readonly ClusterMachine[], tasks: readonly ClusterTask[]): Machine[] {
  const tasksOf = (machineId: string) =>
    tasks.filter((task) => task.machineId === machineId).map(({ snapshot }) => snapshot);
  const known = new Set(machines.map(({ facts }) => facts.id));
  const foreign = new Set(tasks.flatMap(({ machineId }) => (known.has(machineId) ? [] : [machineId])));
  return [
    ...machines.map(({ facts }) => ({ ...facts, tasks: tasksOf(facts.id) })),
    ...[...foreign].map((id) => {
      const servers = tasks.filter(({ machineId }) => machineId === id);
      return { ...foreignHost(id, servers), tasks: servers.map(({ snapshot }) => snapshot) };
    }),
  ];
}

function foreignHost(id: string, servers: readonly ClusterTask[]): MachineFacts {
  const host = id.replace(/^foreign:/, "");
  const answers = servers.some(({ state }) => state === "running");
  const isNew = servers.some(({ state }) => state === "starting");
  return {
    id,
    name: host,
    kind: "foreign",
    presence: answers ? "online" : isNew ? "connecting" : "offline",
    ...{ platform: "", osName: "", arch: "", cores: 0, memoryBytes: 0, version: "" },
    ...{ gpus: [], addresses: [host], engines: [] },
  };
}

/** The notice for machines that run tasks with different versions of TensorFlow. */
export function versionNotice(
  machines: readonly ClusterMachine[],
  tasks: readonly ClusterTask[],
): Problem | undefined {
  const used = machines.flatMap(({ facts }) => {
    const isUsed = tasks.some(
      (task) =>
        task.machineId === facts.id && !task.foreign && task.engine === "tensorflow" && isActive(task),
    );
    const version = facts.engines.find(({ engine }) => engine === "tensorflow")?.version;
    return isUsed && version ? [{ name: facts.name, version }] : [];
  });
  const releases = new Set(used.map(({ version }) => version.split(".").slice(0, 2).join(".")));
  if (releases.size < 2) return undefined;
  return {
    code: "FAILED_PRECONDITION",
    message: "The machines run different versions of TensorFlow.",
    reason: `${used.map(({ name, version }) => `${name} has ${version}`).join(", ")}. A graph may use an op that one of them lacks.`,
    remedy: "Install the same version on all of them if a run fails for that reason.",
  };
}
