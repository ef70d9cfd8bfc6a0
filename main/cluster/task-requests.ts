/**
 * Turns the user's requests into tasks that can be created: chooses the open settings and rejects invalid ones. Pure.
 */
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { nextIndex } from "../../worker-runtime/cluster/cluster-table.js";
import type { AddForeign, AddTasks, Engine, GpuChoice } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { noSuchMachine, problem } from "../shared/problems.js";
import { type ClusterTask, taskName } from "./cluster-task.js";
import type { ForeignAddress } from "./foreign-servers.js";
import { machineOfHost } from "./task-list.js";
import { newTaskId, type TaskWish } from "./task-placement.js";

/**
 * @param machines This machine first: it is the default.
 * @throws ProblemError ALREADY_EXISTS for an index in use, NOT_FOUND or UNAVAILABLE for the machine.
 */
export function wishesOf(
  { machineId, job, count, index, engine, gpu = "auto" }: AddTasks,
  tasks: readonly ClusterTask[],
  machines: readonly ClusterMachine[],
): TaskWish[] {
  const machine = machineNamed(machineId, machines);
  const chosenEngine = engine ?? bestEngine(machine);
  checkGpus(gpu, machine, chosenEngine);
  const known = tasks.map((task) => ({ job: task.job, index: task.index }));
  return Array.from({ length: count }, (_, i) => {
    const chosen = index === undefined ? nextIndex(known, job) : index + i;
    checkIndex(
      job,
      chosen,
      tasks.filter((task) => !givesWay(task, machine, machines)),
    );
    known.push({ job, index: chosen });
    return {
      ...{ id: newTaskId(), job, index: chosen, machineId: machine.id },
      engine: chosenEngine,
      gpu,
      ...{ port: 0, mayMove: true },
    };
  });
}

/** @throws ProblemError INVALID_ARGUMENT for an invalid address, ALREADY_EXISTS for an index or a server in use. */
export function foreignAddressOf(
  { address, job, index }: AddForeign,
  tasks: readonly ClusterTask[],
  machines: readonly ClusterMachine[],
): ForeignAddress {
  checkAddress(address, tasks, machines);
  const chosen = index ?? nextIndex(tasks, job);
  checkIndex(job, chosen, tasks);
  return { id: newTaskId(), address, job, index: chosen };
}

/** The machine's first engine, except those whose tasks would be open to the network where that is not allowed. */
function bestEngine({ engines, exposure, kind }: MachineFacts): Engine {
  const mustShutOff = kind !== "this" && exposure?.allowed === false && !exposure.avoidable;
  const usable = mustShutOff ? engines.filter(({ engine }) => engine === "portable") : engines;
  return usable[0]?.engine ?? "portable";
}

function machineNamed(machineId: string | undefined, machines: readonly ClusterMachine[]): MachineFacts {
  const machine =
    machineId === undefined ? machines[0] : machines.find(({ facts }) => facts.id === machineId);
  if (!machine) throw noSuchMachine(machineId ?? "");
  const { facts } = machine;
  if (facts.presence !== "offline") return facts;
  throw problem("UNAVAILABLE", `${facts.name} does not answer.`, {
    reason: facts.problem?.message,
    remedy: `Check whether ${facts.name} is on and connected to the network.`,
  });
}

/** @throws ProblemError INVALID_ARGUMENT for a GPU that the machine does not have or the engine does not choose by number. */
export function checkGpus(gpu: GpuChoice, { name, gpus }: MachineFacts, engine: Engine): void {
  if (typeof gpu !== "string" && engine === "portable") {
    throw problem("INVALID_ARGUMENT", "The portable engine takes the best GPU of the machine by itself.", {
      remedy: "Leave the task's GPU open, or choose none.",
    });
  }
  // If none is known, the driver may have failed to answer just once; the task reports what it sees.
  const missing =
    typeof gpu === "string" || gpus.length === 0
      ? []
      : gpu.filter((wanted) => !gpus.some(({ index }) => index === wanted));
  if (missing.length === 0) return;
  throw problem("INVALID_ARGUMENT", `${name} has no GPU ${missing.join(" and no GPU ")}.`, {
    remedy: `Choose from ${gpus.map((found) => `${found.index} (${found.name})`).join(", ")}.`,
  });
}

/**
 * A task whose machine does not answer gives way to one of the same name here. This machine is the first, so sessions use
 * the task here, and the other one is said to be its double when its machine answers again.
 */
function givesWay(
  { snapshot }: ClusterTask,
  { id }: MachineFacts,
  [thisMachine]: readonly ClusterMachine[],
): boolean {
  return snapshot.unreachable === true && id === thisMachine?.facts.id;
}

function checkIndex(job: string, index: number, tasks: readonly ClusterTask[]): void {
  const other = tasks.find((task) => task.job === job && task.index === index);
  if (!other) return;
  throw problem("ALREADY_EXISTS", `There is already a ${other.name}.`, {
    remedy: `Choose another index: ${taskName({ job, index: nextIndex(tasks, job) })} is free.`,
  });
}

function checkAddress(
  address: string,
  tasks: readonly ClusterTask[],
  machines: readonly ClusterMachine[],
): void {
  const parsed = parseHostPort(address);
  if (!parsed || parsed.port === 0) {
    throw problem("INVALID_ARGUMENT", `"${address}" is not the address of a server.`, {
      remedy: "Write host:port, such as gpu-pc:2222.",
    });
  }
  const machineId = machineOfHost(parsed.host, machines)?.id ?? `foreign:${parsed.host}`;
  const twin = tasks.find(
    (task) => task.machineId === machineId && parseHostPort(task.address)?.port === parsed.port,
  );
  if (!twin) return;
  throw problem("ALREADY_EXISTS", `${twin.name} is already at ${address}.`, {
    remedy: "A server can be only one task of a cluster.",
  });
}
