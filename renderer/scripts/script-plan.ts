/** Which tasks a script is to be run as, and on which machines; pure. */
import type { Machine } from "../../main/api/cluster.js";
import type { ScriptStrategy, ScriptTask } from "../../main/api/scripts.js";
import { takesTasks } from "../cluster/machines.js";

/** The first port of a job's tasks, unless another program has it. */
const FIRST_PORT = 2222;

/** In the order in which the tasks of a job are listed. */
const JOBS = ["chief", "worker", "ps", "evaluator"] as const;
type Job = (typeof JOBS)[number];

/** The jobs that a strategy uses; a script without one is a single task. */
function jobsOf(strategy: ScriptStrategy | undefined): readonly Job[] {
  switch (strategy?.kind) {
    case "multi-worker":
      return ["worker"];
    case "parameter-server":
      return ["chief", "worker", "ps"];
    case "between-graph":
      return ["worker", "ps"];
    case "one-machine":
    case undefined:
      return ["worker"];
  }
}

/** Whether a strategy has use for several workers. */
function isDistributed(strategy: ScriptStrategy | undefined): boolean {
  return strategy !== undefined && strategy.kind !== "one-machine";
}

/** A proposal: a worker on every machine, and what else the strategy needs on this one. */
export function firstTasks(strategy: ScriptStrategy | undefined, machines: readonly Machine[]): ScriptTask[] {
  const usable = machines.filter(takesTasks);
  const [own] = usable;
  if (!own) return [];
  const on = (job: Job, machine: Machine, index = 0): ScriptTask => ({ job, index, machineId: machine.id });
  if (!isDistributed(strategy)) {
    const best = usable.reduce((found, machine) =>
      machine.gpus.length > found.gpus.length ? machine : found,
    );
    return [on("worker", best)];
  }
  // One worker would show nothing of the strategy.
  const hosts = usable.length === 1 ? [own, own] : usable;
  const jobs = jobsOf(strategy);
  return [
    ...(jobs.includes("chief") ? [on("chief", own)] : []),
    ...hosts.map((machine, index) => on("worker", machine, index)),
    ...(jobs.includes("ps") ? [on("ps", own)] : []),
  ];
}

/** A task of the table of roles: one of the job, or the next one that could be added. */
export interface RoleRow {
  readonly job: string;
  readonly index: number;
  /** Undefined for one that is not there. */
  readonly task: ScriptTask | undefined;
  /** Whether the strategy has no use for it. */
  readonly isUnused: boolean;
}

/** All tasks, each job followed by the row with which it gets another one. */
export function roleRows(tasks: readonly ScriptTask[], strategy: ScriptStrategy | undefined): RoleRow[] {
  const used = jobsOf(strategy);
  return JOBS.flatMap((job) => {
    const own = tasks.filter((task) => task.job === job);
    const rows = own.map((task): RoleRow => ({ job, index: task.index, task, isUnused: false }));
    const isFull = job === "chief" && own.length > 0;
    const isOffered = used.includes(job) || job === "ps" || own.length > 0;
    if (isFull || !isOffered) return rows;
    return [...rows, { job, index: own.length, task: undefined, isUnused: !used.includes(job) }];
  });
}

/** The tasks with one more, changed, or without one; the indices of each job have no gaps. */
export function withRole(
  tasks: readonly ScriptTask[],
  row: Pick<RoleRow, "job" | "index">,
  change: Pick<ScriptTask, "machineId" | "device"> | undefined,
): ScriptTask[] {
  const others = tasks.filter(({ job, index }) => job !== row.job || index !== row.index);
  const all = change ? [...others, { ...change, job: row.job, index: row.index }] : others;
  return JOBS.flatMap((job) =>
    all
      .filter((task) => task.job === job)
      .sort((a, b) => a.index - b.index)
      .map((task, index) => ({ ...task, index })),
  );
}

/** The name of a task as logs have it. */
export function roleName({ job, index }: Pick<ScriptTask, "job" | "index">): string {
  return `${job}/${index}`;
}

/**
 * TF_CONFIG as a task will get it, if the ports from 2222 on are free; undefined for the only task of a job, which gets
 * none. Evaluators do not belong to the cluster.
 */
export function tfConfigText(tasks: readonly ScriptTask[], name: string): string | undefined {
  if (tasks.length < 2) return undefined;
  const cluster: Record<string, string[]> = {};
  let port = FIRST_PORT;
  for (const { job } of tasks) {
    if (job === "evaluator") continue;
    cluster[job] = [...(cluster[job] ?? []), `localhost:${port++}`];
  }
  const task = tasks.find((known) => roleName(known) === name);
  const own = { type: task?.job, index: task?.index };
  return `{"cluster": ${JSON.stringify(cluster)},\n "task": ${JSON.stringify(own)}}`;
}

/** A strategy that needs more than the chosen tasks, as what is missing; undefined if nothing is. */
export function missingRole(
  tasks: readonly ScriptTask[],
  strategy: ScriptStrategy | undefined,
): "none" | "chief" | "worker" | "ps" | undefined {
  if (tasks.length === 0) return "none";
  if (strategy?.kind !== "parameter-server") return undefined;
  return (["chief", "worker", "ps"] as const).find((job) => !tasks.some((task) => task.job === job));
}
