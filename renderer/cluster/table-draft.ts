/** The cluster table during editing: rows, and what the window needs to apply them. Pure. */
import type { ClusterRow, ClusterState, Engine, GpuChoice, Machine, Task } from "../../main/api/cluster.js";
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import type { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import {
  nextIndex,
  type RowProblem,
  type TableRow,
  tableProblems,
} from "../../worker-runtime/cluster/cluster-table.js";
import type { ClusterConfigRow } from "../document/model.js";
import { texts } from "../texts/texts.js";

const words = texts.cluster.tableDraft;

export interface DraftRow {
  /** Stable while the row is edited. */
  readonly key: string;
  /** The row's task; absent for a new one. */
  readonly taskId?: string;
  readonly job: string;
  readonly index: number;
  /** Empty: a server started outside Tensordeck. */
  readonly machineId: string;
  /** As typed; empty: to be chosen. */
  readonly address: string;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
}

let newKeys = 0;

function newKey(): string {
  newKeys++;
  return `new-${newKeys}`;
}

/** Machines that can be given a task. */
export function usableMachines(state: ClusterState): Machine[] {
  return state.machines.filter(({ kind }) => kind === "this" || kind === "paired");
}

/** The initial rows: the existing tasks, then further ones that the document wants. */
export function draftOf(state: ClusterState, wanted: readonly ClusterConfigRow[]): DraftRow[] {
  const live = state.machines.flatMap((machine) => machine.tasks.map((task) => rowOfTask(machine, task)));
  const missing = wanted.filter(
    ({ job, index }) => !live.some((row) => row.job === job && row.index === index),
  );
  return [...live, ...missing.map((row) => rowOfConfig(state, row))];
}

function rowOfTask(machine: Machine, task: Task): DraftRow {
  const { id, job, index, address, engine, gpu, foreign } = task;
  return { key: id, taskId: id, job, index, machineId: foreign ? "" : machine.id, address, engine, gpu };
}

function rowOfConfig(state: ClusterState, row: ClusterConfigRow): DraftRow {
  const { job, index, machine, address, engine, gpu } = row;
  const machineId = usableMachines(state).find(({ name }) => name === machine)?.id ?? "";
  return { key: newKey(), job, index, machineId, address, engine, gpu };
}

/** The engine that a machine prefers; TensorFlow's if no machine is chosen yet. */
function preferredEngine(machineId: string, state: ClusterState): Engine {
  return usableMachines(state).find(({ id }) => id === machineId)?.engines[0]?.engine ?? "tensorflow";
}

/** A further row: another task of the last row's job on the last row's machine. */
export function addRow(rows: readonly DraftRow[], state: ClusterState): DraftRow[] {
  const last = rows.at(-1);
  const job = last?.job ?? "worker";
  const machineId = last?.machineId || (usableMachines(state)[0]?.id ?? "");
  const row: DraftRow = {
    key: newKey(),
    job,
    index: nextIndex(rows, job),
    machineId,
    address: "",
    engine: last?.engine ?? preferredEngine(machineId, state),
    gpu: "auto",
  };
  return [...rows, row];
}

/**
 * The rows of an imported cluster. An existing task with the same job and index keeps its row; an address on a known
 * machine is assigned to that machine.
 */
export function importRows(rows: readonly DraftRow[], cluster: ClusterSpec, state: ClusterState): DraftRow[] {
  return cluster.tasks().map(({ job, index, address }) => {
    const present = rows.find((row) => row.job === job && row.index === index);
    const host = address.replace(/:\d*$/, "").toLowerCase();
    const machineId =
      usableMachines(state).find(({ name, addresses }) =>
        [name, ...addresses].some((own) => own.toLowerCase() === host),
      )?.id ?? "";
    if (present) return { ...present, machineId: machineId || present.machineId, address };
    const engine = preferredEngine(machineId, state);
    return { key: newKey(), job, index, machineId, address, engine, gpu: "auto" };
  });
}

export function tableRows(rows: readonly DraftRow[]): TableRow[] {
  return rows.map(({ job, index, address, machineId }) => ({ job, index, address, machine: machineId }));
}

/** The problems to fix before the draft can be applied. */
export function draftProblems(rows: readonly DraftRow[], state: ClusterState): RowProblem[] {
  const isSecure = state.access === "secure";
  const table = isSecure ? tableRows(rows.map(onLoopback)) : tableRows(rows);
  return tableProblems(table, { addressesCrossMachines: !isSecure });
}

/** In a secure cluster only the port of our own tasks can be chosen, so two of them on one port conflict. */
function onLoopback(row: DraftRow): DraftRow {
  const port = parseHostPort(row.address)?.port ?? 0;
  if (row.machineId === "" || port === 0) return row;
  return { ...row, address: formatHostPort({ host: "localhost", port }) };
}

/** The draft in the form that the application accepts. */
export function rowsToApply(rows: readonly DraftRow[]): ClusterRow[] {
  return rows.map(({ taskId, job, index, machineId, address, engine, gpu }) => ({
    ...(taskId === undefined ? {} : { taskId }),
    job,
    index,
    ...(machineId === "" ? {} : { machineId }),
    ...(address === "" ? {} : { address }),
    engine,
    gpu,
  }));
}

/** The draft in the form that the document stores. */
export function rowsToKeep(rows: readonly DraftRow[], state: ClusterState): ClusterConfigRow[] {
  const names = new Map(state.machines.map(({ id, name }) => [id, name]));
  return rows.map(({ job, index, machineId, address, engine, gpu }) => ({
    job,
    index,
    machine: names.get(machineId) ?? "",
    address,
    engine,
    gpu,
  }));
}

/** The changes of tasks by applying the draft, by their name. */
export interface DraftChanges {
  readonly start: readonly string[];
  readonly restart: readonly string[];
  readonly stop: readonly string[];
}

export function draftChanges(rows: readonly DraftRow[], state: ClusterState): DraftChanges {
  const live = new Map(
    state.machines.flatMap((machine) =>
      machine.tasks.map((task) => [task.id, rowOfTask(machine, task)] as const),
    ),
  );
  const name = ({ job, index }: DraftRow) => `${job}/${index}`;
  const kept = new Set(rows.map(({ taskId }) => taskId));
  return {
    start: rows.filter(({ taskId }) => taskId === undefined || !live.has(taskId)).map(name),
    restart: rows.flatMap((row) => {
      const before = live.get(row.taskId ?? "");
      return before && isChanged(before, row) ? [name(row)] : [];
    }),
    stop: [...live.values()].filter(({ taskId }) => !kept.has(taskId)).map(name),
  };
}

function isChanged(before: DraftRow, row: DraftRow): boolean {
  const after = row.address === "" ? { ...row, address: before.address } : row;
  return (
    JSON.stringify({ ...before, address: placeOf(before) }) !==
    JSON.stringify({ ...after, address: placeOf(after) })
  );
}

/** The part of an address that identifies a task: for our own tasks the port, since the machine determines the host. */
function placeOf({ machineId, address }: DraftRow): string {
  return machineId === "" ? address : String(parseHostPort(address)?.port ?? address);
}

/** "worker/2 starts, ps/0 restarts": what is about to happen, or that nothing is. */
export function changesText({ start, restart, stop }: DraftChanges): string {
  const part = (names: readonly string[], { tasks, many }: typeof words.start) => {
    const count = names.length;
    if (count === 0) return [];
    return [count > 3 ? many({ count }) : tasks({ names: names.join(", "), count })];
  };
  const parts = [...part(start, words.start), ...part(restart, words.restart), ...part(stop, words.stop)];
  return parts.length === 0 ? words.unchanged : words.changes({ changes: parts.join("; ") });
}
