/**
 * The course of a script job: which tasks are started, started again and ended, and how the job ends. Pure: events go
 * in, instructions come out.
 */
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import type { TaskExit } from "../tasks/launcher.js";
import { leadersOf, restartsAlone } from "./script-tasks.js";

export type JobInstruction =
  | { readonly kind: "start"; readonly tasks: readonly TaskName[] }
  /** Their exits are reported like any other. */
  | { readonly kind: "end"; readonly tasks: readonly TaskName[] };

export type JobOutcome =
  | { readonly kind: "succeeded" }
  | { readonly kind: "stopped" }
  /** The task that failed first; the others may have failed because of it. */
  | { readonly kind: "failed"; readonly task: TaskName; readonly exit: TaskExit };

/**
 * - "running": tasks run; those that have ended did so by themselves, with success.
 * - "renewing": a failed task is to be started again with all others, which are ending.
 * - "ending": the outcome is known, and the remaining tasks are ending.
 */
type Phase = "running" | "renewing" | "ending";

export interface JobCourseOptions {
  readonly tasks: readonly TaskName[];
  /** How often failed tasks of the job are started again, altogether. */
  readonly restarts: number;
}

export class JobCourse {
  readonly #tasks: readonly TaskName[];
  readonly #leaders: readonly TaskName[];
  /** Names of the tasks that run, those that are being ended included. */
  readonly #running = new Set<string>();
  #restartsLeft: number;
  #phase: Phase = "running";
  #outcome: JobOutcome | undefined;

  constructor({ tasks, restarts }: JobCourseOptions) {
    this.#tasks = tasks;
    this.#leaders = leadersOf(tasks);
    this.#restartsLeft = restarts;
  }

  /** The first instruction. */
  begin(): JobInstruction[] {
    return this.#startAll();
  }

  /** How the job ended; undefined while a task runs. */
  get outcome(): JobOutcome | undefined {
    return this.#running.size === 0 ? this.#outcome : undefined;
  }

  /** The restarts that are left. */
  get restartsLeft(): number {
    return this.#restartsLeft;
  }

  /** Whether all tasks are started again once they have ended. */
  get willRenew(): boolean {
    return this.#phase === "renewing";
  }

  /** Whether the end of a task now would be its own, not one that was asked for. */
  get isRunning(): boolean {
    return this.#phase === "running";
  }

  exited(task: TaskName, exit: TaskExit): JobInstruction[] {
    this.#running.delete(shortTaskText(task));
    if (this.#phase === "ending") return [];
    if (this.#phase === "renewing") return this.#running.size === 0 ? this.#startAll() : [];
    if (exit.code !== 0) return this.#failed(task, exit);
    const isDone = !this.#leaders.some((leader) => this.#running.has(shortTaskText(leader)));
    return isDone ? this.#end({ kind: "succeeded" }) : [];
  }

  /** The user ends the job. Later calls have no effect. */
  stop(): JobInstruction[] {
    return this.#phase === "ending" ? [] : this.#end({ kind: "stopped" });
  }

  #failed(task: TaskName, exit: TaskExit): JobInstruction[] {
    if (this.#restartsLeft === 0) return this.#end({ kind: "failed", task, exit });
    this.#restartsLeft--;
    if (restartsAlone(task, this.#tasks)) return this.#start([task]);
    if (this.#running.size === 0) return this.#startAll();
    this.#phase = "renewing";
    return [{ kind: "end", tasks: this.#runningTasks() }];
  }

  #end(outcome: JobOutcome): JobInstruction[] {
    this.#phase = "ending";
    this.#outcome = outcome;
    const tasks = this.#runningTasks();
    return tasks.length === 0 ? [] : [{ kind: "end", tasks }];
  }

  #startAll(): JobInstruction[] {
    this.#phase = "running";
    return this.#start(this.#tasks);
  }

  #start(tasks: readonly TaskName[]): JobInstruction[] {
    for (const task of tasks) this.#running.add(shortTaskText(task));
    return [{ kind: "start", tasks }];
  }

  #runningTasks(): TaskName[] {
    return this.#tasks.filter((task) => this.#running.has(shortTaskText(task)));
  }
}
