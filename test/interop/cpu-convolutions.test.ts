/** A graph that TensorFlow's own CPU kernels do not compute without oneDNN fails with the cause and the way out, in words. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProblem } from "../../main/runs/run-problem.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { parseText } from "../../worker-runtime/graph/text-format.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";

const type = (key: string) => `attr { key: "${key}" value { type: DT_FLOAT } }`;
const ints = (key: string, ...list: number[]) =>
  `attr { key: "${key}" value { list { ${list.map((one) => `i: ${one}`).join(" ")} } } }`;
const text = (key: string, value: string) => `attr { key: "${key}" value { s: "${value}" } }`;

function filled(name: string, ...shape: number[]): string {
  const dims = shape.map((size) => `dim { size: ${size} }`).join(" ");
  return `node { name: "${name}" op: "Const" ${type("dtype")}
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { ${dims} } float_val: 0.5 } } } }`;
}

function conv(input: string, filter: string, format: string): string {
  return `node { name: "conv" op: "Conv2D" input: "${input}" input: "${filter}" ${type("T")}
    ${ints("strides", 1, 1, 1, 1)} ${text("padding", "SAME")} ${text("data_format", format)} }`;
}

/** The bias keeps the convolution of constants from being folded away, and has grappler fuse both. */
const GROUPED = `${filled("x", 1, 4, 4, 4)} ${filled("w", 3, 3, 2, 6)} ${filled("b", 6)}
  node { name: "given" op: "PlaceholderWithDefault" input: "x" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { dim { size: 1 } dim { size: 4 } dim { size: 4 } dim { size: 4 } } } } }
  ${conv("given", "w", "NHWC")}
  node { name: "biased" op: "BiasAdd" input: "conv" input: "b" ${type("T")} ${text("data_format", "NHWC")} }
  node { name: "out" op: "Relu" input: "biased" ${type("T")} }`;
const CHANNELS_FIRST = `${filled("x", 1, 4, 4, 4)} ${filled("w", 3, 3, 4, 6)} ${conv("x", "w", "NCHW")}
  node { name: "out" op: "Relu" input: "conv" ${type("T")} }`;
const POOLED = `${filled("x", 1, 4, 4, 4)}
  node { name: "pool" op: "MaxPool" input: "x" ${type("T")} ${ints("ksize", 1, 1, 2, 2)} ${ints("strides", 1, 1, 2, 2)}
    ${text("padding", "SAME")} ${text("data_format", "NCHW")} }
  node { name: "out" op: "Relu" input: "pool" ${type("T")} }`;

describe.skipIf(peerMissing("tensorflow"))("on a CPU without oneDNN", () => {
  const servers = new Map<string, Server>();

  beforeAll(async () => {
    const library = libtensorflowDir();
    for (const onednn of ["0", "1"]) {
      const env = { TF_ENABLE_ONEDNN_OPTS: onednn };
      servers.set(onednn, await Server.createLocalServer({ engine: "tensorflow", library, env }));
    }
    servers.set("portable", await Server.createLocalServer({ engine: "portable" }));
  });
  afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())));

  async function run(on: string, nodes: string): Promise<number | undefined> {
    const graph = parseText<GraphDef>("tensorflow.GraphDef", nodes);
    const session = new Session(servers.get(on)?.target ?? "", { graph });
    try {
      const { values } = await session.run(["out"]);
      return values[0]?.size;
    } finally {
      await session.close();
    }
  }

  it.each([
    ["a grouped convolution", GROUPED, /^This convolution is grouped/, 4 * 4 * 6],
    ["a convolution with channels first", CHANNELS_FIRST, /channels first/, 4 * 4 * 6],
    ["pooling with channels first", POOLED, /channels first/, 2 * 2 * 4],
  ])("%s fails in words, and runs as these words say", async (_, nodes, reason, size) => {
    const error: unknown = await run("0", nodes).catch((thrown: unknown) => thrown);
    const context = { nodes: new Map(), stepTimeoutMillis: undefined, taskAt: () => undefined };
    expect(runProblem(error, context)).toMatchObject({
      reason: expect.stringMatching(reason),
      remedy: expect.stringContaining("TF_ENABLE_ONEDNN_OPTS=1"),
    });
    expect(await run("1", nodes)).toBe(size);
    expect(await run("portable", nodes)).toBe(size);
  });
});
