/** The tasks of the cluster, assembled from what the machines and the foreign servers report. Pure. */
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import { deviceOfTask } from "../../worker-runtime/cluster/device-name.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import type { Access, Device, Membership } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { defined } from "../shared/problems.js";
import type { HostTask } from "../tasks/task-host.js";
import { type ClusterTask, isActive, taskName } from "./cluster-task.js";
import type { ForeignServer } from "./foreign-servers.js";
import { membershipOfTask } from "./membership.js";
import {
  addedElsewhere,
  type Draft,
  loopbackTrouble,
  mayOnlyLook,
  noAnswerOf,
  ownNameTaken,
  portTrouble,
  type Seen,
  sameName,
  startedOtherwise,
  withoutTunnels,
} from "./task-troubles.js";

export interface TaskSources {
  /** This machine first. */
  readonly machines: readonly ClusterMachine[];
  readonly foreign: readonly ForeignServer[];
  readonly access: Access;
  readonly membership: Membership;
  readonly colourOf: (taskId: string) => number;
  /** The cluster's own notices about a task, e.g. that it was restarted. */
  readonly noticeOf: (taskId: string) => Problem | undefined;
  /** How often a task's state was cleared. */
  readonly clearsOf: (taskId: string) => number;
  /** Names of the machines that could not listen on a port for a tunnel. */
  readonly machinesWithout: (port: number) => readonly string[];
}

/** Every task, machine by machine, then the foreign servers. */
export function listTasks(sources: TaskSources): ClusterTask[] {
  const drafts = [
    ...sources.machines.flatMap((machine) =>
      (machine.tasks?.tasks() ?? []).map((task) => draftOfHostTask(machine, task, sources)),
    ),
    ...sources.foreign.map((server) => draftOfForeign(server, sources)),
  ];
  const hasOurs = drafts.some(({ task }) => !task.foreign);
  const seen: Seen = { usableByName: new Map(), byAddress: new Map(), hasOurs };
  return drafts.map((draft) => finish(draft, seen, sources));
}

/** host:port as the ClusterSpec of this cluster names a task of a machine. */
export function addressOnMachine(machine: MachineFacts, port: number, access: Access): string {
  const [best] = machine.addresses;
  const host = access === "secure" || best === undefined ? "localhost" : best;
  return port === 0 ? "" : formatHostPort({ host, port });
}

/** The machine that a host name refers to, if known: a loopback name refers to this one. */
export function machineOfHost(host: string, machines: readonly ClusterMachine[]): MachineFacts | undefined {
  if (isLoopback(host)) return machines[0]?.facts;
  return machines.find(({ facts }) => facts.addresses.includes(host) || facts.name === host)?.facts;
}

function draftOfHostTask({ facts }: ClusterMachine, task: HostTask, sources: TaskSources): Draft {
  const ownId = sources.machines[0]?.facts.id;
  const isOwn = facts.role !== "run" || task.owner === ownId;
  const { id, job, index, engine, gpu, port, pid, startedAt, devices } = task;
  const name = taskName(task);
  const unreachable = facts.presence !== "online";
  const isGone = unreachable && task.state !== "stopped" && task.state !== "failed";
  return {
    task: defined({
      id,
      job,
      index,
      address: addressOnMachine(facts, port, sources.access),
      engine,
      gpu,
      foreign: false,
      state: isGone ? ("unresponsive" as const) : task.state,
      unreachable: unreachable || undefined,
      pid,
      startedAt,
      colour: sources.colourOf(id),
      devices: [...devices],
      locked:
        facts.role === "view" ? mayOnlyLook(facts, name) : isOwn ? undefined : addedElsewhere(facts, name),
      problem: isGone ? noAnswerOf(facts, name) : task.problem,
    }),
    machineId: facts.id,
    machineName: facts.name,
    incarnation: task.incarnation,
    notice: task.notice,
    unusable:
      facts.role === "view"
        ? mayOnlyLook(facts, name)
        : isActive(task) && membershipOfTask(task) !== sources.membership
          ? startedOtherwise(name, sources.membership)
          : undefined,
  };
}

/** Devices are shown under the name that sessions give the server, whatever name it uses itself. */
function draftOfForeign(server: ForeignServer, sources: TaskSources): Draft {
  const { id, job, index, address, state, devices, problem } = server;
  const { host, port } = parseHostPort(address) ?? { host: address, port: 0 };
  const machine = machineOfHost(host, sources.machines);
  const isHere = machine !== undefined && machine.id === sources.machines[0]?.facts.id;
  const isTunnelled = sources.access === "secure" && isHere && !isLoopback(host);
  return {
    task: defined({
      id,
      job,
      index,
      // Tunnels carry connections to tasks named on the loopback interface.
      address: isTunnelled ? formatHostPort({ host: "localhost", port }) : address,
      engine: "tensorflow" as const,
      gpu: "auto" as const,
      foreign: true,
      state,
      colour: sources.colourOf(id),
      devices: devices.map((device) => renamed(device, job, index)),
      problem,
    }),
    machineId: machine?.id ?? `foreign:${host}`,
    machineName: machine?.name ?? host,
    incarnation: server.incarnation,
    notice: undefined,
    unusable: sources.membership === "dynamic" ? ownNameTaken(server) : undefined,
  };
}

/** Adds what follows from the tasks before it, and itself to those. */
function finish(draft: Draft, seen: Seen, sources: TaskSources): ClusterTask {
  const { task, machineId } = draft;
  const clears = sources.clearsOf(task.id);
  // To sessions, a cleared server is another one.
  const incarnation =
    draft.incarnation && clears > 0 ? `${draft.incarnation} cleared ${clears} times` : draft.incarnation;
  const name = taskName(task);
  const isSecure = sources.access === "secure";
  const portProblem = isSecure ? portTrouble(draft, seen, sources.machinesWithout) : undefined;
  const strange = isSecure ? withoutTunnels(draft, seen, sources.machines) : undefined;
  const unusable = draft.unusable ?? sameName(draft, seen) ?? portProblem ?? strange;
  if (!unusable) seen.usableByName.set(name, draft);
  if (!task.foreign && !seen.byAddress.has(task.address)) seen.byAddress.set(task.address, draft);
  const notice =
    sources.noticeOf(task.id) ??
    unusable ??
    draft.notice ??
    (isSecure ? undefined : loopbackTrouble(draft, sources.machines));
  const { id, job, index, engine, foreign, state, address, devices } = task;
  return {
    ...{ id, name, job, index, engine, machineId, foreign, state, address, devices, incarnation },
    server: draft.incarnation,
    locked: task.locked,
    elsewhere: machineId === sources.machines[0]?.facts.id ? undefined : draft.machineName,
    unusable,
    needsPort: portProblem !== undefined && !foreign,
    snapshot: defined({ ...task, notice }),
  };
}

function renamed(device: Device, job: string, index: number): Device {
  return { ...device, name: deviceOfTask(device.name, { job, index }) };
}
