/** One job of a script as windows see it, from the request to its end: its state, its log and its curves. */
import { basename } from "node:path";
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import type { LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import type {
  ScriptCurve,
  ScriptJobState,
  ScriptRequest,
  ScriptTaskState,
  ScriptJob as ShownJob,
} from "../api/scripts.js";
import type { FolderScalar } from "../scripts/curves/event-folder.js";
import type { FolderFiles } from "../scripts/files/script-files.js";
import { progressOf } from "../scripts/line-progress.js";
import type { JobResult, ScriptJob } from "../scripts/script-job.js";
import type { TaskLoad } from "../scripts/task-loads.js";
import { defined, problemOf } from "../shared/problems.js";
import { ScalarSeries } from "../shared/scalar-series.js";
import { howItEnded } from "../tasks/exit-problem.js";
import type { TaskExit } from "../tasks/launcher.js";
import { LogRing } from "../tasks/log-ring.js";
import type { Collected, MachineName } from "./job-machine.js";
import type { JobEvents } from "./submit-job.js";
import type { Located } from "./survey-script.js";

/** Curves of one job; more are not drawn. */
const MOST_CURVES = 64;

interface Series {
  readonly machine: string;
  readonly folder: string;
  readonly tag: string;
  readonly values: ScalarSeries;
  step: number;
  /** Whether the next step may be an earlier one. */
  mayGoBack: boolean;
}

type TaskRecord = { -readonly [K in keyof ScriptTaskState]: ScriptTaskState[K] };

export interface JobRecordOptions extends Located {
  readonly id: string;
  readonly request: ScriptRequest;
  readonly nameOf: (machineId: string | undefined) => string;
  /** The state has changed. @param isUrgent Whether more than numbers did. */
  readonly onChange: (isUrgent: boolean) => void;
  readonly onLine: (task: string, line: LogLine) => void;
  readonly now?: () => number;
}

export class JobRecord implements JobEvents {
  readonly id: string;
  readonly #options: JobRecordOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #tasks: Map<string, TaskRecord>;
  readonly #machines: Map<string, { ready: boolean; progress?: string }>;
  readonly #notices = new LogRing();
  readonly #series = new Map<string, Series>();
  readonly #collected: ShownJob["collected"][number][] = [];
  readonly #givenUp = new AbortController();
  #state: ScriptJobState = "preparing";
  #job: ScriptJob | undefined;
  #isStopped = false;
  #runningSince: number | undefined;
  #endedAt: number | undefined;
  #sent: ShownJob["sent"];
  #problem: Problem | undefined;

  constructor(options: JobRecordOptions) {
    const { id, request, nameOf, now = Date.now } = options;
    this.id = id;
    this.#options = options;
    this.#now = now;
    this.#startedAt = now();
    this.#tasks = new Map(
      request.tasks.map(({ job, index, machineId, device }) => {
        const name = shortTaskText({ job, index });
        const task: TaskRecord = { name, machine: nameOf(machineId), state: "waiting", starts: 0 };
        if (device !== undefined) task.device = device;
        return [name, task];
      }),
    );
    this.#machines = new Map([...this.#tasks.values()].map(({ machine }) => [machine, { ready: false }]));
  }

  /** Aborted when the job is to be given up before its tasks are started. */
  get signal(): AbortSignal {
    return this.#givenUp.signal;
  }

  get isOver(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Ends all tasks; a second call ends them by force. */
  stop(reason: Error): void {
    if (this.isOver) return;
    if (!this.#job) this.#givenUp.abort(reason);
    else if (this.#isStopped) this.#job.kill();
    else this.#job.stop();
    this.#isStopped = true;
    this.#enter("ending");
  }

  onFiles({ files, totalBytes }: FolderFiles): void {
    this.#sent = { files: files.length, bytes: totalBytes };
    this.#options.onChange(true);
  }

  onProgress(machine: MachineName, text: string): void {
    this.#machines.set(this.#nameOf(machine), { ready: false, progress: text });
    this.#say("info", `${this.#nameOf(machine)}: ${text}`);
    this.#options.onChange(false);
  }

  onReady(machine: MachineName): void {
    this.#machines.set(this.#nameOf(machine), { ready: true });
    this.#options.onChange(true);
  }

  onJob(job: ScriptJob): void {
    this.#job = job;
    this.#runningSince = this.#now();
    if (this.#isStopped) job.stop();
    else this.#enter("running");
  }

  onTask(name: TaskName, exit: TaskExit | undefined, isOwn: boolean): void {
    const task = this.#tasks.get(shortTaskText(name));
    if (!task) return;
    if (exit) {
      task.state = exit.code === 0 ? "ended" : isOwn ? "failed" : "stopped";
      task.exit = howItEnded(exit);
      delete task.load;
    } else {
      task.state = "running";
      task.starts++;
      delete task.exit;
      // Started again, it goes back to a checkpoint.
      if (task.starts > 1) for (const series of this.#series.values()) series.mayGoBack = true;
    }
    this.#options.onChange(true);
  }

  onLine(name: TaskName, line: LogLine): void {
    const text = shortTaskText(name);
    const task = this.#tasks.get(text);
    const progress = progressOf(line.text);
    if (task && progress) {
      // A step of the epoch says less than the epoch out of so many.
      const says = progress.total !== undefined || task.progress?.total === undefined;
      if (says) task.progress = progress;
      this.#options.onChange(false);
    }
    this.#options.onLine(text, line);
  }

  onNotice(text: string): void {
    this.#say("warning", text);
    this.#options.onChange(true);
  }

  onScalars(machine: MachineName, points: readonly FolderScalar[]): void {
    for (const point of points) this.#add(this.#nameOf(machine), point);
    this.#options.onChange(false);
  }

  onLoads(machine: MachineName, loads: readonly TaskLoad[]): void {
    const name = this.#nameOf(machine);
    for (const { task, cpuPercent, memoryBytes } of loads) {
      const known = this.#tasks.get(task);
      if (known?.machine === name && known.state === "running") known.load = { cpuPercent, memoryBytes };
    }
    this.#options.onChange(false);
  }

  onCollected(machine: MachineName, { folder, files, bytes, leftOut }: Collected): void {
    this.#collected.push({ machine: this.#nameOf(machine), folder, files, bytes, leftOut: [...leftOut] });
    this.#options.onChange(true);
  }

  /** It has ended, with a result. */
  finished({ outcome, problem }: JobResult): void {
    this.#problem = problem;
    this.#over(outcome.kind);
  }

  /** It could not be started, or was given up before. */
  notStarted(error: unknown): void {
    if (this.#isStopped) this.#over("stopped");
    else {
      this.#problem = problemOf(error);
      this.#over("failed");
    }
  }

  lines(task: string, after: number): LogLine[] {
    if (task === "") return this.#notices.after(after);
    const [, job = "", index = ""] = /^(\w+)\/(\d+)$/.exec(task) ?? [];
    return this.#job?.lines({ job, index: Number(index) }, after) ?? [];
  }

  curves(): ScriptCurve[] {
    return [...this.#series.values()].map(({ machine, folder, tag, values }) => ({
      ...values.curve(tag),
      ...{ machine, folder },
    }));
  }

  shown(): ShownJob {
    const { id, request, script, folder } = this.#options;
    return defined({
      ...{ id, request, script },
      folder: basename(folder),
      state: this.#state,
      startedAt: this.#startedAt,
      runningSince: this.#runningSince,
      endedAt: this.#endedAt,
      tasks: [...this.#tasks.values()].map((task) => ({ ...task })),
      machines: [...this.#machines].map(([name, state]) => ({ name, ...state })),
      sent: this.#sent,
      restartsLeft: this.#job?.restartsLeft ?? request.restarts,
      scalars: [...this.#series.values()].map(({ machine, folder: within, tag, values, step }) => ({
        ...values.summary(tag),
        ...{ machine, step, folder: within },
      })),
      collected: [...this.#collected],
      problem: this.#problem,
    });
  }

  #add(machine: string, { folder, tag, step, value }: FolderScalar): void {
    const key = JSON.stringify([machine, folder, tag]);
    const series = this.#series.get(key) ?? {
      ...{ machine, folder, tag, step: Number.NEGATIVE_INFINITY, mayGoBack: false },
      values: new ScalarSeries(),
    };
    if (!this.#series.has(key)) {
      if (this.#series.size === MOST_CURVES) return;
      this.#series.set(key, series);
    }
    if (step <= series.step) {
      // If several tasks write into one folder, the one that is ahead is drawn.
      if (!series.mayGoBack) return;
      series.values.rewindTo(step);
    }
    series.mayGoBack = false;
    series.step = step;
    series.values.add(step, value);
  }

  #nameOf({ id }: MachineName): string {
    return this.#options.nameOf(id);
  }

  #say(level: LogLine["level"], text: string): void {
    this.#options.onLine("", this.#notices.append(level, text, this.#now()));
  }

  #enter(state: ScriptJobState): void {
    this.#state = state;
    this.#options.onChange(true);
  }

  #over(state: "succeeded" | "stopped" | "failed"): void {
    this.#endedAt = this.#now();
    for (const task of this.#tasks.values()) if (task.state === "waiting") task.state = "stopped";
    this.#enter(state);
  }
}
