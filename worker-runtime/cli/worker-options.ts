import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { clusterFromFlags } from "../cluster/classic.js";
import type { ClusterSpec } from "../cluster/cluster-spec.js";
import { collectiveConfig } from "../cluster/collective-leader.js";
import { makeServerDef } from "../cluster/server-def.js";
import { isEvaluator, parseTfConfig } from "../cluster/tf-config.js";
import type { EngineName } from "../engines/server.js";
import { invalidArgument } from "../protocol/status.js";
import { type CommandSpec, parseArgs } from "./args.js";
import { readClusterFile, readGivenFile } from "./cluster-file.js";
import { engineFlag, readEngine } from "./engine-option.js";
import { type PortableOptions, portableFlags, readPortableOptions } from "./portable-options.js";

export const workerCommand: CommandSpec = {
  name: "tensordeck worker",
  summary:
    "Starts one task of a TensorFlow cluster: a server that any TensorFlow client can use. " +
    "It prints a line `target grpc://host:port` once it accepts calls, and runs until it is stopped.",
  flags: [
    { name: "job_name", value: "NAME", help: 'The job of this task: "worker", "ps" or any name.' },
    { name: "task_index", value: "N", help: "The index of this task within the job, from 0." },
    { name: "ps_hosts", value: "HOSTS", help: "Addresses of job ps: host:port, separated by commas." },
    {
      name: "worker_hosts",
      value: "HOSTS",
      help: "Addresses of job worker: host:port, separated by commas.",
    },
    {
      name: "cluster",
      value: "FILE",
      help: 'The whole cluster as JSON: {"worker": ["host:port", …], "ps": […]}, the same file on every machine. Jobs can have any names.',
    },
    {
      name: "server_def",
      value: "FILE",
      help: "A serialized tensorflow.ServerDef instead of the flags above; - reads it from standard input.",
    },
    {
      name: "port",
      value: "PORT",
      help: "Listen on this port instead of the one in the task's address. Without a cluster: the port of the local server (0: any free one).",
    },
    engineFlag,
    {
      name: "library",
      value: "PATH",
      help: "The libtensorflow to use: a file or its folder. By default, TENSORDECK_LIBTENSORFLOW or the best that is found.",
    },
    {
      name: "gpu",
      value: "WHICH",
      help:
        "GPUs that the task may use: auto (all, on the portable engine the best; none for job ps), none, or numbers with " +
        "commas between.",
    },
    {
      name: "skip_address_check",
      help: "Do not check whether the task's host name resolves to this machine.",
    },
    ...portableFlags,
    {
      name: "watch_stdin",
      help: "Exit when standard input is closed: for a parent process that may die without stopping its tasks.",
    },
  ],
  notes: `
The cluster comes from --server_def, --cluster, --ps_hosts and --worker_hosts, or the environment
variable TF_CONFIG, in this order. Without any, the worker is a local server of its own on a free port.

examples:
  tensordeck worker
  tensordeck worker --cluster clusterspec.json --job_name worker --task_index 0
  tensordeck worker --ps_hosts a:2222 --worker_hosts b:2222,c:2222 --job_name worker --task_index 1

TensorFlow's protocol has no passwords: whoever reaches the port can run any graph on this machine.
With the engine tensorflow a graph can read and write files; with the engine portable only in the
folders of --files. Open the port on trusted networks only.`,
};

export interface WorkerOptions {
  /** undefined: whichever this machine has. */
  readonly engine: EngineName | undefined;
  readonly portable: PortableOptions;
  readonly serverDef: ServerDef;
  readonly library: string | undefined;
  readonly gpu: string;
  readonly checkAddress: boolean;
  readonly watchStdin: boolean;
  /** Only the help was requested. */
  readonly help: boolean;
}

/**
 * The options of a worker, from its flags and the environment.
 * @throws TensorFlowError INVALID_ARGUMENT for invalid or contradictory flags and for invalid clusters, NOT_FOUND for
 *   missing files.
 */
export async function readWorkerOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<WorkerOptions> {
  const parsed = parseArgs(workerCommand, args);
  const gpu = parsed.get("gpu") ?? "auto";
  if (!/^(auto|none|\d+(,\d+)*|GPU-[\w-]+)$/.test(gpu)) {
    throw invalidArgument(
      `--gpu must be auto, none, or numbers separated by commas, such as 0,1, not "${gpu}".`,
    );
  }
  const help = parsed.has("help");
  return {
    engine: readEngine(parsed),
    portable: readPortableOptions(parsed),
    gpu,
    help,
    library: parsed.get("library"),
    checkAddress: !parsed.has("skip_address_check"),
    watchStdin: parsed.has("watch_stdin"),
    serverDef: help
      ? ServerDef.create()
      : await readServerDef(
          {
            jobName: parsed.get("job_name"),
            taskIndex: parsed.integer("task_index", 0, 0x7fffffff),
            port: parsed.integer("port", 0, 65_535),
            psHosts: parsed.get("ps_hosts"),
            workerHosts: parsed.get("worker_hosts"),
            clusterFile: parsed.get("cluster"),
            serverDefFile: parsed.get("server_def"),
          },
          env.TF_CONFIG,
        ),
  };
}

interface TaskFlags {
  readonly jobName: string | undefined;
  readonly taskIndex: number | undefined;
  readonly port: number | undefined;
  readonly psHosts: string | undefined;
  readonly workerHosts: string | undefined;
  readonly clusterFile: string | undefined;
  readonly serverDefFile: string | undefined;
}

async function readServerDef(flags: TaskFlags, tfConfig: string | undefined): Promise<ServerDef> {
  const fromHosts = flags.psHosts !== undefined || flags.workerHosts !== undefined;
  if (flags.serverDefFile !== undefined) {
    if (
      fromHosts ||
      flags.clusterFile !== undefined ||
      flags.jobName !== undefined ||
      flags.taskIndex !== undefined
    ) {
      throw invalidArgument(
        "--server_def describes the cluster and the task; use it without --cluster, --job_name, --task_index, --ps_hosts and --worker_hosts.",
      );
    }
    return await readServerDefFile(flags.serverDefFile, flags.port);
  }
  if (fromHosts && flags.clusterFile !== undefined) {
    throw invalidArgument("Specify the cluster once: either --cluster or --ps_hosts and --worker_hosts.");
  }
  if (flags.clusterFile !== undefined) {
    return taskOf(await readClusterFile(flags.clusterFile), flags);
  }
  if (fromHosts) {
    return taskOf(clusterFromFlags(flags), flags);
  }
  if (tfConfig !== undefined && tfConfig.trim() !== "") {
    const { cluster, task } = parseTfConfig(tfConfig);
    if (!cluster.isEmpty) {
      if (flags.jobName === undefined && isEvaluator({ task }) && !cluster.jobs.includes("evaluator")) {
        throw invalidArgument(
          "TF_CONFIG makes this task the evaluator, which is not part of the cluster and has no server. Do not start " +
            "a worker for it, or leave TF_CONFIG empty to start a local server.",
        );
      }
      return taskOf(cluster, {
        ...flags,
        jobName: flags.jobName ?? task?.job,
        taskIndex: flags.taskIndex ?? task?.index,
      });
    }
    // A server of its own would wait for calls that nobody makes, while the rest of the cluster waits for the task.
    if (task !== undefined && flags.jobName === undefined && flags.taskIndex === undefined) {
      throw invalidArgument(
        `TF_CONFIG says that this is task ${task.index} of job '${task.job}', but has no "cluster" with the addresses of the ` +
          "tasks. Add it, or leave TF_CONFIG empty for a local server.",
      );
    }
  }
  return localServer(flags);
}

function taskOf(
  cluster: ClusterSpec,
  { jobName, taskIndex, port }: Pick<TaskFlags, "jobName" | "taskIndex" | "port">,
): ServerDef {
  return makeServerDef({ cluster, jobName, taskIndex, port, config: collectiveConfig(cluster) });
}

/** TensorFlow's create_local_server: a job of one task, on this machine, on a port that is free. */
function localServer({ jobName, taskIndex, port }: TaskFlags): ServerDef {
  if (taskIndex !== undefined && taskIndex !== 0) {
    throw invalidArgument(
      `--task_index ${taskIndex} requires a cluster with such a task: give --cluster, --worker_hosts, --ps_hosts or TF_CONFIG.`,
    );
  }
  const job = jobName ?? "localhost";
  return makeServerDef({ cluster: { [job]: [`localhost:${port ?? 0}`] }, jobName: job, taskIndex: 0 });
}

async function readServerDefFile(file: string, port: number | undefined): Promise<ServerDef> {
  const bytes = await readGivenFile(file, "--server_def");
  if (bytes.length === 0) {
    throw invalidArgument(
      `${file === "-" ? "Standard input" : file} is empty; --server_def takes a serialized tensorflow.ServerDef.`,
    );
  }
  let serverDef: ServerDef;
  try {
    serverDef = ServerDef.decode(bytes);
  } catch (cause) {
    throw invalidArgument(`${file} does not hold a serialized tensorflow.ServerDef.`, { cause });
  }
  if (port !== undefined && port !== 0) {
    serverDef.port = port;
  }
  return serverDef;
}
