import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { environmentWithoutProxies, peerMissing, tensorflowPython } from "../../../../support/peers.js";
import { arg, environment, int32, ret, scalars } from "./graph-fixture.js";

/**
 * Functions that TensorFlow itself makes of Python, as a session sends them. Prints the graph, then what TensorFlow
 * computes: `out` for each value of x.
 */
const SCRIPT = `
import base64, json
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default() as graph:
  v1.enable_control_flow_v2()
  x = v1.placeholder(tf.int32, [], name="x")
  @tf.function(autograph=False)
  def collatz(n):
    return tf.while_loop(
        lambda steps, n: n > 1,
        lambda steps, n: (steps + 1, tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1)),
        [0, n])
  @tf.function(autograph=False)
  def chosen(n):
    return tf.switch_case(n % 4, [lambda: n + 1, lambda: n * 2, lambda: collatz(n)[0]])
  outs = [tf.identity(t, name="out%d" % i) for i, t in enumerate([*collatz(x), chosen(x), tf.cond(x > 3, lambda: x - 1, lambda: x * x)])]
  with v1.Session() as session:
    values = [[int(v) for v in session.run(outs, {x: n})] for n in range(1, 12)]
print(base64.b64encode(graph.as_graph_def().SerializeToString()).decode())
print(json.dumps(values))
`;

describe.skipIf(peerMissing("tensorflow"))("functions of TensorFlow", () => {
  test("compute what TensorFlow computes", async () => {
    const { stdout } = await promisify(execFile)(tensorflowPython(), ["-c", SCRIPT], {
      env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "3" },
      maxBuffer: 1 << 24,
    });
    const [graph = "", expected = "[]"] = stdout.trim().split("\n").slice(-2);
    const { node: nodes, library: functions } = GraphDef.decode(Buffer.from(graph, "base64"));
    const scalarKernel = (
      op: string,
      compute: (a: number, b: number) => number,
      dtype: "int32" | "bool" = "int32",
    ) => ({
      kind: "pure" as const,
      types: {},
      op,
      create: () => (inputs: readonly Tensor[]) => {
        const [a, b] = inputs.map(({ data }) => Number(data[0]));
        const result = compute(a ?? 0, b ?? 0);
        return [dtype === "bool" ? Tensor.of(result !== 0) : int32(result)];
      },
    });
    const env = environment({
      ...(functions === undefined ? {} : { library: functions }),
      kernels: [
        scalarKernel("FloorDiv", (a, b) => Math.floor(a / b)),
        scalarKernel("FloorMod", (a, b) => a - b * Math.floor(a / b)),
        scalarKernel("Greater", (a, b) => Number(a > b), "bool"),
        scalarKernel("Equal", (a, b) => Number(a === b), "bool"),
        scalarKernel("LogicalNot", (a) => Number(a === 0), "bool"),
        scalarKernel("LogicalAnd", (a, b) => a & b, "bool"),
      ],
    });
    const outs = [0, 1, 2, 3].map((i) => ret(`out${i}`, i, "int32"));
    const body = nodes.filter(({ op }) => op !== "Placeholder");
    const fed = [arg("x", 0, "int32"), ...body, ...outs];
    const compiled = [];
    for (let n = 1; n < 12; n += 1) {
      compiled.push(scalars(await env.run(fed, int32(n))));
    }
    expect(compiled).toEqual(JSON.parse(expected));
  });
});
