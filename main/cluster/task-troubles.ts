/** Messages that explain why a task cannot be used or its machine does not answer. Pure. */
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import type { Membership, Task } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import { machineSilent } from "../machine/machine-silent.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { isTaskPort, TASK_PORTS_TEXT } from "../tasks/task-ports.js";
import { taskName } from "./cluster-task.js";
import { type ForeignServer, ownNameOf } from "./foreign-servers.js";

/** A task before it is compared with the others. */
export interface Draft {
  readonly task: Omit<Task, "notice">;
  readonly machineId: string;
  readonly machineName: string;
  readonly incarnation: string | undefined;
  readonly notice: Problem | undefined;
  readonly unusable: Problem | undefined;
}

/** The tasks before the current one. */
export interface Seen {
  /** The task of each name that sessions use. */
  readonly usableByName: Map<string, Draft>;
  /** The first of our tasks at each address. */
  readonly byAddress: Map<string, Draft>;
  /** Whether the cluster has any task that is not foreign, wherever in the list. */
  readonly hasOurs: boolean;
}

/** A task whose machine does not answer. @param task "worker/0" */
export function noAnswerOf(machine: MachineFacts, task: string): Problem {
  const silent = machineSilent(machine);
  return { ...silent, remedy: `${silent.remedy} ${task} may still be running there.`, task };
}

/** A task of a machine that lets this one only view. @param task "worker/0" */
export function mayOnlyLook(machine: MachineFacts, task: string): Problem {
  return {
    code: "PERMISSION_DENIED",
    message: `${task} cannot be used: this machine may only view ${machine.name}.`,
    remedy: `Allow this machine to run graphs there, on ${machine.name}.`,
    task,
  };
}

/** A task that another machine added, if this one may control only its own. @param task "worker/0" */
export function addedElsewhere(machine: MachineFacts, task: string): Problem {
  return {
    code: "PERMISSION_DENIED",
    message: `${task} on ${machine.name} was added by another machine.`,
    reason: 'With the role "run", a machine starts, stops and clears only tasks that it added itself.',
    remedy: `Do it where the task was added or on ${machine.name}, or have ${machine.name} give this machine the role "manage".`,
    task,
  };
}

/**
 * A task among others with the other membership.
 * @param task "worker/0"
 * @param cluster The membership of the others.
 */
export function startedOtherwise(task: string, cluster: Membership): Problem {
  const isFixed = cluster === "fixed";
  return {
    code: "FAILED_PRECONDITION",
    message: `${task} cannot take part: it was started ${isFixed ? "alone" : "for a fixed cluster"}.`,
    reason: isFixed
      ? "The other tasks belong to a fixed cluster and know each other from their start."
      : "The other tasks were started alone. A server that was started with a ClusterSpec refuses one from a session.",
    remedy: `Restart ${task} here, or make the cluster ${isFixed ? "dynamic" : "fixed"}.`,
    task,
  };
}

/** A server in a dynamic cluster under the same name that it was started with. */
export function ownNameTaken({ job, index, address, devices }: ForeignServer): Problem | undefined {
  const ownName = ownNameOf(devices);
  if (ownName?.job !== job || ownName.index !== index) return undefined;
  const task = taskName({ job, index });
  return {
    code: "FAILED_PRECONDITION",
    message: `${task} cannot take part in a dynamic cluster under this name.`,
    reason: `The server at ${address} was itself started as ${task}, and a server refuses a session whose ClusterSpec repeats its own name.`,
    remedy: "Add it under another job or index, or use a fixed cluster, which uses it under its own name.",
    task,
  };
}

/** A task whose name is taken by another, usable one. */
export function sameName({ task }: Draft, { usableByName }: Seen): Problem | undefined {
  const name = taskName(task);
  const other = usableByName.get(name);
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
export function portTrouble(
  draft: Draft,
  { byAddress }: Seen,
  machinesWithout: (port: number) => readonly string[],
): Problem | undefined {
  const { task, machineId } = draft;
  const port = parseHostPort(task.address)?.port;
  if (port === undefined) return undefined;
  const name = taskName(task);
  const other = task.foreign ? undefined : byAddress.get(task.address);
  const remedy = task.foreign
    ? `Start the server at another port, from ${TASK_PORTS_TEXT}, and add it again.`
    : `Restart ${name}: it then gets another port.`;
  if (other && other.machineId !== machineId) {
    return {
      code: "FAILED_PRECONDITION",
      message: `${name} has the same port as ${taskName(other.task)} on ${other.machineName}.`,
      reason: "In a secure cluster every task has its own port, because all are reached through localhost.",
      remedy,
      task: name,
    };
  }
  const [machine] = machinesWithout(port);
  if (machine === undefined) return undefined;
  return {
    code: "FAILED_PRECONDITION",
    message: `${machine} cannot reach ${name}.`,
    reason: isTaskPort(port)
      ? `Its end of the tunnel should listen at port ${port} there, which another program has.`
      : `Its end of the tunnel should listen at port ${port} there. Tunnels have ports from ${TASK_PORTS_TEXT} only, and none that other programs are known for.`,
    remedy,
    task: name,
  };
}

/** An address that every machine would resolve to itself. */
export function loopbackTrouble(
  { task, machineId }: Draft,
  machines: readonly ClusterMachine[],
): Problem | undefined {
  const host = parseHostPort(task.address)?.host;
  if (host === undefined || !isLoopback(host)) return undefined;
  const others = machines.filter(
    ({ facts, tasks }) => facts.id !== machineId && (tasks?.tasks().length ?? 0) > 0,
  );
  const [other] = others;
  if (other === undefined) return undefined;
  const name = taskName(task);
  return {
    code: "FAILED_PRECONDITION",
    message: `${name} is at ${task.address}, which on ${other.facts.name} means that machine itself.`,
    reason: "localhost means a different machine on each of them.",
    remedy: task.foreign
      ? "Add the server by the address that other machines use for it."
      : "Make sure that this machine has an address in the network, or use a secure cluster.",
    task: name,
  };
}

/** A server of another machine among tasks that are reached through tunnels, which it does not have. */
export function withoutTunnels(
  { task, machineId }: Draft,
  { hasOurs }: Seen,
  machines: readonly ClusterMachine[],
): Problem | undefined {
  if (!task.foreign || !hasOurs || machineId === machines[0]?.facts.id) return undefined;
  const name = taskName(task);
  return {
    code: "FAILED_PRECONDITION",
    message: `${name} cannot take part in a secure cluster.`,
    reason: `The tasks of a secure cluster are named on localhost and reached through tunnels. The server at ${task.address} was started elsewhere and has none: it would look for them on its own machine.`,
    remedy: "Open the cluster, or start a task of Tensordeck on that machine instead.",
    task: name,
  };
}
