/** The arguments of `tensordeck submit`. */
import { statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { type CommandSpec, type ParsedArgs, parseArgs } from "../../../worker-runtime/cli/args.js";
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { dataFolder } from "../../../worker-runtime/engines/tensorflow/data-folder.js";
import type { ContextChoice } from "../../kubernetes/kube-config.js";
import { PLACE_OPTIONS, podSizeOf } from "../../kubernetes/scripts/place.js";
import type { PodSize } from "../../kubernetes/scripts/script-manifests.js";
import { isInnerPath, MOST_JOB_BYTES } from "../../scripts/files/file-paths.js";
import { parseTasks } from "../../scripts/script-tasks.js";
import { problem } from "../../shared/problems.js";
import { DEFAULT_MAX_MB, type JobSettings } from "../../submit/job-settings.js";

export const submitCommand: CommandSpec = {
  name: "tensordeck submit",
  summary:
    "Runs a Python training script as the tasks of a cluster, here, on paired machines or in Kubernetes, and prints their output.",
  positionals: "SCRIPT [-- ARGUMENTS]",
  flags: [
    {
      name: "on",
      value: "JOBS",
      help: "The number of tasks of each job, as in worker:2,ps:1,chief:1 (default worker:1).",
    },
    {
      name: "machine",
      value: "NAME",
      help: "A paired machine that runs tasks, by name or device ID, or localhost for this one; tasks are assigned in turn (default: this machine).",
      repeated: true,
    },
    {
      name: "python",
      value: "PATH",
      help: "The Python on every machine, or its virtual environment (default: .venv beside the script, then the system's).",
    },
    {
      name: "requirements",
      value: "FILE",
      help: "The packages to install, within the script's folder (default: its uv.lock, pylock.toml or requirements.txt, unless a Python or .venv is there).",
    },
    {
      name: "restart",
      value: "N",
      help: "Restart failed tasks, N times altogether (default 0: the first failure ends the job).",
    },
    {
      name: "cluster_flags",
      help: "Also pass --job_name, --task_index, --ps_hosts and --worker_hosts to the script.",
    },
    {
      name: "network",
      help: "Let the script use the network. TensorFlow's servers of a job with several tasks are then open to it.",
    },
    {
      name: "outputs",
      value: "FOLDER",
      help: "Bring back only files that tasks elsewhere create or change below this folder of the script's folder.",
    },
    {
      name: "max_mb",
      value: "MB",
      help: `The most data of the script's folder that is sent to a machine (default ${DEFAULT_MAX_MB}).`,
    },
    {
      name: "kube",
      help: "Run the tasks in Kubernetes, each as a Job with one pod, in place of machines.",
    },
    { name: "kubeconfig", value: "FILE", help: "With --kube. Default: as kubectl finds it." },
    {
      name: "context",
      value: "NAME",
      help: "With --kube: a context of the kubeconfig (default: the current one).",
    },
    { name: "namespace", value: "NAME", help: "With --kube (default: the one of the context)." },
    {
      name: "image",
      value: "IMAGE",
      help: "With --kube: the container image, which has sh, tar, head, find and a Python with TensorFlow (default: TensorFlow's own, with CUDA if GPUs are asked for).",
    },
    { name: "cpus", value: "N", help: "With --kube: processor cores for each task; a fraction such as 0.5." },
    { name: "memory", value: "SIZE", help: "With --kube: memory for each task, such as 512Mi or 4Gi." },
    {
      name: "gpus",
      value: "N",
      help: "With --kube: GPUs (nvidia.com/gpu) for each task except those of job ps (default 0).",
    },
    { name: "timestamps", help: "Begin each line with the time." },
    {
      name: "data_dir",
      value: "FOLDER",
      help: `The folder of this machine's identity, paired machines and environments (default ${dataFolder()}).`,
    },
  ],
  notes: `
To paired machines, which grant this one the role run, it sends the files of the script's folder that Git does not ignore,
each content once, and brings back what the tasks create or change, to runs/ beside the script.

With --kube, the same files are copied into each pod through the API server, requirements.txt is installed there, and what
the tasks make comes back; the Jobs are deleted when the job is over. It needs the rights to create and delete jobs,
services and network policies, to watch pods, to read their logs, and to run commands in them (pods/exec).

Each task gets TF_CONFIG with the addresses of all tasks, and a GPU of its machine unless it is a ps. The job ends with
its last worker; with a chief and ps tasks (ParameterServerStrategy), with the chief. Ctrl+C ends all tasks, a second one
by force. The exit status is 0, or that of the task that failed.

examples:
  tensordeck submit train.py --on worker:2                     # MultiWorkerMirroredStrategy
  tensordeck submit train.py --on chief:1,worker:2,ps:1        # ParameterServerStrategy
  tensordeck submit train.py --on worker:1 --machine gpu-pc    # on the GPU of a paired machine
  tensordeck submit train.py --on worker:4 --kube --gpus 1 --memory 8Gi
  tensordeck submit mnist_replica.py --on ps:1,worker:2 --cluster_flags -- --train_steps 200`,
};

export interface SubmitOptions extends JobSettings {
  readonly help: boolean;
  readonly tasks: readonly TaskName[];
  /** Names or device IDs of machines; empty for this one alone. */
  readonly machines: readonly string[];
  readonly timestamps: boolean;
  readonly dataDir: string;
  /** Where in Kubernetes the tasks run; absent: on machines. */
  readonly kube: KubePlace | undefined;
}

export interface KubePlace extends ContextChoice {
  readonly namespace: string | undefined;
  readonly size: PodSize;
}

/** @throws TensorFlowError or ProblemError INVALID_ARGUMENT, NOT_FOUND for a script that does not exist. */
export function readSubmitOptions(args: readonly string[]): SubmitOptions {
  const parsed = parseArgs(submitCommand, args);
  const help = parsed.has("help");
  const [script = "", ...scriptArgs] = parsed.positionals;
  const path = resolve(script);
  if (!help) checkScript(script, path);
  const folder = dirname(path);
  const dataDir = parsed.get("data_dir");
  return {
    help,
    folder,
    script: relative(folder, path).split(sep).join("/"),
    args: scriptArgs,
    tasks: parseTasks(parsed.get("on") ?? "worker:1"),
    machines: parsed.all("machine"),
    outputs: outputsOf(parsed.get("outputs")),
    maxBytes: (parsed.integer("max_mb", 1, MOST_JOB_BYTES / 1e6) ?? DEFAULT_MAX_MB) * 1e6,
    python: parsed.get("python"),
    requirements: parsed.get("requirements"),
    restarts: parsed.integer("restart", 0, 1000) ?? 0,
    passFlags: parsed.has("cluster_flags"),
    network: parsed.has("network"),
    scalars: false,
    timestamps: parsed.has("timestamps"),
    dataDir: dataDir === undefined ? dataFolder() : resolve(dataDir),
    kube: kubeOf(parsed),
  };
}

/** @throws ProblemError INVALID_ARGUMENT for options that contradict each other, or have no such value */
function kubeOf(parsed: ParsedArgs): KubePlace | undefined {
  const given = KUBE_FLAGS.filter((name) => parsed.get(name) !== undefined);
  if (!parsed.has("kube")) {
    if (given.length === 0) return undefined;
    throw problem("INVALID_ARGUMENT", `--${given[0]} applies only to scripts in Kubernetes.`, {
      remedy: "Add --kube, or remove it.",
    });
  }
  if (parsed.all("machine").length > 0) {
    throw problem("INVALID_ARGUMENT", "A script runs either in Kubernetes or on machines.", {
      reason: "Pods and machines of a LAN cannot reach each other.",
      remedy: "Remove --kube or --machine.",
    });
  }
  const [image, cpus, memory, gpus] = PLACE_OPTIONS.map((name) => parsed.get(name));
  return {
    kubeconfig: parsed.get("kubeconfig"),
    context: parsed.get("context"),
    namespace: parsed.get("namespace"),
    size: podSizeOf({ image, cpus, memory, gpus }),
  };
}

const KUBE_FLAGS = ["kubeconfig", "context", "namespace", ...PLACE_OPTIONS] as const;

function outputsOf(text: string | undefined): string | undefined {
  const path = text?.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/+$/, "");
  if (path === undefined || isInnerPath(path)) return path;
  throw problem("INVALID_ARGUMENT", `--outputs must be a folder within the script's folder, not "${text}".`, {
    remedy: "Give its path as the script writes it, as in --outputs checkpoints.",
  });
}

function checkScript(script: string, path: string): void {
  if (script === "") {
    throw problem("INVALID_ARGUMENT", "No script was given.", {
      remedy: "Give the path of a Python script: tensordeck submit train.py.",
    });
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  throw problem("NOT_FOUND", `There is no script ${script}.`, {
    remedy: "Give the path of a Python script. Arguments for the script follow after --.",
  });
}
