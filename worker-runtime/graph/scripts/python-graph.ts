/** A graph and its run as a Python script for TensorFlow's tf.compat.v1, which builds it node by node. */
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { pythonCluster } from "../../cluster/python-scripts.js";
import type { OpRegistry } from "../op-registry.js";
import { stripPrivateAttrs } from "../private-attrs.js";
import { isRecordFileName } from "../record-file-name.js";
import { pythonAttr, pythonConstant, pythonString } from "./python-values.js";
import type { ScriptFeed, ScriptPixels, ScriptRun } from "./run-part.js";
import {
  type Argument,
  type Block,
  blocksOf,
  type OutputRef,
  programOf,
  type Statement,
} from "./statements.js";
import { dataLiteral } from "./tensor-literal.js";

/** Python's keywords, and the names that the script itself uses. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield " +
    "array base64 cluster complex config feeds fetches float graph graph_def len name np print range raw read_feature session " +
    "target targets tf tf1 value values zip zlib"
  ).split(" "),
);

/**
 * The parameters of tf.raw_ops that are named differently from the arguments of their ops, as TensorFlow's API
 * definitions rename them (tensorflow/core/api_def/python_api).
 */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    ["All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"].map((op) => [
      op,
      { reduction_indices: "axis" },
    ]),
  ),
  ExpandDims: { dim: "axis" },
  Select: { t: "x", e: "y" },
  Split: { split_dim: "axis" },
  SplitV: { split_dim: "axis" },
  Squeeze: { squeeze_dims: "axis" },
  Where: { input: "condition" },
};

const INDENT = "    ";

/**
 * The whole script, ending in a newline. A graph that cannot be written node by node (functions, loops, thousands of
 * nodes) is embedded as a GraphDef, with a comment that says why.
 */
export function pythonGraphScript(graph: GraphDef, run: ScriptRun, registry: OpRegistry): string {
  const program = programOf(graph, { registry, reserved: RESERVED, hasLiteral: () => true });
  const built =
    program.obstacle === undefined
      ? buildLines(program.statements)
      : embeddedLines(stripPrivateAttrs(graph), program.obstacle);
  const body = [...built, "", ...runLines(run)].join("\n");
  const encoded = body.includes("array(tf.");
  const standard = body.includes("zlib.") || encoded ? "import base64\nimport zlib\n\n" : "";
  const numpy = encoded || /np\.|read_feature\(/.test(body) ? "import numpy as np\n" : "";
  const features = body.includes("read_feature(") ? FEATURE_FUNCTION : "";
  const raw = body.includes("raw.") ? "raw = tf.raw_ops\n" : "";
  return `${standard}${numpy}import tensorflow as tf

tf1 = tf.compat.v1
${raw}${encoded ? ARRAY_FUNCTION : ""}${features}
${body}
`;
}

const ARRAY_FUNCTION = `

def array(dtype, shape, data):
    """A large constant, from the base64 text of its compressed bytes."""
    raw_bytes = zlib.decompress(base64.b64decode(data))
    return np.frombuffer(raw_bytes, dtype.as_numpy_dtype).reshape(shape)

`;

const FEATURE_FUNCTION = `

def read_feature(path, name, shape, default=None):
    """A feature of all records of a TFRecord file."""
    with open(path, "rb") as file:
        compression = "GZIP" if file.read(2) == b"\\x1f\\x8b" else None
    rows = []
    for record in tf.data.TFRecordDataset(path, compression):
        features = tf.train.Example.FromString(record.numpy()).features.feature
        kind = features[name].WhichOneof("kind")
        row = getattr(features[name], kind).value if kind else np.broadcast_to(default, shape)
        rows.append(np.reshape(row, shape))
    return np.array(rows)

`;

function embeddedLines(graph: GraphDef, obstacle: string): string[] {
  return [
    `# The graph as a whole, because ${obstacle}.`,
    "graph_def = tf1.GraphDef.FromString(",
    `${INDENT}zlib.decompress(base64.b64decode(${dataLiteral(GraphDef.encode(graph).finish())}))`,
    ")",
    "graph = tf.Graph()",
    "with graph.as_default():",
    `${INDENT}tf1.import_graph_def(graph_def, name="")`,
  ];
}

function buildLines(statements: readonly Statement[]): string[] {
  const lines = blocksOf(statements).flatMap(blockLines);
  return [
    "graph = tf.Graph()",
    "with graph.as_default():",
    ...(lines.length === 0 ? ["pass"] : lines).map((line) => INDENT + line),
  ];
}

function blockLines(block: Block): string[] {
  const scopes = [
    ...block.colocatedWith.map((leader) => `with graph.colocate_with(${nodeText(leader)}):`),
    ...(block.device === "" ? [] : [`with tf.device(${pythonString(block.device)}):`]),
    ...(block.controls.length === 0
      ? []
      : [`with tf.control_dependencies([${block.controls.map(nodeText).join(", ")}]):`]),
  ];
  const opening = scopes.map((scope, depth) => INDENT.repeat(depth) + scope);
  return [
    ...opening,
    ...block.statements.map((statement) => INDENT.repeat(scopes.length) + statementText(statement)),
  ];
}

function statementText({ variable, node, name, constant, inputs, attrs }: Statement): string {
  const naming = `name=${pythonString(name)}`;
  if (constant) return `${variable} = tf.constant(${pythonConstant(constant)}, ${naming})`;
  const renamed = RENAMED[node.op];
  const named = [
    ...inputs.map((input) => [input.name, argumentText(input)] as const),
    ...attrs.flatMap(([attr, value]) => {
      const text = pythonAttr(value);
      return text === undefined ? [] : [[attr, text] as const];
    }),
  ];
  const given = named.map(([key, text]) => `${renamed?.[key] ?? key}=${text}`);
  return `${variable} = raw.${node.op}(${[...given, naming].join(", ")})`;
}

function argumentText({ value }: Argument): string {
  return Array.isArray(value) ? `[${value.map(tensorText).join(", ")}]` : tensorText(value as OutputRef);
}

/** A function of tf.raw_ops returns its only output, or a tuple of several; an output that is a list is a list. */
function tensorText({ of: { variable, opDef }, argument, element }: OutputRef): string {
  const inTuple = opDef.outputArg.length > 1 ? `[${argument}]` : "";
  return `${variable}${inTuple}${element === undefined ? "" : `[${element}]`}`;
}

/** The node as scopes take it: one of its outputs, or the operation that is returned if there is none. */
function nodeText({ variable, opDef }: Statement): string {
  const [first, second] = opDef.outputArg;
  if (first === undefined) return variable;
  const isList = first.numberAttr !== "" || first.typeListAttr !== "";
  return `${variable}${second === undefined ? "" : "[0]"}${isList ? "[0]" : ""}`;
}

function runLines({ fetches, targets, initialisers, feeds, steps, cluster }: ScriptRun): string[] {
  const list = (names: readonly string[]) => `[${names.map(pythonString).join(", ")}]`;
  const feedLines = Object.entries(feeds).map(
    ([name, feed]) => `${INDENT}${pythonString(name)}: ${feedText(feed)},`,
  );
  const config = cluster
    ? [
        `cluster = tf.train.ClusterSpec(${pythonCluster(cluster.spec, "")})`,
        "config = tf1.ConfigProto(cluster_def=cluster.as_cluster_def(), allow_soft_placement=True)",
        "# Variables then live in the tasks and are shared by every session.",
        "config.experimental.share_session_state_in_clusterspec_propagation = True",
        `target = ${pythonString(`grpc://${cluster.spec.taskAddress(cluster.master.job, cluster.master.index)}`)}`,
      ]
    : ["config = tf1.ConfigProto(allow_soft_placement=True)", 'target = ""'];
  const step = `values = session.run(fetches${targets.length === 0 ? "" : " + targets"}, feeds)`;
  return [
    `fetches = ${list(fetches)}`,
    ...(targets.length === 0 ? [] : [`targets = ${list(targets)}`]),
    ...(feedLines.length === 0 ? ["feeds = {}"] : ["feeds = {", ...feedLines, "}"]),
    ...config,
    "with tf1.Session(target, graph=graph, config=config) as session:",
    ...(initialisers.length === 0 ? [] : [`${INDENT}session.run(${list(initialisers)})`]),
    ...(steps === 1 ? [INDENT + step] : [`${INDENT}for _ in range(${steps}):`, `${INDENT}${INDENT}${step}`]),
    "for name, value in zip(fetches, values):",
    `${INDENT}print(name, value)`,
  ];
}

function feedText(feed: ScriptFeed): string {
  if (feed.kind === "literal") return literalText(feed.text);
  if (feed.kind === "pixels") return pixelsText(feed);
  const path = pythonString(feed.path);
  if (/\.np[yz]$/i.test(feed.path)) return `np.load(${path})`;
  if (feed.feature !== undefined || isRecordFileName(feed.path)) return featureText(path, feed);
  if (typeof feed.column === "string") {
    return `np.genfromtxt(${path}, delimiter=",", names=True)[${pythonString(feed.column)}]`;
  }
  const column = feed.column === undefined ? "" : `, usecols=[${feed.column}]`;
  return `np.genfromtxt(${path}, delimiter=","${column})`;
}

/** NumPy computes in float64, as a run does, and the session then rounds to the placeholder's dtype. */
function pixelsText({ bytes, shape, range, dtype }: ScriptPixels): string {
  const array = `array(tf.uint8, [${shape.join(", ")}], ${dataLiteral(bytes)})`;
  if (range === "byte" || dtype === "uint8") return array;
  return range === "unit" ? `${array} / 255` : `${array} / 255 * 2 - 1`;
}

function featureText(path: string, { column, feature }: Extract<ScriptFeed, { kind: "file" }>): string {
  const name = pythonString(String(column ?? ""));
  const shape = feature?.shape === undefined ? "-1" : `[${feature.shape.join(", ")}]`;
  const fallback = feature?.default === undefined ? "" : `, ${literalText(feature.default)}`;
  return `read_feature(${path}, ${name}, ${shape}${fallback})`;
}

const WORDS: Readonly<Record<string, string>> = {
  true: "True",
  false: "False",
  nan: 'float("nan")',
  inf: 'float("inf")',
};

/** A value as a user typed it: numbers and lists are Python's own, other words are strings. */
function literalText(text: string): string {
  return text.trim().replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,()[\]]+/g, (word) => {
    if (/^["']/.test(word)) return word;
    if (!Number.isNaN(Number(word)) || /^[-+\d.ej]+$/i.test(word)) return word;
    const sign = /^[-+]/.exec(word)?.[0] ?? "";
    const known = WORDS[word.slice(sign.length).toLowerCase()];
    return known === undefined ? pythonString(word) : sign + known;
  });
}
