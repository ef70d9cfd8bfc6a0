/** How a supervised task becomes a process: what the supervisor asks of an engine, and nothing more. */
import type { Engine, LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";

/** Addresses by index, by job. */
export type ClusterTasks = Readonly<Record<string, Readonly<Record<number, string>>>>;

/** What a task's server is told of its place. */
export interface TaskPlan {
  /** The members that the server knows from its start. */
  readonly cluster: ClusterTasks;
  /** Job and index that the server goes by; in a dynamic cluster not the ones that sessions give it. */
  readonly job: string;
  readonly index: number;
  readonly port: number;
  /** GPUs that it sees: "auto" (all of them), "none", or numbers by nvidia-smi's count, "0,1". */
  readonly gpu: string;
  /** Whether its port is to be closed to everything outside of the machine, where that is possible. */
  readonly isolate: boolean;
  /** Whether it may start where its port stays open to the network. */
  readonly mayBeExposed: boolean;
}

export interface LaunchRequest {
  readonly engine: Engine;
  readonly plan: TaskPlan;
  /** What the process's command line begins with: a program that becomes the one after it, with its flags. */
  readonly commandPrefix?: readonly string[];
  /** Called for every line that the process writes. */
  readonly onLine: (text: string, level?: LogLine["level"]) => void;
}

/** How a process ended. */
export interface TaskExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface TaskProcess {
  /** Absent until the system has made the process. */
  readonly pid: number | undefined;
  /**
   * Resolves when the server accepts calls; rejects with what kept it from that, at the latest when the
   * process has ended.
   */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended, however it came to that. Never rejects. */
  readonly exited: Promise<TaskExit>;
  /** Whether the port is closed to everything outside of the machine; absent: it is not. */
  readonly isolated?: boolean;
  /** A warning of the engine that does not keep the task from working; asked for once it is ready. */
  notice(): Promise<Problem | undefined>;
  /** Ends the process, by force when it does not obey; resolves when it is gone. */
  stop(): Promise<void>;
}

export type LaunchTask = (request: LaunchRequest) => TaskProcess;
