import type { EngineName } from "../engines/server.js";
import { examples } from "../graph/examples/index.js";
import { isRecordFileName } from "../graph/record-file-name.js";
import { invalidArgument } from "../protocol/status.js";
import { type CommandSpec, type ParsedArgs, parseArgs } from "./args.js";
import { engineFlag, readEngine } from "./engine-option.js";

export const runCommandSpec: CommandSpec = {
  name: "tensordeck run",
  positionals: "GRAPH",
  summary:
    "Runs a graph from a file and prints its results. GRAPH is a GraphDef, a MetaGraphDef (such as a document of " +
    "Tensordeck) or a SavedModel, binary (.pb) or text (.pbtxt), or a model of Keras (.keras, .h5) or ONNX (.onnx). " +
    "example:NAME is a graph that comes with Tensordeck.",
  flags: [
    {
      name: "target",
      value: "GRPC://HOST:PORT",
      help:
        "The server whose master runs the steps. By default, a local server is started, or one local task for each " +
        "task that the graph is pinned to.",
    },
    { ...engineFlag, help: `For local tasks. ${engineFlag.help}` },
    {
      name: "fetch",
      value: "TENSORS",
      repeated: true,
      help: "Tensors to fetch, z:0 or z, separated by commas. Without --fetch and --run: what the document says, or else the training operations and losses, the outputs of the signature, or the results that no other node consumes.",
    },
    {
      name: "signature",
      value: "NAME",
      help: "Run this signature of a SavedModel: --feed, --fetch and --output then take the names of its inputs and outputs. By default, all of its outputs are fetched.",
    },
    {
      name: "restore",
      help: "Restore the variables and tables of a SavedModel before the first step, from the files beside the graph, on whatever machine they are. On by default; --no-restore turns it off.",
    },
    {
      name: "feed",
      value: "TENSOR=VALUE",
      repeated: true,
      help: 'A value to feed: a:0=3, "a:0=[1, 2, 3]", a:0=@a.npy, a:0=@data.csv:column, a:0=@arrays.npz:name, a:0=@a.tfrecord:feature.',
    },
    {
      name: "run",
      value: "OPS",
      repeated: true,
      help: "Operations to run for their side effects, separated by commas.",
    },
    {
      name: "init",
      value: "OPS",
      repeated: true,
      help: "Operations to run once before the first step, with the same feeds, such as the initializer of variables.",
    },
    {
      name: "steps",
      value: "N",
      help: "The number of steps; the results are those of the last one (default 1).",
    },
    { name: "timeout", value: "SECONDS", help: "Fail with DEADLINE_EXCEEDED if a step takes longer." },
    {
      name: "trace",
      value: "FILE",
      help: "Write a trace of the last step, with the time and device of each node, as JSON for chrome://tracing or Perfetto.",
    },
    {
      name: "log_device_placement",
      help: "Print the device of each node, and have the servers log it. Implies --no-optimize.",
    },
    {
      name: "optimize",
      help: "Let TensorFlow fold constants and rewrite the graph before it runs. On by default; with --no-optimize, a trace shows every node as it was built.",
    },
    {
      name: "soft_placement",
      help: "Let TensorFlow move nodes whose device does not exist or does not support the op.",
    },
    {
      name: "output",
      value: "DIR | TENSOR=@FILE",
      repeated: true,
      help: "Write all fetches as .npy files to a folder, or one of them to a file.",
    },
    { name: "json", help: "Print the results as JSON." },
    {
      name: "cluster",
      value: "FILE",
      help: 'A ClusterSpec that the session sends to the servers: {"worker": ["host:port", …]}. For servers that were started without a cluster.',
    },
  ],
  notes: `
Results go to standard output, all else to standard error. Ctrl-C cancels the step (exit code 130); other
failures are printed with TensorFlow's code and give exit code 1.

Graphs that come with Tensordeck: ${examples.map(({ id }) => id).join(", ")}.

examples:
  tensordeck run example:welcome
  tensordeck run graph.pbtxt
  tensordeck run graph.pbtxt --target grpc://192.168.1.20:2222 --fetch z:0 --log_device_placement
  tensordeck run sum.pbtxt --feed input:0=@data.csv:price --fetch total:0
  tensordeck run saved_model/ --signature serving_default --feed x=@x.npy
  tensordeck run model.keras --feed features=@x.npy --signature serving_default
  tensordeck run train.pb --init init --run train_op --steps 1000 --fetch loss:0 --trace trace.json`,
};

export interface FeedArgument {
  readonly tensor: string;
  readonly source:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "file"; readonly path: string; readonly column: string | undefined };
}

export type OutputArgument =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "file"; readonly tensor: string; readonly path: string };

export interface RunCommandOptions {
  readonly graph: string;
  /** Undefined: local tasks. */
  readonly target: string | undefined;
  /** The engine of local tasks; undefined: whichever this machine has. */
  readonly engine: EngineName | undefined;
  /** As they were written; empty when none was given. */
  readonly fetches: readonly string[];
  readonly feeds: readonly FeedArgument[];
  readonly targets: readonly string[];
  readonly init: readonly string[];
  readonly steps: number;
  readonly timeoutMillis: number | undefined;
  readonly traceFile: string | undefined;
  readonly logDevicePlacement: boolean;
  readonly optimize: boolean;
  readonly softPlacement: boolean;
  readonly outputs: readonly OutputArgument[];
  readonly json: boolean;
  readonly clusterFile: string | undefined;
  readonly signature: string | undefined;
  readonly restore: boolean;
}

const MAX_STEPS = 1_000_000_000;
const MILLIS_PER_SECOND = 1_000;

function names(parsed: ParsedArgs, flag: string): string[] {
  return parsed
    .all(flag)
    .flatMap((value) => value.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** "a:0=3", "a:0=@a.npy" or "a:0=@data.csv:column". @throws TensorFlowError INVALID_ARGUMENT */
export function parseFeed(text: string): FeedArgument {
  const equals = text.indexOf("=");
  const tensor = text.slice(0, Math.max(equals, 0)).trim();
  const value = text.slice(equals + 1);
  if (tensor === "") {
    throw invalidArgument(`--feed must be TENSOR=VALUE, such as a:0=3 or a:0=@a.npy, not "${text}".`);
  }
  if (!value.startsWith("@")) return { tensor, source: { kind: "text", text: value } };
  const given = value.slice(1);
  if (given === "") throw invalidArgument(`--feed ${text} has no file name after the @.`);
  const { path, part } = pathAndPart(given);
  return { tensor, source: { kind: "file", path, column: part } };
}

/** A name that a part can be chosen of: by its ending, or as a file of records. */
const hasParts = (name: string) => /\.(?:csv|tsv|txt|npz|gz)$/i.test(name) || isRecordFileName(name);

/** "data.csv:column" in its two halves. Only behind files with parts, since a colon may be part of a path (C:\\data.csv). */
function pathAndPart(given: string): { readonly path: string; readonly part: string | undefined } {
  for (let colon = given.indexOf(":"); colon >= 0; colon = given.indexOf(":", colon + 1)) {
    const path = given.slice(0, colon);
    const part = given.slice(colon + 1);
    if (part !== "" && hasParts(path)) return { path, part };
  }
  return { path: given, part: undefined };
}

function parseOutput(text: string): OutputArgument {
  const match = /^([^\s=]+)=@?(.+)$/.exec(text);
  const [, tensor = "", path = ""] = match ?? [];
  return match === null ? { kind: "folder", path: text } : { kind: "file", tensor, path };
}

function timeoutMillis(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() === "" || !Number.isFinite(seconds) || seconds <= 0) {
    throw invalidArgument(`--timeout must be a number of seconds above 0, not "${text}".`);
  }
  return seconds * MILLIS_PER_SECOND;
}

/**
 * The run described by the command's arguments; undefined if only the help was requested.
 * @throws TensorFlowError INVALID_ARGUMENT for invalid arguments
 */
export function readRunOptions(args: readonly string[]): RunCommandOptions | undefined {
  const parsed = parseArgs(runCommandSpec, args);
  if (parsed.has("help")) return undefined;
  const [graph, ...rest] = parsed.positionals;
  if (graph === undefined || rest.length > 0) {
    const given = graph === undefined ? "none was given" : `"${rest[0]}" was given as well`;
    throw invalidArgument(`tensordeck run takes one graph file, but ${given}. See tensordeck run --help.`);
  }
  const target = parsed.get("target") || undefined;
  if (parsed.get("cluster") !== undefined && target === undefined) {
    throw invalidArgument(
      "--cluster requires --target: the server of the cluster whose master runs the steps, as in --target grpc://HOST:PORT.",
    );
  }
  const engine = readEngine(parsed);
  if (engine !== undefined && target !== undefined) {
    throw invalidArgument(
      "--engine applies to local tasks only; the server given by --target has its own engine.",
    );
  }
  const logDevicePlacement = parsed.has("log_device_placement");
  return {
    graph,
    target,
    engine,
    fetches: names(parsed, "fetch"),
    feeds: parsed.all("feed").map(parseFeed),
    targets: names(parsed, "run"),
    init: names(parsed, "init"),
    steps: parsed.integer("steps", 1, MAX_STEPS) ?? 1,
    timeoutMillis: timeoutMillis(parsed.get("timeout")),
    traceFile: parsed.get("trace"),
    logDevicePlacement,
    optimize: parsed.get("optimize") === undefined ? !logDevicePlacement : parsed.has("optimize"),
    softPlacement: parsed.has("soft_placement"),
    outputs: parsed.all("output").map(parseOutput),
    json: parsed.has("json"),
    clusterFile: parsed.get("cluster"),
    signature: parsed.get("signature"),
    restore: parsed.get("restore") === undefined || parsed.has("restore"),
  };
}
