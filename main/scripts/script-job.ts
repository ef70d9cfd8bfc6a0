/** Runs the tasks of a script together: starts them, gathers their output, ends and restarts them, says how it ended. */
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { deferred } from "../shared/deferred.js";
import { problemOf } from "../shared/problems.js";
import type { TaskExit } from "../tasks/launcher.js";
import { LogRing, levelOfLine } from "../tasks/log-ring.js";
import { JobCourse, type JobInstruction, type JobOutcome } from "./job-course.js";
import type { OnScriptLine, ScriptProcess } from "./script-process.js";
import { taskFailure } from "./task-failure.js";

/** Enough for the traceback of an error in compiled functions, which quotes itself. */
const FAILURE_LINES = 400;

export interface ScriptJobEvents {
  readonly onLine: (task: TaskName, line: LogLine, stream: "stdout" | "stderr") => void;
  /** A task has started, or ended with this exit. @param isOwn Whether it ended by itself, not because it was asked to. */
  readonly onTask?: (task: TaskName, exit: TaskExit | undefined, isOwn: boolean) => void;
  /** Receives the job's events, as sentences. */
  readonly onNotice: (text: string) => void;
}

export interface ScriptJobOptions extends ScriptJobEvents {
  readonly tasks: readonly TaskName[];
  /** How often failed tasks are started again, altogether. */
  readonly restarts: number;
  readonly start: (task: TaskName, onLine: OnScriptLine) => ScriptProcess;
  /** The given requirements, for the advice when a module is missing. */
  readonly requirements?: string | undefined;
  readonly isIsolated?: (task: TaskName) => boolean;
  /** The name of the machine that a task runs on, if it is another one than this. */
  readonly machineOf?: (task: TaskName) => string | undefined;
}

export interface JobResult {
  readonly outcome: JobOutcome;
  /** Why it failed. */
  readonly problem?: Problem;
  /** How each task ended last, by name ("worker/0"). */
  readonly exits: ReadonlyMap<string, TaskExit>;
}

export class ScriptJob {
  /** Resolves when every task has ended. Never rejects. */
  readonly finished: Promise<JobResult>;
  readonly #options: ScriptJobOptions;
  readonly #course: JobCourse;
  readonly #processes = new Map<string, ScriptProcess>();
  readonly #logs = new Map<string, LogRing>();
  readonly #exits = new Map<string, TaskExit>();
  readonly #end = deferred<JobResult>();
  #problem: Problem | undefined;

  constructor(options: ScriptJobOptions) {
    this.#options = options;
    this.#course = new JobCourse(options);
    this.finished = this.#end.promise;
    this.#follow(this.#course.begin());
  }

  /** Ends all tasks; a second call ends them by force. */
  stop(): void {
    this.#follow(this.#course.stop());
  }

  /** Ends by force what was asked to end. */
  kill(): void {
    for (const process of this.#processes.values()) process.end();
  }

  /** The lines of a task that are kept, after a sequence number. */
  lines(task: TaskName, after = -1): LogLine[] {
    return this.#logs.get(shortTaskText(task))?.after(after) ?? [];
  }

  /** How often failed tasks will still be started again. */
  get restartsLeft(): number {
    return this.#course.restartsLeft;
  }

  #follow(instructions: readonly JobInstruction[]): void {
    for (const { kind, tasks } of instructions) {
      for (const task of tasks) {
        if (kind === "start") this.#start(task);
        else this.#processes.get(shortTaskText(task))?.end();
      }
    }
    const { outcome } = this.#course;
    if (outcome === undefined) return;
    this.#end.resolve({ outcome, exits: this.#exits, ...(this.#problem && { problem: this.#problem }) });
  }

  #start(task: TaskName): void {
    const name = shortTaskText(task);
    const log = this.#logs.get(name) ?? new LogRing();
    this.#logs.set(name, log);
    const process = this.#options.start(task, (text, stream) =>
      this.#options.onLine(task, log.append(levelOfLine(text), text), stream),
    );
    this.#processes.set(name, process);
    this.#options.onTask?.(task, undefined, true);
    inBackground(
      process.exited.then(
        ({ code, signal, problem }) => this.#exited(task, { code, signal }, problem),
        (error: unknown) => this.#exited(task, { code: null, signal: null }, problemOf(error)),
      ),
    );
  }

  #exited(task: TaskName, exit: TaskExit, why?: Problem): void {
    const name = shortTaskText(task);
    this.#processes.delete(name);
    this.#exits.set(name, exit);
    this.#options.onTask?.(task, exit, this.#course.isRunning);
    const isOwn = this.#course.isRunning && exit.code !== 0;
    const failure = isOwn ? (why ?? this.#failureOf(task, exit)) : undefined;
    const instructions = this.#course.exited(task, exit);
    if (failure) this.#tellFailure(failure, instructions);
    this.#follow(instructions);
  }

  #tellFailure(failure: Problem, instructions: readonly JobInstruction[]): void {
    if (!this.#course.isRunning && !this.#course.willRenew) {
      this.#problem = failure;
      return;
    }
    const isAlone = instructions.every(({ kind, tasks }) => kind === "start" && tasks.length === 1);
    const what = isAlone ? "it is" : "all tasks are";
    const left = this.#course.restartsLeft;
    this.#options.onNotice(
      `${failure.message}${failure.reason === undefined ? "" : ` ${failure.reason}`} Now ${what} started again (${left} restart${left === 1 ? "" : "s"} left).`,
    );
  }

  #failureOf(task: TaskName, exit: TaskExit): Problem {
    const { requirements, isIsolated, machineOf } = this.#options;
    const lines = this.#logs.get(shortTaskText(task))?.last(FAILURE_LINES) ?? [];
    return taskFailure({
      ...{ task, exit, requirements, machine: machineOf?.(task) },
      lines: lines.map(({ text }) => text),
      isolated: isIsolated?.(task),
    });
  }
}
