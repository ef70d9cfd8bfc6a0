/** A machine that runs tasks of a submitted script: this one or a paired one. */
import type { Socket } from "node:net";
import type { TaskName } from "../../worker-runtime/cluster/device-name.js";
import type { FolderScalar } from "../scripts/curves/event-folder.js";
import type { FolderFiles } from "../scripts/files/script-files.js";
import type { PortPlan } from "../scripts/job-ports.js";
import type { OnScriptLine, ScriptProcess } from "../scripts/script-process.js";
import type { PortedTask, ScriptCluster } from "../scripts/task-environment.js";
import type { TaskLoad } from "../scripts/task-loads.js";

/** The request with which a machine starts tasks. */
export interface MachineJob extends PortPlan {
  /** The tasks of this machine. */
  readonly tasks: readonly PortedTask[];
  readonly cluster: ScriptCluster;
  /** The files of the script's folder; undefined if no machine needs them. */
  readonly files: FolderFiles | undefined;
}

export interface Prepared {
  readonly isIsolated: boolean;
  /** Why the network reaches the tasks, as a sentence; undefined if it does not. */
  readonly obstacle?: string | undefined;
  /** Name of the file of requirements that its Python has. */
  readonly requirements?: string | undefined;
}

export interface Collected {
  /** Folder to which the files came. */
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: readonly string[];
}

/** The events on a machine while it runs a job. */
export interface MachineEvents {
  /** Its preparations before the tasks start, as a line. */
  readonly onProgress: (machine: MachineName, text: string) => void;
  readonly onScalars: (machine: MachineName, points: readonly FolderScalar[]) => void;
  /** The load of its tasks; nothing is measured if left out. */
  readonly onLoads?: (machine: MachineName, loads: readonly TaskLoad[]) => void;
}

export interface MachineName {
  /** Its device ID; undefined for this machine. */
  readonly id: string | undefined;
  readonly name: string;
}

export interface JobMachine extends MachineName {
  /** Reserves the ports that it needs, in place of those reserved before. @returns those that it cannot have. */
  reserve(plan: PortPlan): Promise<readonly number[]>;
  prepare(job: MachineJob): Promise<Prepared>;
  start(task: TaskName, onLine: OnScriptLine): ScriptProcess;
  /** A connection to a task of it. */
  connect(port: number): Promise<Socket>;
  /** Ends the curves, and brings back what the tasks made; undefined if that is here already. */
  collect(): Promise<Collected | undefined>;
  /** Ends everything that the job has there. */
  close(): Promise<void>;
}
