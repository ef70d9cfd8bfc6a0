import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { pythonGraphScript } from "../../worker-runtime/graph/scripts/python-graph.js";
import type { ScriptPixels, ScriptRun } from "../../worker-runtime/graph/scripts/run-part.js";
import { typescriptGraphScript } from "../../worker-runtime/graph/scripts/typescript-graph.js";
import { encodeExample } from "../../worker-runtime/io/tfrecord/example.js";
import { writeTfRecords } from "../../worker-runtime/io/tfrecord/records.js";
import { Tensor, tensorFromProto } from "../../worker-runtime/protocol/tensor.js";
import {
  environmentWithoutProxies,
  peerMissing,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { programs } from "./graph-programs.js";

const registry = bundledOpRegistry();
const NOTHING: ScriptRun = { fetches: [], targets: [], initialisers: [], feeds: {}, steps: 1 };

/** Constants of every kind, and attributes of every kind that tf.raw_ops takes. */
function values(g: Graph): void {
  const constant = (name: string, tensor: Tensor) => ops.constant(g, tensor, { name });
  constant(
    "numbers",
    Tensor.of([
      [1.5, Number.NaN],
      [Number.NEGATIVE_INFINITY, -0],
    ]),
  );
  constant("whole", Tensor.of([2n ** 62n, -1n]));
  constant("halves", Tensor.of([0.1, 65504], "float16"));
  constant("brains", Tensor.of([0.1, 3], "bfloat16"));
  constant("pairs", Tensor.of([{ re: 1, im: -2 }]));
  constant("flags", Tensor.of([true, false]));
  constant("words", Tensor.of([['quote " and \\', "é\n"]]));
  constant("none", Tensor.of([], "int32", [0, 3]));
  constant("same", Tensor.of(7, "uint8", [4, 5]));
  constant(
    "large",
    new Tensor(
      "float32",
      [10, 10],
      Float32Array.from({ length: 100 }, (_, i) => i / 7),
    ),
  );
  constant(
    "bytes",
    new Tensor(
      "uint8",
      [300],
      Uint8Array.from({ length: 300 }, (_, i) => i),
    ),
  );
  const x = g.op("Placeholder", [], { dtype: "float32", shape: [-1, 4, 4, 1] }, "x");
  g.op("Placeholder", [], { dtype: "string", shape: "unknown rank" }, "class");
  g.op("MaxPool", [x], { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: "VALID" }, "pool");
  g.op("ParseTensor", [ops.constant(g, "a", { name: "serialized" })], { out_type: "float64" }, "parsed");
  g.op("LeakyRelu", [x], { alpha: 0.125 }, "leaky");
  g.op("FIFOQueueV2", [], { component_types: ["float32", "int64"], shapes: [[], [2]], capacity: 3 }, "queue");
}

/** Names, outputs and inputs of every form. */
function structure(g: Graph): void {
  const x = ops.constant(g, [[1, 2, 3, 4]], { name: "x" });
  ops.constant(g, 1, { name: "X/" });
  ops.constant(g, 2, { name: "if" });
  ops.constant(g, 3, { name: "raw" });
  ops.constant(g, 4, { name: "1st-number.a/b" });
  const axis = ops.constant(g, 1, { dtype: "int32", name: "axis" });
  const parts = g.op("Split", [axis, x], { num_split: 2 }, "split");
  const top = g.op("TopKV2", [x, ops.constant(g, 2, { dtype: "int32", name: "k" })], {}, "top");
  const both = g.op("IdentityN", [[parts.outputAt(1), top.outputAt(1)]], {}, "both");
  g.op("ConcatV2", [[parts.outputAt(0), both.outputAt(0)], axis], {}, "joined");
  g.op("Sum", [x, axis], { keep_dims: true }, "sum");
  g.op("Select", [g.op("Greater", [x, ops.constant(g, 2, { name: "two" })], {}, "more"), x, x], {}, "chosen");
  g.op("Squeeze", [x], { squeeze_dims: [0] }, "flat");
  g.op("ExpandDims", [x, axis], {}, "deep");
  g.op("Where", [x], {}, "where");
  const group = g.withControlDependencies([top, parts], () => g.op("NoOp", [], {}, "group"));
  g.withDevice("/job:worker/task:1/device:CPU:0", () => {
    const variable = g.op("VarHandleOp", [], { dtype: "float32", shape: [] }, "scope/v");
    g.withColocation(variable, () =>
      g.withControlDependencies([group, both], () =>
        g.op("ReadVariableOp", [variable], { dtype: "float32" }, "v/Read"),
      ),
    );
  });
}

const graphs: Readonly<Record<string, (graph: Graph) => void>> = { ...programs, values, structure };
/** These are embedded as a whole: a loop, and a node that is colocated with one on another device. */
const EMBEDDED = new Set(["loop", "s4"]);

function built(build: (graph: Graph) => void): GraphDef {
  const graph = new Graph();
  build(graph);
  return graph.toGraphDef();
}

/** Attributes that Python adds to nodes when it builds them. */
const RECORDED = new Set(["_has_manual_control_dependencies", "_output_shapes"]);

/** A node's computation, whatever the order of nodes and control inputs, and whether defaults are written out. */
function meaning(graph: GraphDef): Record<string, unknown> {
  return Object.fromEntries(graph.node.map((node) => [node.name, meaningOf(node)]));
}

function meaningOf({ op, device, input, attr }: NodeDef): unknown {
  const defaults = new Map(registry.require(op).attr.map(({ name, defaultValue }) => [name, defaultValue]));
  const attrs: Record<string, unknown> = {};
  for (const [name, value] of attr) {
    const standard = defaults.get(name);
    if (RECORDED.has(name) || (standard && encoded(standard) === encoded(value))) continue;
    attrs[name] = value.value?.$case === "tensor" ? tensorFromProto(value.value.value) : encoded(value);
  }
  // TensorFlow leaves out a control input from a node that is an input anyway.
  const data = input.filter((edge) => !edge.startsWith("^"));
  const sources = new Set(data.map((edge) => edge.replace(/:\d+$/, "")));
  const controls = input.filter((edge) => edge.startsWith("^") && !sources.has(edge.slice(1)));
  return { op, device, data, controls: controls.sort(), attrs };
}

function withoutDevices(graph: GraphDef): Record<string, unknown> {
  return meaning({ ...graph, node: graph.node.map((node) => ({ ...node, device: "" })) });
}

function encoded(value: AttrValue): string {
  return Buffer.from(AttrValue.encode(value).finish()).toString("latin1");
}

const RUN_SCRIPTS = `
import base64, json, sys
import tensorflow as tf
graphs = {}
for name, script in json.load(sys.stdin).items():
    space = {}
    exec(compile(script, name, "exec"), space)
    graphs[name] = base64.b64encode(space["graph"].as_graph_def().SerializeToString()).decode()
print("RESULT", json.dumps(graphs))
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tensordeck-scripts-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** A server that is a cluster of its own, until the tests end. */
async function portableServer(): Promise<Server> {
  const server = await Server.start({ engine: "portable" });
  servers.push(server);
  return server;
}

/** Loads a script as a module that uses this checkout's library. */
async function load(name: string, script: string): Promise<Record<string, unknown>> {
  const file = join(folder, `${name}.ts`);
  writeFileSync(
    file,
    script.replace('from "tensordeck"', `from "${join(repositoryRoot, "worker-runtime/index.ts")}"`),
  );
  return import(file);
}

describe("a graph as a TypeScript module", () => {
  test.each(Object.entries(graphs))("%s is built again, node by node", async (name, build) => {
    const graph = built(build);
    const script = typescriptGraphScript(graph, NOTHING, registry);
    expect(/\.fromGraphDef\(/.test(script)).toBe(EMBEDDED.has(name));
    const [building = ""] = script.split("\nconst fetches");
    const again = (await load(name, `${building}\nexport { graph };\n`)).graph as Graph;
    expect(meaning(again.toGraphDef())).toEqual(meaning(graph));
  });

  test("runs, with its feeds, first values and steps", async () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "int64", [-1], { name: "x" });
    const count = ops.variable(graph, 10, { dtype: "int64", name: "count" });
    ops.assignAdd(count, ops.reduceSum(x), { name: "add" });
    const initialiser = ops.globalVariablesInitializer(graph);
    const script = typescriptGraphScript(
      graph.toGraphDef(),
      {
        fetches: ["add:0"],
        targets: [],
        initialisers: [initialiser.name],
        feeds: { "x:0": { kind: "literal", text: "[1, 2]" } },
        steps: 3,
      },
      registry,
    );
    const server = await portableServer();
    const local = script.replace("new Session(undefined,", `new Session("${server.target}",`);
    const { result } = await load(
      "runs",
      `${local.replace(/\blet result/, "var result")}export { result };\n`,
    );
    expect((result as { values: Tensor[] }).values[0]?.item()).toBe(19n);
  });
});

/** Pixels with a brightness of 0, 20 % and 100 %. */
const picture = (range: ScriptPixels["range"], dtype: ScriptPixels["dtype"] = "float32"): ScriptPixels => ({
  ...{ kind: "pixels", bytes: Uint8Array.of(0, 51, 255), shape: [1, 1, 3], range, dtype },
});
const PICTURES = {
  "unit:0": picture("unit"),
  "signed:0": picture("signed"),
  "byte:0": picture("byte"),
  "whole:0": picture("unit", "uint8"),
};

/** Passes on what is fed of each picture. */
function pictureGraph(): Graph {
  const graph = new Graph();
  for (const [tensor, { dtype, shape }] of Object.entries(PICTURES)) {
    const [name = ""] = tensor.split(":");
    ops.identity(ops.placeholder(graph, dtype, shape, { name }), { name: `${name}_seen` });
  }
  return graph;
}
const SEEN = Object.keys(PICTURES).map((tensor) => tensor.replace(":0", "_seen:0"));

describe("images in a TypeScript module", () => {
  test("are fed in their range", async () => {
    const run = { ...NOTHING, fetches: SEEN, feeds: PICTURES };
    const script = typescriptGraphScript(pictureGraph().toGraphDef(), run, registry);
    const server = await portableServer();
    const local = script.replace("new Session(undefined,", `new Session("${server.target}",`);
    const { result } = await load(
      "pictures",
      `${local.replace("const result", "var result")}export { result };\n`,
    );
    const { values } = result as { values: Tensor[] };
    expect(values.map((value) => Array.from(value.data as ArrayLike<number>))).toEqual([
      [0, Math.fround(0.2), 1],
      [-1, Math.fround(-0.6), 1],
      [0, 51, 255],
      [0, 51, 255],
    ]);
  });
});

describe.skipIf(peerMissing("tensorflow"))("a graph as a Python script", () => {
  test("builds the same nodes with tf.raw_ops", async () => {
    const sources = Object.entries(graphs).map(([name, build]) => [name, built(build)] as const);
    const scripts = sources.map(([name, graph]) => {
      const script = pythonGraphScript(graph, NOTHING, registry);
      expect(/import_graph_def/.test(script), name).toBe(EMBEDDED.has(name));
      return [name, script.split("\nfetches = ")[0]] as const;
    });
    const results = await tensorflowResult<Record<string, string>>(RUN_SCRIPTS, {
      input: Object.fromEntries(scripts),
    });
    for (const [name, graph] of sources) {
      const again = GraphDef.decode(new Uint8Array(Buffer.from(results[name] ?? "", "base64")));
      // TensorFlow's import gives a node without a device that of the node with which it is colocated.
      const shown = EMBEDDED.has(name) ? withoutDevices : meaning;
      expect([name, shown(again)]).toEqual([name, shown(graph)]);
    }
  });

  async function output(script: string): Promise<string> {
    const env = { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" };
    const peer = await spawnPeer(tensorflowPython(), ["-c", script], { env, cwd: folder });
    const { code } = await peer.exited;
    expect(code, peer.output()).toBe(0);
    return peer.stdout();
  }

  test("feeds images in their range", async () => {
    const run = { ...NOTHING, fetches: SEEN, feeds: PICTURES };
    const said = await output(pythonGraphScript(pictureGraph().toGraphDef(), run, registry));
    expect(said).toMatch(/unit_seen:0 \[\[\[0\. +0\.2 1\. +\]\]\]/);
    expect(said).toMatch(/signed_seen:0 \[\[\[-1\. +-0\.6 +1\. +\]\]\]/);
    expect(said).toMatch(/byte_seen:0 \[\[\[ *0\. +51\. +255\.\]\]\]/);
    expect(said).toMatch(/whole_seen:0 \[\[\[ *0 +51 +255\]\]\]/);
  });

  test("runs on a cluster, with its feeds, first values and steps", async () => {
    const server = await portableServer();
    const graph = new Graph();
    graph.withDevice("/job:worker/task:0", () => {
      const x = ops.placeholder(graph, "float32", [-1], { name: "x" });
      const count = ops.variable(graph, 10, { name: "count" });
      ops.assignAdd(count, ops.reduceSum(x), { name: "add" });
    });
    const words = ops.placeholder(graph, "string", [-1], { name: "words" });
    ops.identity(words, { name: "same" });
    ops.identity(ops.placeholder(graph, "float32", [-1, 2], { name: "rows" }), { name: "read" });
    await writeTfRecords(join(folder, "rows.tfrecord"), [{ r: [1, 2] }, {}].map(encodeExample));
    const initialiser = ops.globalVariablesInitializer(graph);
    writeFileSync(join(folder, "column.csv"), "a,b\n1,20\n2,40\n");
    const spec = ClusterSpec.from({ worker: [server.target.replace("grpc://", "")] });
    const said = await output(
      pythonGraphScript(
        graph.toGraphDef(),
        {
          fetches: ["add:0", "same:0", "read:0"],
          targets: ["count/read"],
          initialisers: [initialiser.name],
          feeds: {
            "x:0": { kind: "file", path: "column.csv", column: "b" },
            "words:0": { kind: "literal", text: '[one, "two"]' },
            "rows:0": {
              kind: "file",
              path: "rows.tfrecord",
              column: "r",
              feature: { shape: [2], default: "9" },
            },
          },
          steps: 2,
          cluster: { spec, master: { job: "worker", index: 0 } },
        },
        registry,
      ),
    );
    expect(said).toContain("add:0 130.0");
    expect(said).toContain("same:0 [b'one' b'two']");
    expect(said).toMatch(/read:0 \[\[1\. 2\.\]\s+\[9\. 9\.\]\]/);
  });
});
