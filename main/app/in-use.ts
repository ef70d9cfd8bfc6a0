/** The work that would be lost if the application ended now: tasks that other machines use, a long run, and scripts. */
import type { RunState } from "../api/run-state.js";
import type { RunUpdate } from "../api/runs.js";
import type { HostTask } from "../tasks/task-host.js";

/** A shorter run is quickly repeated. */
const LONG_RUN_MILLIS = 10_000;

/** States of a run in progress. */
const GOES_ON: readonly RunState[] = ["preparing", "running", "paused", "stopping"];

export interface InUse {
  /** Tasks of this machine that another machine uses: it has started them here, or is connected to them. */
  readonly tasks: readonly { readonly name: string; readonly user: string }[];
  /** Names of the tasks that this machine's own windows have started. */
  readonly ownTasks: readonly string[];
  /** How long the run of this machine's window has lasted; absent if there is none, or only a short one. */
  readonly runMillis?: number;
  /** Scripts that its windows have started, as far as they have run for long. */
  readonly scripts?: readonly string[];
}

export interface InUseFacts {
  /** Device ID of this machine. */
  readonly ownId: string;
  readonly tasks: readonly Pick<HostTask, "job" | "index" | "state" | "owner" | "port">[];
  /** Which machines use which of its tasks, several times if they have several connections. */
  readonly uses: readonly { readonly deviceId: string; readonly port: number }[];
  /** The user's name for a machine; undefined for one that is no longer paired. */
  nameOf(deviceId: string): string | undefined;
  /** The newest run. */
  readonly run: Pick<RunUpdate, "state" | "elapsedMillis" | "currentMillis"> | undefined;
  /** The scripts that run, and since when (milliseconds since the epoch). */
  readonly scripts?: readonly { readonly script: string; readonly startedAt: number }[];
}

/** The part of the state that the user would lose. */
export function inUse({ ownId, tasks, uses, nameOf, run, scripts = [] }: InUseFacts): InUse {
  const active = tasks.filter(({ state }) => state !== "stopped" && state !== "failed");
  const usersOf = ({ owner, port }: (typeof tasks)[number]) =>
    new Set(
      [owner, ...uses.filter((use) => use.port === port).map(({ deviceId }) => deviceId)].filter(
        (deviceId) => deviceId !== ownId,
      ),
    );
  const millis = run && GOES_ON.includes(run.state) ? Math.max(run.elapsedMillis, run.currentMillis) : 0;
  const long = scripts.flatMap(({ script, startedAt }) =>
    Date.now() - startedAt < LONG_RUN_MILLIS ? [] : [script],
  );
  return {
    tasks: active.flatMap((task) =>
      [...usersOf(task)].map((deviceId) => ({
        name: taskName(task),
        user: nameOf(deviceId) ?? "a machine that is no longer paired",
      })),
    ),
    ownTasks: active.filter(({ owner }) => owner === ownId).map(taskName),
    ...(millis < LONG_RUN_MILLIS ? {} : { runMillis: millis }),
    ...(long.length === 0 ? {} : { scripts: long }),
  };
}

/** Whether anything would be lost, so that the application asks before it ends. */
export function isAnythingInUse({ tasks, runMillis, scripts = [] }: InUse): boolean {
  return tasks.length > 0 || runMillis !== undefined || scripts.length > 0;
}

/** The things in use, one line each: "worker/0, which gpu-pc uses", "a run that has taken 3 min". */
export function inUseLines({ tasks, runMillis, scripts = [] }: InUse): string[] {
  const lines = tasks.map(({ name, user }) => `${name}, which ${user} uses`);
  if (runMillis !== undefined) lines.push(`a run that has taken ${ageText(runMillis)}`);
  lines.push(...scripts.map((script) => `${script} on its machines`));
  return lines;
}

function ageText(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function taskName({ job, index }: Pick<HostTask, "job" | "index">): string {
  return `${job}/${index}`;
}
