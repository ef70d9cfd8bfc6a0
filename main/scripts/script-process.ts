/** A task of a script as a process on this machine. */
import type { Problem } from "../api/problem.js";
import type { Place } from "../tasks/isolation/isolated-process.js";
import type { TaskExit } from "../tasks/launcher.js";
import type { JobNetwork } from "./job-network.js";
import { ProcessGroup } from "./process-group.js";
import { clusterFlags, type PortedTask, type ScriptCluster, taskVariables } from "./task-environment.js";

/** How a task ended, and why if something other than its output says so. */
export interface ScriptExit extends TaskExit {
  readonly problem?: Problem;
}

/** A task wherever it runs. */
export interface ScriptProcess {
  /** Resolves when it has ended for any reason; rejects with a ProblemError if it could not be started. */
  readonly exited: Promise<ScriptExit>;
  /** The ID of its first process; undefined before it was started, and for one on another machine. */
  readonly pid?: number | undefined;
  /** Asks it to end, and ends it by force after a grace; a second call at once. */
  end(): void;
}

/** The context that the tasks of a job share on one machine. */
export interface ScriptSetup {
  /** The Python and the arguments that go first. */
  readonly python: readonly string[];
  /** Path of the script within the folder. */
  readonly script: string;
  readonly args: readonly string[];
  /** Whether the script reads --job_name, --task_index and hosts. */
  readonly passFlags: boolean;
  /** Working folder. */
  readonly folder: string;
  readonly cluster: ScriptCluster;
  readonly network: JobNetwork;
  readonly graceMillis?: number;
}

export type OnScriptLine = (text: string, stream: "stdout" | "stderr") => void;

/** @param gpus What CUDA_VISIBLE_DEVICES is set to; undefined leaves it alone. */
export function startScript(
  setup: ScriptSetup,
  task: PortedTask,
  gpus: string | undefined,
  onLine: OnScriptLine,
): ScriptProcess {
  let group: ProcessGroup | undefined;
  let wanted = true;
  const end = () => {
    wanted = false;
    group?.end();
  };
  const run = async (place: Place | undefined): Promise<TaskExit> => {
    // It was ended while its place was made.
    if (!wanted) return { code: null, signal: "SIGTERM" };
    const { python, script, args, passFlags, folder, cluster, graceMillis } = setup;
    const flags = passFlags ? clusterFlags(task, cluster) : [];
    group = new ProcessGroup(
      {
        command: [...(place?.command ?? []), ...python, script, ...flags, ...args],
        cwd: folder,
        env: { ...process.env, ...taskVariables(task, cluster, gpus) },
      },
      { onLine, ...(graceMillis !== undefined && { graceMillis }) },
    );
    const exit = await group.exited;
    if (group.startError) onLine(`The Python could not be started: ${group.startError.message}`, "stderr");
    return exit;
  };
  const begin = async (): Promise<TaskExit> => {
    const place = await setup.network.enter(task.port, end);
    try {
      return await run(place);
    } finally {
      await place?.leave();
    }
  };
  const exited = begin();
  return {
    exited,
    end,
    get pid() {
      return group?.pid;
    },
  };
}
