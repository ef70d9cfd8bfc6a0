/** How a supervised task becomes a process: what the supervisor needs from an engine. */
import type { Engine, LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";

/** Addresses by index, by job. */
export type ClusterTasks = Readonly<Record<string, Readonly<Record<number, string>>>>;

/** The cluster information that a task's server gets. */
export interface TaskPlan {
  /** The members that the server knows from its start. */
  readonly cluster: ClusterTasks;
  /** Job and index with which the server is started; in a dynamic cluster not those that sessions assign. */
  readonly job: string;
  readonly index: number;
  readonly port: number;
  /** GPUs that it sees: "auto" (all of them), "none", or nvidia-smi indices, "0,1". */
  readonly gpu: string;
  /** Whether to close its port to everything outside of the machine, where that is possible. */
  readonly isolate: boolean;
  /** Whether it may start if its port stays open to the network. */
  readonly mayBeExposed: boolean;
}

export interface LaunchRequest {
  readonly engine: Engine;
  readonly plan: TaskPlan;
  /** Prefix of the process's command line: a program, with its flags, that executes the one after it. */
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
  /** Absent until the system has created the process. */
  readonly pid: number | undefined;
  /**
   * Resolves when the server accepts calls; rejects with the reason of a failure, at the latest when the
   * process has ended.
   */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended for any reason. Never rejects. */
  readonly exited: Promise<TaskExit>;
  /** Whether the port is closed to everything outside of the machine; absent: it is not. */
  readonly isolated?: boolean;
  /** A non-fatal warning of the engine; read once it is ready. */
  notice(): Promise<Problem | undefined>;
  /** Ends the process, by force if necessary; resolves when it is gone. */
  stop(): Promise<void>;
}

export type LaunchTask = (request: LaunchRequest) => TaskProcess;
