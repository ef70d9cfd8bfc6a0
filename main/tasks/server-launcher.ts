/** Tasks as servers of the worker runtime: each is a separate process that ends with this one. */
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { collectiveConfig } from "../../worker-runtime/cluster/collective-leader.js";
import { hasNvidiaGpu } from "../../worker-runtime/engines/nvidia.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import type { LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { homeFolder } from "../shared/home-folder.js";
import { messageOf, problem } from "../shared/problems.js";
import type { LaunchTask, TaskProcess } from "./launcher.js";

/** By default CUDA numbers the fastest GPU first; its numbers match nvidia-smi's only when ordered by bus. */
const GPU_ORDER = { CUDA_DEVICE_ORDER: "PCI_BUS_ID" };

/** The address that TensorFlow's own server listens on, regardless of its address in the cluster. */
const EVERY_ADDRESS = "::";

/** The facts that the application has when a task is launched. */
export interface LaunchKnowledge {
  /** The libtensorflow to use; while it is not known, the task looks for one itself. */
  readonly library: () => string | undefined;
  /** Folders that graphs on the portable engine may read and write. */
  readonly graphFolders: () => readonly string[];
}

export function serverLauncher({ library, graphFolders }: LaunchKnowledge): LaunchTask {
  return ({ engine, plan, commandPrefix, onLine }) => {
    const isPortable = engine === "portable";
    const server = Server.launch({
      cluster: plan.cluster,
      jobName: plan.job,
      taskIndex: plan.index,
      config: collectiveConfig(ClusterSpec.from(plan.cluster)),
      engine,
      ...(isPortable
        ? { bind: plan.isolate ? "localhost" : EVERY_ADDRESS, files: graphFolders() }
        : { library: library() }),
      gpu: plan.gpu,
      env: GPU_ORDER,
      cwd: homeFolder(),
      commandPrefix,
      // The address is one that the application chose on this machine.
      checkAddress: false,
      onLog: ({ text, level }) => onLine(text, levels[level]),
    });
    const process: TaskProcess = {
      get pid() {
        return server.pid;
      },
      ready: server.ready.catch((error: unknown) => {
        throw startProblem(error);
      }),
      exited: server.exited,
      ...(isPortable ? { isolated: plan.isolate } : {}),
      notice: async () => (isPortable ? undefined : await gpuNotice(server)),
      stop: () => server.stop(),
    };
    // Reported to the code that awaits it.
    process.ready.catch(() => undefined);
    return process;
  };
}

const levels = { info: "info", warning: "warning", error: "error", fatal: "error" } as const satisfies Record<
  string,
  LogLine["level"]
>;

/** Why a server failed to start; with a hint where the user can fix it here. */
function startProblem(error: unknown): unknown {
  if (!(error instanceof TensorFlowError) || error.code !== StatusCode.NOT_FOUND) return error;
  return problem("NOT_FOUND", "There is no TensorFlow runtime on this machine.", {
    remedy: "Install the runtime, then start the task again.",
    details: messageOf(error),
  });
}

/** Why the machine's GPU is not used, if it has one that could be. */
async function gpuNotice(server: Server): Promise<Problem | undefined> {
  if ((await hasNvidiaGpu()) !== true) return undefined;
  const { devices, problems } = await server.gpu();
  const [likeliest] = problems;
  if (devices.length > 0 || !likeliest || likeliest.kind === "hidden") return undefined;
  return {
    code: "FAILED_PRECONDITION",
    message: "The GPU of this machine is not used.",
    reason: likeliest.what,
    remedy: likeliest.todo,
  };
}
