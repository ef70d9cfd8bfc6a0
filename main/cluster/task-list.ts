/** The tasks of the cluster, put together from what the machines and the foreign servers say. Pure. */
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../worker-runtime/cluster/cluster-table.js";
import { taskDeviceName } from "../../worker-runtime/cluster/device-name.js";
import type { Access, Device, Membership, Task } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import { defined } from "../problems.js";
import type { HostTask } from "../tasks/task-host.js";
import type { ClusterMachine } from "./cluster-machine.js";
import { type ClusterTask, taskName } from "./cluster-task.js";
import { type ForeignServer, ownNameOf } from "./foreign-servers.js";

export interface TaskSources {
  /** This machine first. */
  readonly machines: readonly ClusterMachine[];
  readonly foreign: readonly ForeignServer[];
  readonly access: Access;
  readonly membership: Membership;
  readonly colourOf: (taskId: string) => number;
  /** What the cluster itself has to say of a task, e.g. that it was restarted. */
  readonly noticeOf: (taskId: string) => Problem | undefined;
  /** How often a task's state was cleared. */
  readonly clearsOf: (taskId: string) => number;
  /** Names of the machines that could not listen at a port for a tunnel. */
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
  return drafts.map((draft, position) => finish(draft, drafts.slice(0, position), sources));
}

/** host:port as the ClusterSpec of this cluster names a task of a machine. */
export function addressOnMachine(machine: MachineFacts, port: number, access: Access): string {
  const [best] = machine.addresses;
  const host = access === "secure" || best === undefined ? "localhost" : best;
  return port === 0 ? "" : formatHostPort({ host, port });
}

/** The machine that a host name leads to, as far as it is known: a loopback name leads to this one. */
export function machineOfHost(host: string, machines: readonly ClusterMachine[]): MachineFacts | undefined {
  if (isLoopback(host)) return machines[0]?.facts;
  return machines.find(({ facts }) => facts.addresses.includes(host) || facts.name === host)?.facts;
}

interface Draft {
  readonly task: Omit<Task, "notice">;
  readonly machineId: string;
  readonly machineName: string;
  readonly incarnation: string | undefined;
  readonly notice: Problem | undefined;
  readonly unusable: Problem | undefined;
}

function draftOfHostTask({ facts }: ClusterMachine, task: HostTask, sources: TaskSources): Draft {
  const { id, job, index, engine, gpu, port, pid, startedAt, devices, metrics } = task;
  const name = taskName(task);
  const isGone = facts.presence !== "online" && task.state !== "stopped" && task.state !== "failed";
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
      pid,
      startedAt,
      colour: sources.colourOf(id),
      devices: [...devices],
      metrics: [...metrics],
      problem: isGone ? noAnswerOf(facts, name) : task.problem,
    }),
    machineId: facts.id,
    machineName: facts.name,
    incarnation: task.incarnation,
    notice: task.notice,
    unusable: facts.role === "view" ? mayOnlyLook(facts, name) : undefined,
  };
}

function draftOfForeign(server: ForeignServer, sources: TaskSources): Draft {
  const { id, job, index, address, state, devices, problem } = server;
  const host = parseHostPort(address)?.host ?? address;
  const machine = machineOfHost(host, sources.machines);
  const ownName = ownNameOf(devices);
  const keepsName = ownName?.job === job && ownName.index === index;
  return {
    task: defined({
      id,
      job,
      index,
      address,
      engine: "tensorflow" as const,
      gpu: "auto" as const,
      foreign: true,
      state,
      colour: sources.colourOf(id),
      devices: devices.map((device) => renamed(device, job, index)),
      metrics: [],
      problem,
    }),
    machineId: machine?.id ?? `foreign:${host}`,
    machineName: machine?.name ?? host,
    incarnation: server.incarnation,
    notice: undefined,
    unusable: keepsName && sources.membership === "dynamic" ? ownNameTaken(server) : undefined,
  };
}

/** Adds what follows from the tasks before it. */
function finish(draft: Draft, before: readonly Draft[], sources: TaskSources): ClusterTask {
  const { task, machineId } = draft;
  const clears = sources.clearsOf(task.id);
  // To sessions, a server that was emptied is another one.
  const incarnation =
    draft.incarnation && clears > 0 ? `${draft.incarnation} cleared ${clears} times` : draft.incarnation;
  const name = taskName(task);
  const portProblem = sources.access === "secure" ? portTrouble(draft, before, sources) : undefined;
  const unusable = draft.unusable ?? sameName(draft, before) ?? portProblem;
  const notice = sources.noticeOf(task.id) ?? unusable ?? draft.notice ?? loopbackTrouble(draft, sources);
  const { id, job, index, engine, foreign, state, address, devices } = task;
  return {
    ...{ id, name, job, index, engine, machineId, foreign, state, address, devices, incarnation },
    unusable,
    needsPort: portProblem !== undefined,
    snapshot: defined({ ...task, notice }),
  };
}

function renamed(device: Device, job: string, index: number): Device {
  const rest = /\/device:.*$/.exec(device.name)?.[0] ?? "";
  return { ...device, name: `${taskDeviceName({ job, index })}${rest}` };
}

function noAnswerOf(machine: MachineFacts, task: string): Problem {
  return defined({
    code: "UNAVAILABLE",
    message: `${machine.name} does not answer.`,
    reason: machine.problem?.message,
    remedy: `See whether ${machine.name} is on and in the network. ${task} may still be running there.`,
    task,
  });
}

function mayOnlyLook(machine: MachineFacts, task: string): Problem {
  return {
    code: "PERMISSION_DENIED",
    message: `${task} cannot be used: this machine may only look at ${machine.name}.`,
    remedy: `Let ${machine.name} allow this machine to run graphs there.`,
    task,
  };
}

function ownNameTaken({ job, index, address }: ForeignServer): Problem {
  const task = taskName({ job, index });
  return {
    code: "FAILED_PRECONDITION",
    message: `${task} cannot take part in a dynamic cluster under this name.`,
    reason: `The server at ${address} was itself started as ${task}, and a server refuses a session whose ClusterSpec repeats that.`,
    remedy: "Take it in under another job or index, or use a fixed cluster, which uses it as it is.",
    task,
  };
}

function sameName({ task }: Draft, before: readonly Draft[]): Problem | undefined {
  const name = taskName(task);
  const other = before.find((draft) => taskName(draft.task) === name && draft.unusable === undefined);
  if (other === undefined) return undefined;
  return {
    code: "ALREADY_EXISTS",
    message: `There is another ${name}, on ${other.machineName}.`,
    reason: "Sessions use that one.",
    remedy: "Remove one of the two, or give it another index in the cluster table.",
    task: name,
  };
}

/** In a secure cluster a port means one task on every machine. */
function portTrouble(draft: Draft, before: readonly Draft[], sources: TaskSources): Problem | undefined {
  const { task, machineId } = draft;
  const port = parseHostPort(task.address)?.port;
  if (task.foreign || port === undefined) return undefined;
  const name = taskName(task);
  const remedy = `Restart ${name}: it gets another port then.`;
  const other = before.find(
    (earlier) =>
      earlier.machineId !== machineId && !earlier.task.foreign && earlier.task.address === task.address,
  );
  if (other) {
    return {
      code: "FAILED_PRECONDITION",
      message: `${name} has the same port as ${taskName(other.task)} on ${other.machineName}.`,
      reason: "In a secure cluster every task has a port of its own, because all are reached by localhost.",
      remedy,
      task: name,
    };
  }
  const [machine] = sources.machinesWithout(port);
  if (machine === undefined) return undefined;
  return {
    code: "FAILED_PRECONDITION",
    message: `${machine} cannot reach ${name}.`,
    reason: `Its end of the tunnel should listen at port ${port} there, which another program has.`,
    remedy,
    task: name,
  };
}

/** An address that every machine would take for its own. */
function loopbackTrouble({ task, machineId }: Draft, sources: TaskSources): Problem | undefined {
  const host = parseHostPort(task.address)?.host;
  if (host === undefined || !isLoopback(host) || sources.access === "secure") return undefined;
  const others = sources.machines.filter(
    ({ facts, tasks }) => facts.id !== machineId && (tasks?.tasks().length ?? 0) > 0,
  );
  const [other] = others;
  if (other === undefined) return undefined;
  const name = taskName(task);
  return {
    code: "FAILED_PRECONDITION",
    message: `${name} is at ${task.address}, where ${other.facts.name} would look on itself.`,
    reason: "localhost means another machine on each of them.",
    remedy: task.foreign
      ? "Take the server in by the address that other machines reach it by."
      : "See that this machine has an address in the network, or use a secure cluster.",
    task: name,
  };
}
