/** `tensordeck import`: the cluster in the file of another system, as a clusterspec.json. */
import { type CommandSpec, helpText, parseArgs } from "../../worker-runtime/cli/args.js";
import { readGivenText } from "../../worker-runtime/cli/cluster-file.js";
import { clusterJson } from "../../worker-runtime/cluster/cluster-exchange.js";
import {
  type ClusterSource,
  importCluster,
} from "../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { writeOutputFile } from "../../worker-runtime/io/output-file.js";
import { invalidArgument } from "../../worker-runtime/protocol/status.js";

const importCommand: CommandSpec = {
  name: "tensordeck import",
  summary:
    "Reads the cluster that a file describes, and writes it as a clusterspec.json for tensordeck worker, tensordeck run " +
    "and the window.",
  positionals: "FILE",
  flags: [
    { name: "output", short: "o", value: "FILE", help: "Write it to this file. By default, it is printed." },
  ],
  notes: `
FILE is a Docker Compose file whose services have TF_CONFIG, --worker_hosts, --job_name or names such as worker-0; a TFJob
of Kubeflow; manifests that tensordeck export has written; a shell script that sets TF_CONFIG or --worker_hosts; a
clusterspec.json; or a TF_CONFIG. - is standard input. Standard error says where in the file the cluster was read, and
which ports were assumed.`,
};

/** Where the names in the addresses are known. */
const KNOWN_WITHIN: Readonly<Partial<Record<ClusterSource, string>>> = {
  compose: "Names of services resolve only within the Compose project.",
  kubernetes: "The names resolve only within the Kubernetes cluster, in the same namespace.",
  tfjob: "The names resolve only within the Kubernetes cluster.",
};

/** Runs the command and gives the exit code. @throws TensorFlowError */
export async function runImport(args: readonly string[]): Promise<number> {
  const parsed = parseArgs(importCommand, args);
  if (parsed.has("help")) {
    process.stdout.write(helpText(importCommand));
    return 0;
  }
  const [file, ...others] = parsed.positionals;
  if (file === undefined || others.length > 0) {
    throw invalidArgument("Give one file: tensordeck import docker-compose.yml.");
  }
  const { cluster, source, notes } = importCluster(await readGivenText(file, "FILE"), file);
  cluster.validate();
  const output = parsed.get("output");
  if (output === undefined) process.stdout.write(clusterJson(cluster));
  else await writeOutputFile(output, clusterJson(cluster));
  for (const note of [...notes, KNOWN_WITHIN[source]])
    if (note !== undefined) process.stderr.write(`${note}\n`);
  return 0;
}
