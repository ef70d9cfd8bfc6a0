/** `tensordeck export`: a cluster as the file of another system. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type CommandSpec,
  helpText,
  nearest,
  type ParsedArgs,
  parseArgs,
} from "../../worker-runtime/cli/args.js";
import { readGivenText } from "../../worker-runtime/cli/cluster-file.js";
import { exportCluster } from "../../worker-runtime/cluster/orchestrators/export-cluster.js";
import { tasksOfCluster } from "../../worker-runtime/cluster/orchestrators/export-model.js";
import {
  EXPORT_TARGETS,
  type ExportTarget,
  isExportTarget,
} from "../../worker-runtime/cluster/orchestrators/export-targets.js";
import { importCluster } from "../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { withFileErrors } from "../../worker-runtime/io/file-errors.js";
import { writeOutputFile } from "../../worker-runtime/io/output-file.js";
import { invalidArgument } from "../../worker-runtime/protocol/status.js";
import { exportFlags, exportValues } from "./export-flags.js";

const exportCommand: CommandSpec = {
  name: "tensordeck export",
  summary:
    "Writes a cluster for another system, which then starts its tasks: Docker Compose, Kubernetes, Kubeflow's training " +
    "operator (TFJob), Marathon, Slurm, or a shell script.",
  positionals: "CLUSTER",
  flags: [
    { name: "to", value: "SYSTEM", help: `One of ${EXPORT_TARGETS.join(", ")}.` },
    {
      name: "output",
      short: "o",
      value: "FOLDER",
      help: "Write the file into this folder, which is created if it is missing. By default, it is printed.",
    },
    ...exportFlags(EXPORT_TARGETS),
  ],
  notes: `
CLUSTER is what tensordeck worker --cluster reads, or whatever tensordeck import reads; - is standard input.
Compose, Kubernetes, TFJob and Slurm give the tasks addresses of their own; Marathon and the shell script start each
task on the machine that its address names. ps tasks get no GPU.

examples:
  tensordeck export clusterspec.json --to compose --run server | docker compose -p lab -f - up
  tensordeck export clusterspec.json --to kubernetes --image lab/tensordeck:1 --gpus 1 --memory 8Gi -o deploy
  tensordeck export clusterspec.json --to slurm --run script --script "train.py --epochs 3" --time 2:00:00`,
};

/** Runs the command and gives the exit code. @throws TensorFlowError */
export async function runExport(args: readonly string[]): Promise<number> {
  const parsed = parseArgs(exportCommand, args);
  if (parsed.has("help")) {
    process.stdout.write(helpText(exportCommand));
    return 0;
  }
  const [file, ...others] = parsed.positionals;
  if (file === undefined || others.length > 0) {
    throw invalidArgument("Give one file with a cluster: tensordeck export clusterspec.json --to compose.");
  }
  const target = targetOf(parsed);
  const { cluster } = importCluster(await readGivenText(file, "CLUSTER"), file);
  const result = exportCluster(target, tasksOfCluster(cluster), exportValues(parsed));
  const folder = parsed.get("output");
  if (folder === undefined) {
    process.stdout.write(result.file.text);
  } else {
    const path = join(folder, result.file.name);
    await withFileErrors(folder, () => mkdir(folder, { recursive: true }));
    await writeOutputFile(path, result.file.text, result.file.executable ? 0o755 : 0o644);
    process.stdout.write(`${path}\n`);
  }
  // Apart from the output, which is a file's text.
  for (const note of result.notes) process.stderr.write(`${note}\n`);
  return 0;
}

function targetOf(parsed: ParsedArgs): ExportTarget {
  const to = parsed.get("to");
  if (to === undefined) throw invalidArgument(`Specify the system: --to ${EXPORT_TARGETS.join("|")}.`);
  if (isExportTarget(to)) return to;
  const near = nearest(to, EXPORT_TARGETS);
  throw invalidArgument(
    `--to must be one of ${EXPORT_TARGETS.join(", ")}, not "${to}".${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}
