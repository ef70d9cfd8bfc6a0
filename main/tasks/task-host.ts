/**
 * A machine as a place for tasks: this one through its supervisor, another one through its agent. The cluster is made of
 * them and does not ask which kind they are.
 */
import type { Device, Engine, GpuChoice, LogLine, TaskState } from "../api/cluster.js";
import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import type { TaskSample } from "../api/samples.js";
import type { ClusterTasks } from "./launcher.js";

/** The cluster passed to the server of a fixed cluster; a task of a dynamic one starts alone. */
export interface FixedCluster {
  readonly cluster: ClusterTasks;
}

/** A task as the cluster wants it. */
export interface TaskOrder {
  /** Chosen by the ordering side, so that a repeated order does not create a second task. */
  readonly taskId: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
  /** 0: any that is free. */
  readonly port: number;
  readonly fixed?: FixedCluster;
  /** Whether the raw port is to be closed to everything outside of the machine, where that is possible. */
  readonly isolate: boolean;
  /** Device ID of the machine that wants it. */
  readonly owner: string;
}

/** A task as reported by its machine. */
export interface HostTask {
  readonly id: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
  /** 0 until it is chosen. */
  readonly port: number;
  readonly state: TaskState;
  readonly pid?: number;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  /** Named by the task's own job and index, regardless of those of its server. */
  readonly devices: readonly Device[];
  readonly problem?: Problem;
  readonly notice?: Problem;
  /** Changes whenever another server takes this index; absent while none has answered. */
  readonly incarnation?: string;
  /** Whether the raw port is closed to everything outside of the machine. */
  readonly isolated: boolean;
  /** Whether its server knows a whole ClusterSpec from its start; otherwise it started alone. */
  readonly fixed: boolean;
  readonly owner: string;
}

/** Measurements of tasks, by their ids. */
export type TaskSamples = ReadonlyMap<string, TaskSample>;

export interface TaskHost {
  /** The engines of the machine, the preferred one first. The machine detects them before it answers. */
  engines?(): Promise<MachineFacts["engines"]>;
  /** In the order in which they were made. */
  tasks(): readonly HostTask[];
  /**
   * Creates a task and starts it. Resolves when it is listed, not when it is up: failures to start show in its state.
   *
   * @throws ProblemError FAILED_PRECONDITION when the port is taken; PERMISSION_DENIED, UNAVAILABLE of another machine.
   */
  start(order: TaskOrder): Promise<HostTask>;
  /** Starts a task that is stopped or has failed; does nothing for one that runs. */
  startAgain(taskId: string, fixed?: FixedCluster): Promise<void>;
  /** Resolves when the process is gone. */
  stop(taskId: string): Promise<void>;
  /** Stops a task and takes it off the list. */
  remove(taskId: string): Promise<void>;
  /** Forgets variables, queues and sessions of a task. */
  clearState(taskId: string): Promise<void>;
  /** The stored part of a task's log after a sequence number. */
  log(taskId: string, afterSequence: number): Promise<LogLine[]>;
  /** Calls the listener after every change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Calls the listener with measurements, once a second while tasks run, until the returned function is called. */
  onSamples(listener: (samples: TaskSamples) => void): () => void;
  /** Calls the listener with new lines of any task's log, until the returned function is called. */
  onLog(listener: (taskId: string, lines: LogLine[]) => void): () => void;
}
