/** The settings of a script's job. */
import type { TaskName } from "../../worker-runtime/cluster/device-name.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import type { TaskDevice } from "../scripts/task-environment.js";

/** Most data of a script's folder that is sent to a machine, unless the user says otherwise. */
export const DEFAULT_MAX_MB = 200;

export interface JobSettings {
  /** The script's folder, which is the working folder of its tasks. */
  readonly folder: string;
  /** Path of the script within the folder. */
  readonly script: string;
  readonly args: readonly string[];
  /** Path within the script's folder below which outputs come back; undefined for all; false for none. */
  readonly outputs: string | false | undefined;
  /** Most bytes of the folder to send. */
  readonly maxBytes: number;
  /** The Python on every machine; undefined for the one that is found there. */
  readonly python: string | undefined;
  /** The file of requirements that was chosen, within the folder. */
  readonly requirements: string | undefined;
  /** How often failed tasks are started again, altogether. */
  readonly restarts: number;
  /** Whether the script takes its cluster from flags. */
  readonly passFlags: boolean;
  /** Whether the tasks may use the network. */
  readonly network: boolean;
  /** Whether the scalars of event files are read while they are written. */
  readonly scalars: boolean;
}

/** A task with the machine that runs it. */
export interface PlannedTask extends TaskName {
  /** A paired machine; undefined for this one. */
  readonly machine: TrustedMachine | undefined;
  readonly device?: TaskDevice | undefined;
}
