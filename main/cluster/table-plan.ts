/** Compares the tasks with the cluster table: the changes to make, or the error. Pure. */
import { isDeepStrictEqual } from "node:util";
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import { type TableRow, tableProblems } from "../../worker-runtime/cluster/cluster-table.js";
import type { Access, ClusterRow } from "../api/cluster.js";
import { ProblemError } from "../api/wire.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { problem } from "../shared/problems.js";
import { exposureRefused } from "../tasks/exposure.js";
import { isTaskPort, TASK_PORTS_TEXT } from "../tasks/task-ports.js";
import { type ClusterTask, taskName } from "./cluster-task.js";
import type { ForeignAddress } from "./foreign-servers.js";
import { newTaskId, type TaskWish } from "./task-placement.js";
import { checkGpus } from "./task-requests.js";

export interface TablePlan {
  /** The removed tasks, ours and foreign ones. */
  readonly remove: readonly ClusterTask[];
  readonly add: readonly TaskWish[];
  /** Tasks that are re-created under their old id. */
  readonly replace: readonly { readonly task: ClusterTask; readonly wish: TaskWish }[];
  readonly addForeign: readonly ForeignAddress[];
  /** Foreign servers that get another name in sessions. */
  readonly renameForeign: readonly ForeignAddress[];
}

/**
 * @param machines This machine first.
 * @throws ProblemError INVALID_ARGUMENT for the first invalid row; NOT_FOUND for a task or machine that is gone;
 *   UNAVAILABLE or FAILED_PRECONDITION for a machine that cannot accept tasks now.
 */
export function planTable(
  rows: readonly ClusterRow[],
  tasks: readonly ClusterTask[],
  machines: readonly ClusterMachine[],
  access: Access,
): TablePlan {
  checkRows(rows, access);
  const kept = new Set(rows.flatMap(({ taskId }) => taskId ?? []));
  const plan = { remove: tasks.filter(({ id }) => !kept.has(id)), ...emptyChanges() };
  for (const task of plan.remove) {
    if (task.locked) throw new ProblemError(task.locked);
    if (!task.foreign) checkMachine(task, task.machineId, machines);
  }
  for (const row of rows) {
    if (row.taskId === undefined) addRow(row, machines, plan);
    else changeRow(row, taskOf(row, tasks), machines, plan);
  }
  if (access === "secure" && machines.filter((machine) => machine.tasks).length > 1) checkPorts(plan);
  return plan;
}

interface Changes {
  readonly add: TaskWish[];
  readonly replace: { readonly task: ClusterTask; readonly wish: TaskWish }[];
  readonly addForeign: ForeignAddress[];
  readonly renameForeign: ForeignAddress[];
}

function emptyChanges(): Changes {
  return { add: [], replace: [], addForeign: [], renameForeign: [] };
}

function addRow(row: ClusterRow, machines: readonly ClusterMachine[], changes: Changes): void {
  const id = newTaskId();
  if (row.machineId === undefined) changes.addForeign.push(foreignOf(row, id));
  else changes.add.push(wishOf(row, id, row.machineId, machines));
}

function changeRow(
  row: ClusterRow,
  task: ClusterTask,
  machines: readonly ClusterMachine[],
  changes: Changes,
): void {
  const { job, index, machineId, engine, gpu } = row;
  if (task.foreign) {
    const isMoved = row.address !== undefined && row.address !== task.address;
    const isRenamed = job !== task.job || index !== task.index;
    const server = foreignOf({ ...row, address: row.address ?? task.address }, task.id);
    if (isMoved) changes.addForeign.push(server);
    else if (isRenamed) changes.renameForeign.push(server);
    return;
  }
  const port = portOf(row);
  const isSame =
    job === task.job &&
    index === task.index &&
    (machineId === undefined || machineId === task.machineId) &&
    engine === task.engine &&
    isDeepStrictEqual(gpu, task.snapshot.gpu) &&
    (port === 0 || port === parseHostPort(task.address)?.port);
  if (isSame) return;
  if (task.locked) throw new ProblemError(task.locked);
  checkMachine(task, task.machineId, machines);
  const wish = wishOf(row, task.id, machineId ?? task.machineId, machines);
  // An address that the table displayed was not chosen by the user.
  const mayMove = port === 0 || port === parseHostPort(task.address)?.port;
  changes.replace.push({ task, wish: { ...wish, mayMove } });
}

function taskOf({ taskId, job, index }: ClusterRow, tasks: readonly ClusterTask[]): ClusterTask {
  const task = tasks.find(({ id }) => id === taskId);
  if (task) return task;
  throw problem("NOT_FOUND", `${taskName({ job, index })} is no longer in the cluster.`, {
    reason: "The cluster has changed since the table was opened.",
    remedy: "Open the table again.",
  });
}

function wishOf(
  row: ClusterRow,
  id: string,
  machineId: string,
  machines: readonly ClusterMachine[],
): TaskWish {
  checkMachine(row, machineId, machines);
  const { job, index, engine, gpu } = row;
  const machine = machines.find(({ facts }) => facts.id === machineId);
  if (machine) checkGpus(gpu, machine.facts, engine);
  const port = portOf(row);
  return { id, job, index, machineId, engine, gpu, port, mayMove: port === 0 };
}

function foreignOf({ job, index, address = "" }: ClusterRow, id: string): ForeignAddress {
  return { id, job, index, address };
}

/** 0 if the row leaves it open. */
function portOf({ address }: ClusterRow): number {
  return address === undefined ? 0 : (parseHostPort(address)?.port ?? 0);
}

/** @throws ProblemError for a typed port on which the other machines accept no tunnel. */
function checkPorts({ add, replace }: Changes): void {
  const wishes = [...add, ...replace.map(({ wish }) => wish)];
  const wrong = wishes.find(({ port, mayMove }) => !mayMove && !isTaskPort(port));
  if (!wrong) return;
  const name = taskName(wrong);
  throw problem("INVALID_ARGUMENT", `${name} cannot have port ${wrong.port} in a secure cluster.`, {
    reason: `Every other machine gives the task the same port on localhost, and reserves the well-known ports of its own programs.`,
    remedy: `Choose a port from ${TASK_PORTS_TEXT}, or omit it. Nothing was changed.`,
    task: name,
  });
}

/** @throws ProblemError when a task's machine does not let this one change it. */
export function checkMachine(
  task: { readonly job: string; readonly index: number },
  machineId: string,
  machines: readonly ClusterMachine[],
): void {
  const machine = machines.find(({ facts }) => facts.id === machineId);
  const name = taskName(task);
  if (!machine) {
    throw problem("NOT_FOUND", `The machine of ${name} is no longer there.`, {
      remedy: "Choose another machine.",
      task: name,
    });
  }
  const { facts, tasks } = machine;
  if (!tasks) {
    throw problem("FAILED_PRECONDITION", `${name} cannot run on ${facts.name}, which is not paired.`, {
      remedy: `Pair with ${facts.name} first, or choose another machine.`,
      task: name,
    });
  }
  if (facts.presence !== "online") {
    throw problem("UNAVAILABLE", `${name} cannot be changed: ${facts.name} does not answer.`, {
      remedy: "Wait until it answers again, or leave the task as it is.",
      task: name,
    });
  }
}

/**
 * @throws ProblemError PERMISSION_DENIED for the first machine that does not expose other machines' tasks to the
 * network.
 */
export function checkExposure(tasks: readonly ClusterTask[], machines: readonly ClusterMachine[]): void {
  const [, ...others] = machines;
  const refusing = others.find(
    ({ facts }) => facts.exposure?.allowed === false && tasks.some(({ machineId }) => machineId === facts.id),
  );
  if (refusing) throw exposureRefused(refusing.facts.name);
}

function checkRows(rows: readonly ClusterRow[], access: Access): void {
  const isSecure = access === "secure";
  const table = rows.map((row) => tableRow(row, isSecure));
  const [first] = tableProblems(table, { addressesCrossMachines: !isSecure });
  if (first) throw rowProblem(first.message, rows[first.row]);
}

/** In a secure cluster the port alone identifies a task, whatever host is written before it. */
function tableRow({ job, index, machineId = "", address = "" }: ClusterRow, isSecure: boolean): TableRow {
  const port = parseHostPort(address)?.port;
  const isOurs = machineId !== "" && isSecure && port !== undefined;
  return {
    job,
    index,
    machine: machineId,
    address: isOurs ? formatHostPort({ host: "localhost", port }) : address,
  };
}

function rowProblem(message: string, row: ClusterRow | undefined): ProblemError {
  return problem("INVALID_ARGUMENT", message, {
    remedy: "Correct the row, then apply the table again. Nothing was changed.",
    task: row && taskName(row),
  });
}
