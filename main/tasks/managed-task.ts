/**
 * One task of this machine: a member of the cluster that outlives its processes. All changes of its state happen here,
 * and each is reported.
 */

import { delay } from "../../worker-runtime/cancellation/delay.js";
import { deviceOfTask } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Device, Engine, GpuChoice, LogLine, TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { defined, problemOf } from "../shared/problems.js";
import { exitProblem, startProblem } from "./exit-problem.js";
import {
  HEALTH_INTERVAL_MILLIS,
  type Health,
  type HealthProbe,
  MISSES_UNTIL_UNRESPONSIVE,
  type OpenProbe,
} from "./health.js";
import type { LaunchTask, TaskExit, TaskPlan, TaskProcess } from "./launcher.js";
import { LogRing, levelOfLine } from "./log-ring.js";
import type { HostTask } from "./task-host.js";

/** Loading TensorFlow takes half a second if its files are cached, and many seconds from a slow memory card. */
const START_DEADLINE_MILLIS = 90_000;
const FIRST_ANSWER_INTERVAL_MILLIS = 100;
/** A server is checked where it runs, regardless of the names that others use for this machine. */
const OWN_HOST = "localhost";
/** Number of log lines shown with an unexpected end. */
const LAST_LINES = 20;

export interface TaskIdentity {
  readonly id: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
  /** Device ID of the machine that wants it. */
  readonly owner: string;
}

export interface TaskCollaborators {
  readonly launch: LaunchTask;
  readonly openProbe: OpenProbe;
  /** The state has changed. */
  readonly onChange: () => void;
  readonly onLine: (line: LogLine) => void;
}

/** One process in the life of a task. */
interface Life {
  readonly process: TaskProcess;
  readonly plan: TaskPlan;
  /** Aborted when the process has ended or is to end. */
  readonly over: AbortController;
  /** Resolves when the process is gone and the state reflects that. */
  readonly settled: Promise<void>;
  /** The reason why it did not accept calls. */
  startProblem?: Problem;
  stopping: boolean;
}

export class ManagedTask {
  readonly identity: TaskIdentity;
  readonly #collaborators: TaskCollaborators;
  readonly #log = new LogRing();
  #state: TaskState = "stopped";
  #port = 0;
  #startedAt: number | undefined;
  #devices: readonly Device[] = [];
  #incarnation: string | undefined;
  #problem: Problem | undefined;
  #notice: Problem | undefined;
  /** Set if and only if a process exists or is being started. */
  #life: Life | undefined;

  constructor(identity: TaskIdentity, collaborators: TaskCollaborators) {
    this.identity = identity;
    this.#collaborators = collaborators;
  }

  /** "worker/0" */
  get name(): string {
    return `${this.identity.job}/${this.identity.index}`;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** 0 until it is chosen. */
  get port(): number {
    return this.#port;
  }

  /** Whether a process was created and has not ended. */
  get hasProcess(): boolean {
    return this.#life !== undefined;
  }

  /** Process of the task, while there is one. */
  get pid(): number | undefined {
    return this.#life?.process.pid;
  }

  /** Without the facts that only its host knows. */
  snapshot(): Omit<HostTask, "fixed"> {
    return defined({
      ...this.identity,
      port: this.#port,
      state: this.#state,
      pid: this.pid,
      startedAt: this.#startedAt,
      devices: this.#devices,
      problem: this.#problem,
      notice: this.#notice,
      incarnation: this.#incarnation,
      isolated: this.#life?.process.isolated === true,
    });
  }

  logAfter(sequence: number): LogLine[] {
    return this.#log.after(sequence);
  }

  /** Sets the port ahead of the start, so that others can be told of it. */
  setPort(port: number): void {
    this.#port = port;
  }

  /** Marks the task as about to be started. Returns false if it is already up or coming up. */
  announceStart(): boolean {
    if (this.#state !== "stopped" && this.#state !== "failed") return false;
    this.#problem = undefined;
    this.#setState("starting");
    return true;
  }

  /** Starts a process for the task. Does nothing while there is one. Returns before the server is up. */
  start(plan: TaskPlan): void {
    if (this.#life) return;
    this.#port = plan.port;
    this.#problem = undefined;
    this.#notice = undefined;
    this.#devices = [];
    this.#incarnation = undefined;
    this.#startedAt = Date.now();
    let process: TaskProcess;
    try {
      process = this.#collaborators.launch({
        engine: this.identity.engine,
        plan,
        onLine: (text, level) => this.#append(level ?? levelOfLine(text), text),
      });
    } catch (error) {
      this.fail(problemOf(error));
      return;
    }
    const over = new AbortController();
    const settled = process.exited.then(async (exit) => {
      // The reason of a failed start is more informative than the exit code.
      await process.ready.catch((error: unknown) => {
        life.startProblem ??= problemOf(error);
      });
      this.#ended(life, exit);
    });
    const life: Life = { process, plan, over, settled, stopping: false };
    this.#life = life;
    this.#setState("starting");
    inBackground(this.#watch(life));
  }

  /** Ends the process, if there is one; resolves when it is gone. */
  async stop(): Promise<void> {
    const life = this.#life;
    if (!life) {
      // Stopping acknowledges a failure, and cancels a start that was only announced.
      if (this.#state === "failed" || this.#state === "starting") this.#setState("stopped");
      return;
    }
    life.stopping = true;
    life.over.abort();
    this.#setState("stopping");
    await life.process.stop();
    await life.settled;
  }

  /** Records that the task could not even be started. */
  fail(problem: Problem): void {
    this.#problem = { ...problem, task: this.name };
    this.#append("error", problem.message);
    this.#setState("failed");
  }

  async #watch(life: Life): Promise<void> {
    const { signal } = life.over;
    const late = setTimeout(() => inBackground(this.#giveUp(life)), START_DEADLINE_MILLIS);
    let probe: HealthProbe | undefined;
    try {
      await life.process.ready;
      if (signal.aborted) return;
      inBackground(this.#askNotice(life));
      probe = this.#collaborators.openProbe(`${OWN_HOST}:${this.#port}`);
      let misses = 0;
      while (!signal.aborted) {
        try {
          const health = await probe.check(signal);
          if (signal.aborted) return;
          clearTimeout(late);
          misses = 0;
          this.#answered(health, life.plan);
        } catch {
          misses++;
          if (this.#state === "running" && misses >= MISSES_UNTIL_UNRESPONSIVE && !signal.aborted) {
            this.#setState("unresponsive");
          }
        }
        await delay(
          this.#state === "starting" ? FIRST_ANSWER_INTERVAL_MILLIS : HEALTH_INTERVAL_MILLIS,
          signal,
        );
      }
    } catch (error) {
      life.startProblem ??= problemOf(error);
      await life.process.stop();
    } finally {
      clearTimeout(late);
      probe?.close();
    }
  }

  async #askNotice(life: Life): Promise<void> {
    const notice = await life.process.notice().catch(() => undefined);
    if (!notice || this.#life !== life) return;
    this.#notice = { ...notice, task: this.name };
    this.#collaborators.onChange();
  }

  async #giveUp(life: Life): Promise<void> {
    life.startProblem ??= {
      code: "DEADLINE_EXCEEDED",
      message: `${this.name} did not answer within ${START_DEADLINE_MILLIS / 1000} s of its start.`,
      remedy: "Look at its log, then start it again.",
    };
    await life.process.stop();
  }

  #answered(health: Health, plan: TaskPlan): void {
    const wasRunning = this.#state === "running";
    const known = this.#incarnation === health.incarnation;
    this.#incarnation = health.incarnation;
    this.#devices = health.devices.map((device) => ({
      ...device,
      name: deviceOfTask(device.name, this.identity, plan),
    }));
    if (!wasRunning) this.#setState("running");
    else if (!known) this.#collaborators.onChange();
  }

  #ended(life: Life, exit: TaskExit): void {
    life.over.abort();
    this.#life = undefined;
    this.#devices = [];
    this.#incarnation = undefined;
    if (life.stopping) {
      this.#setState("stopped");
      return;
    }
    const lastLines = this.#log.last(LAST_LINES);
    this.fail(
      life.startProblem
        ? startProblem(this.name, life.startProblem, exit, lastLines)
        : exitProblem(this.name, exit, lastLines),
    );
  }

  #append(level: LogLine["level"], text: string): void {
    this.#collaborators.onLine(this.#log.append(level, text));
  }

  #setState(state: TaskState): void {
    this.#state = state;
    this.#collaborators.onChange();
  }
}
