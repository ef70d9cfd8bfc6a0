/** The scripts that run as tasks, those that have ended, and their output. */
import { create } from "zustand";
import type { LogLine } from "../../main/api/cluster.js";
import type { ScriptJob } from "../../main/api/scripts.js";
import { client } from "../transport/client.js";
import { keepEqual } from "./keep-equal.js";
import { keptLogs } from "./kept-logs.js";

export interface ScriptStore {
  /** The newest first. */
  readonly jobs: readonly ScriptJob[];
  /** The job that the user chose to see; undefined for the newest. */
  readonly chosen: string | undefined;
}

export const useScripts = create<ScriptStore>()(() => ({ jobs: [], chosen: undefined }));

/** The job that is shown. */
export function shownJob({ jobs, chosen }: ScriptStore): ScriptJob | undefined {
  return jobs.find(({ id }) => id === chosen) ?? jobs[0];
}

/** Whether a job has not ended. */
export function isGoing({ endedAt }: ScriptJob): boolean {
  return endedAt === undefined;
}

const logs = keptLogs((id, afterSequence) => {
  const [jobId = "", task = ""] = id.split(" ");
  return client().call("scripts.log", { jobId, task, afterSequence });
});

/** By `logIdOf`. */
export const useScriptLogs = logs.useLogs;

/** @param task "worker/0"; "" for what is said of the job itself. */
export function logIdOf(jobId: string, task: string): string {
  return `${jobId} ${task}`;
}

/** Lines of jobs that are no longer kept go with them. */
export function receiveScripts(jobs: readonly ScriptJob[]): void {
  useScripts.setState((store) => ({ jobs: keepEqual(store.jobs, jobs) }));
  const kept = new Set(jobs.map(({ id }) => id));
  useScriptLogs.setState((store) => {
    const lines = [...store.lines].filter(([id]) => kept.has(id.split(" ")[0] ?? ""));
    return lines.length === store.lines.size ? store : { ...store, lines: new Map(lines) };
  });
}

export async function receiveScriptLog(
  jobId: string,
  task: string,
  lines: readonly LogLine[],
): Promise<void> {
  await logs.receive(logIdOf(jobId, task), lines);
}

/** Fetches what the tasks of a job have written before this window was there. */
export async function catchUpScript({ id, tasks }: Pick<ScriptJob, "id" | "tasks">): Promise<void> {
  await Promise.all(["", ...tasks.map(({ name }) => name)].map((task) => logs.catchUp(logIdOf(id, task))));
}
