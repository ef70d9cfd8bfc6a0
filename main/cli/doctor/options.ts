import { type CommandSpec, type ParsedArgs, parseArgs } from "../../../worker-runtime/cli/args.js";
import { readClusterFile } from "../../../worker-runtime/cli/cluster-file.js";
import { addressProblem } from "../../../worker-runtime/cluster/address.js";
import { clusterFromFlags } from "../../../worker-runtime/cluster/classic.js";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { parseTfConfig } from "../../../worker-runtime/cluster/tf-config.js";
import { dataFolder } from "../../../worker-runtime/engines/tensorflow/data-folder.js";
import { invalidArgument } from "../../../worker-runtime/protocol/status.js";

export const doctorCommand: CommandSpec = {
  name: "tensordeck doctor",
  summary:
    "Tests this machine and the routes from here to the tasks of a cluster, layer by layer: name, ping, TCP, HTTP/2, " +
    "GetStatus. Reports what is wrong, why, and what to do.",
  positionals: "[HOST:PORT ...]",
  flags: [
    {
      name: "cluster",
      value: "FILE",
      help: 'The cluster as JSON: {"worker": ["host:port", …], "ps": […]}; - reads it from standard input.',
    },
    { name: "ps_hosts", value: "HOSTS", help: "Addresses of job ps: host:port, separated by commas." },
    {
      name: "worker_hosts",
      value: "HOSTS",
      help: "Addresses of job worker: host:port, separated by commas.",
    },
    {
      name: "data_dir",
      value: "FOLDER",
      help: "The folder with the paired machines, whose agents are tested as well.",
    },
    { name: "json", help: "Print JSON." },
  ],
  notes: `
The tasks come from the addresses that are given, --cluster, --ps_hosts and --worker_hosts, or the
environment variable TF_CONFIG, in this order. Without any, this machine and the paired ones are tested.

examples:
  tensordeck doctor
  tensordeck doctor gpu-pc:2222 raspberrypi:2222
  tensordeck doctor --cluster clusterspec.json --json

Ends with 0 when no error was found, with 1 when one was, with 2 when the arguments are wrong.`,
};

export interface DoctorOptions {
  /** Only the help was requested. */
  readonly help: boolean;
  readonly json: boolean;
  readonly dataDir: string;
  readonly cluster: ClusterSpec;
  /** Where the cluster was found, for the heading; empty when there is none. */
  readonly source: string;
  /** The task of this machine according to TF_CONFIG. */
  readonly ownTask: TaskName | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws TensorFlowError INVALID_ARGUMENT for wrong flags, NOT_FOUND for a file that is not there. */
export async function readDoctorOptions(args: readonly string[], env: Environment): Promise<DoctorOptions> {
  const parsed = parseArgs(doctorCommand, args);
  const base = {
    help: parsed.has("help"),
    json: parsed.has("json"),
    dataDir: parsed.get("data_dir") ?? dataFolder(env),
  };
  if (base.help) return { ...base, cluster: ClusterSpec.from({}), source: "", ownTask: undefined };
  return { ...base, ...(await readCluster(parsed, env)) };
}

/** The job of addresses that were given without one. */
const NAMELESS_JOB = "task";

async function readCluster(
  parsed: ParsedArgs,
  env: Environment,
): Promise<Pick<DoctorOptions, "cluster" | "source" | "ownTask">> {
  const file = parsed.get("cluster");
  const hosts = { psHosts: parsed.get("ps_hosts"), workerHosts: parsed.get("worker_hosts") };
  const fromHosts = hosts.psHosts !== undefined || hosts.workerHosts !== undefined;
  const addresses = parsed.positionals.map((text) => text.replace(/^grpc:\/\//, ""));
  if ([addresses.length > 0, file !== undefined, fromHosts].filter(Boolean).length > 1) {
    throw invalidArgument(
      "Specify the cluster once: as addresses, with --cluster, or with --ps_hosts and --worker_hosts.",
    );
  }
  if (addresses.length > 0) {
    for (const address of addresses) {
      const wrong = addressProblem(address);
      if (wrong !== undefined) throw invalidArgument(`The address '${address}' ${wrong}.`);
    }
    const cluster = ClusterSpec.from({ [NAMELESS_JOB]: addresses });
    return { cluster, source: "the addresses given", ownTask: undefined };
  }
  if (file !== undefined) {
    return { cluster: await readClusterFile(file), source: file, ownTask: undefined };
  }
  if (fromHosts) return { cluster: clusterFromFlags(hosts), source: "the flags", ownTask: undefined };
  if (env.TF_CONFIG?.trim()) {
    const { cluster, task } = parseTfConfig(env.TF_CONFIG);
    return { cluster, source: "TF_CONFIG", ownTask: task };
  }
  return { cluster: ClusterSpec.from({}), source: "", ownTask: undefined };
}
