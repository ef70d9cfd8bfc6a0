import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../../../../../protos/generated/tensorflow/tensor.js";
import { compileGraph } from "../../../../../../worker-runtime/engines/portable/executor/compiled-graph.js";
import { runGraph } from "../../../../../../worker-runtime/engines/portable/executor/executor.js";
import { FunctionLibrary } from "../../../../../../worker-runtime/engines/portable/executor/function-library.js";
import { createKernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/all.js";
import { toAttrValue, typeAttr } from "../../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../../worker-runtime/graph/op-registry.js";
import { Tensor, tensorFromProto } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { tensorflowResult } from "../../../../../support/tensorflow-script.js";
import { testStep } from "../kernel-runner.js";
import { tensorDifference } from "../tensor-difference.js";

const DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0";

/** Loops and their gradients as TensorFlow makes them: stacks and TensorArrays of version 1, tensor lists of version 2. */
const SCRIPT = `
import base64, json, os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
v1 = tf.compat.v1
def encode(message):
    return base64.b64encode(message.SerializeToString()).decode()
def states():
    x = tf.reshape(tf.range(12, dtype=tf.float32) / 10, [4, 3])
    w = tf.constant([[0.6, 0.1, 0.1], [0.1, 0.6, 0.1], [0.1, 0.1, 0.6]])
    def body(i, h, ta):
        h = tf.tanh(tf.linalg.matvec(w, h) + tf.gather(x, i))
        return i + 1, h, ta.write(i, h)
    start = [tf.constant(0), tf.zeros([3]), tf.TensorArray(tf.float32, 4)]
    y = v1.while_loop(lambda i, h, ta: i < 4, body, start)[2].stack()
    return [y, v1.gradients(tf.reduce_sum(y * y), w)[0]]
def accumulated():
    a = tf.constant(1.5)
    b = v1.while_loop(lambda i, b: i < 5, lambda i, b: (i + 1, b * a + tf.sin(b)), [tf.constant(0), tf.constant(1.0)])[1]
    return [b, v1.gradients(b, a)[0]]
def joined():
    rows = tf.TensorArray(tf.float32, 3, infer_shape=False).unstack(tf.constant([[1., 2.], [3., 4.], [5., 6.]]))
    ta = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)
    ta = ta.write(0, rows.read(1)).write(1, rows.read(2))
    return [ta.concat(), ta.size()]
def mapped():
    e = tf.constant([1., 2., 3.])
    y = tf.map_fn(lambda t: t * t + 1, e)
    return [y, v1.gradients(y, e)[0]]
def scanned():
    e = tf.constant([1., 2., 3.])
    y = tf.scan(lambda a, t: a * t + 1, e)
    return [y, v1.gradients(y, e)[0]]
def case(build, version):
    (v1.enable_control_flow_v2 if version == 2 else v1.disable_control_flow_v2)()
    with tf.Graph().as_default() as graph:
        fetches = build()
        with v1.Session() as session:
            values = session.run(fetches)
    return {"title": "%s, version %d" % (build.__name__, version), "graph": encode(graph.as_graph_def()),
            "fetches": [[t.op.name, t.value_index, t.dtype.as_datatype_enum] for t in fetches],
            "values": [encode(tf.make_tensor_proto(v)) for v in values]}
print("RESULT " + json.dumps([case(build, version) for version in (1, 2) for build in (states, accumulated, joined, mapped, scanned)]))
`;

interface LoopCase {
  readonly title: string;
  readonly graph: string;
  readonly fetches: readonly (readonly [string, number, number])[];
  readonly values: readonly string[];
}

async function runHere({ graph, fetches }: LoopCase): Promise<readonly unknown[]> {
  const { node, library } = GraphDef.decode(Buffer.from(graph, "base64"));
  const bundled = bundledOpRegistry();
  const indexAttr = bundled.require("_Retval").attr.find(({ name }) => name === "index");
  const returns = fetches.map(([name, output, dtype], index) => {
    const attr = new Map([["T", typeAttr(dtype)]]);
    if (indexAttr !== undefined) {
      attr.set("index", toAttrValue(indexAttr, index));
    }
    return NodeDef.fromPartial({ name: `ret${index}`, op: "_Retval", input: [`${name}:${output}`], attr });
  });
  const ops = bundled.withFunctions(library);
  const kernels = createKernelRegistry();
  const options = { ops, kernels, defaultDevice: DEVICE, library };
  const functions = new FunctionLibrary({ ops, kernels, ...(library === undefined ? {} : { library }) });
  return runGraph(compileGraph([...node, ...returns], options), { step: testStep({ functions }) });
}

describe.skipIf(peerMissing("tensorflow"))("loops of TensorFlow", () => {
  test("keep and give back what their gradients need", async () => {
    const cases = await tensorflowResult<LoopCase[]>(SCRIPT);
    expect(cases).toHaveLength(10);
    for (const one of cases) {
      const values = await runHere(one);
      for (const [i, text] of one.values.entries()) {
        const expected = tensorFromProto(TensorProto.decode(Buffer.from(text, "base64")));
        const ours = values[i];
        const difference =
          ours instanceof Tensor
            ? tensorDifference(ours, expected, { ulps: 32, absolute: 1e-6 })
            : "is no tensor";
        expect(difference, `${one.title}, output ${i}`).toBeUndefined();
      }
    }
  }, 120_000);
});
