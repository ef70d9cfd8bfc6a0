/** `tensordeck export-model`: a trained graph as a model that stock TensorFlow loads. */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { isVariable } from "../graph/initialisers.js";
import { placeholdersFor, signatureNames } from "../graph/model-export/index.js";
import { invalidArgument } from "../protocol/status.js";
import { variablesPrefix } from "../session/saved-model/restore.js";
import { Session, type SessionConfig } from "../session/session.js";
import {
  checkpointValues,
  type ExportModelOptions,
  exportFrozenGraph,
  exportSavedModel,
  sessionValues,
  type VariableValues,
} from "../training/export-model.js";
import { type CommandSpec, helpText, type ParsedArgs, parseArgs } from "./args.js";
import { readClusterFile } from "./cluster-file.js";
import { RunnableGraph } from "./run-graph.js";

const exportModelCommand: CommandSpec = {
  name: "tensordeck export-model",
  summary:
    "Writes a trained graph as a model that tf.saved_model.load, TensorFlow Serving or tf.compat.v1.import_graph_def loads. " +
    "MODEL is the folder of a new SavedModel, or a file that ends with .pb: then a frozen graph, whose variables are " +
    "constants.",
  positionals: "GRAPH MODEL",
  flags: [
    {
      name: "output",
      value: "[NAME=]TENSOR",
      repeated: true,
      help: "An output of the model: probabilities:0, or classes=ArgMax:0 to give it a name.",
    },
    {
      name: "input",
      value: "[NAME=]TENSOR",
      repeated: true,
      help: "An input. By default, all placeholders that the outputs need; any other tensor becomes a placeholder.",
    },
    {
      name: "checkpoint",
      value: "PREFIX",
      help: "Take the values of the variables from this checkpoint: line.checkpoints/ckpt-1000.",
    },
    {
      name: "target",
      value: "GRPC://HOST:PORT",
      help: "Take the values that the variables have on a cluster: the address of one of its servers.",
    },
    {
      name: "cluster",
      value: "FILE",
      help: "With --target: a ClusterSpec that the session sends to the servers, if they were started without a cluster.",
    },
    { name: "overwrite", help: "Replace a model that is already there." },
  ],
  notes: `
GRAPH is what tensordeck run reads. A SavedModel has values of its own.

examples:
  tensordeck export-model digits.meta digits_model --checkpoint digits.checkpoints/ckpt-1000 --output scores:0
  tensordeck export-model digits.meta digits.pb --target grpc://localhost:2222 --output digit=scores/ArgMax:0`,
};

/** Runs the command and gives the exit code. @throws TensorFlowError */
export async function runExportModel(args: readonly string[]): Promise<number> {
  const parsed = parseArgs(exportModelCommand, args);
  if (parsed.has("help")) {
    process.stdout.write(helpText(exportModelCommand));
    return 0;
  }
  const [file, path, ...others] = parsed.positionals;
  if (file === undefined || path === undefined || others.length > 0)
    throw invalidArgument("Give a graph and a destination: tensordeck export-model graph.meta model.");
  const runnable = await RunnableGraph.read(file);
  const { graph } = runnable;
  const outputs = tensorsOf(parsed, "output");
  if (Object.keys(outputs).length === 0) {
    throw invalidArgument("Specify what the model computes: --output TENSOR, for example --output scores:0.");
  }
  const given = tensorsOf(parsed, "input");
  const inputs =
    Object.keys(given).length === 0 ? placeholdersFor(graph.node, Object.values(outputs)) : given;
  const write = path.endsWith(".pb") ? exportFrozenGraph : exportSavedModel;
  await withValues(parsed, runnable, async (values) => {
    const options: ExportModelOptions = { inputs, outputs, values, overwrite: parsed.has("overwrite") };
    await write(graph, path, options);
  });
  process.stdout.write(`${path}\n`);
  const named = (tensors: Readonly<Record<string, string>>) => Object.keys(tensors).join(", ") || "none";
  process.stderr.write(`inputs: ${named(inputs)}; outputs: ${named(outputs)}\n`);
  return 0;
}

/** "scores:0", or "scores=top/BiasAdd:0" with a name. */
function tensorsOf(parsed: ParsedArgs, flag: string): Record<string, string> {
  const texts = parsed.all(flag).flatMap((value) => value.split(","));
  const named = texts.filter((text) => text.includes("="));
  const pairs = named.map((text): [string, string] => {
    const at = text.indexOf("=");
    const [name, tensor] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (name !== "" && tensor !== "") return [name, tensor];
    throw invalidArgument(`--${flag} must be [NAME=]TENSOR, such as scores=top/BiasAdd:0, not "${text}".`);
  });
  const plain = texts.filter((text) => !named.includes(text)).map((text) => text.trim());
  return { ...signatureNames(plain.filter((text) => text !== "")), ...Object.fromEntries(pairs) };
}

async function withValues(
  parsed: ParsedArgs,
  { graph, savedModel, notes }: RunnableGraph,
  use: (values: VariableValues) => Promise<void>,
): Promise<void> {
  const [checkpoint, target] = [parsed.get("checkpoint"), parsed.get("target")];
  if (checkpoint !== undefined && target !== undefined) {
    throw invalidArgument(
      "The values come either from --checkpoint or from --target; give only one of them.",
    );
  }
  if (target !== undefined) {
    const session = new Session(target, { graph, config: await configOf(parsed) });
    try {
      await use(sessionValues(session, graph));
    } finally {
      await session.close();
    }
    return;
  }
  const prefix = checkpoint ?? (savedModel && variablesPrefix(savedModel.folder));
  if (prefix !== undefined) {
    return use(
      checkpointValues(prefix.replace(/\.index$/, ""), { graphDef: graph, saverDef: notes.saverDef }),
    );
  }
  const variable = variableOf(graph);
  if (variable === undefined) return use({ async *read() {} });
  throw invalidArgument(
    `Specify where the values of ${variable} and the other variables come from: --checkpoint or --target.`,
  );
}

function variableOf(graph: GraphDef): string | undefined {
  return graph.node.find(isVariable)?.name;
}

async function configOf(parsed: ParsedArgs): Promise<SessionConfig> {
  const file = parsed.get("cluster");
  const soft: SessionConfig = { allowSoftPlacement: true };
  if (file === undefined) return soft;
  const cluster = await readClusterFile(file);
  return {
    ...soft,
    clusterDef: cluster.asClusterDef(),
    experimental: { shareSessionStateInClusterspecPropagation: true },
  };
}
