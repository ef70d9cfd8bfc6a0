import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { VariableDef } from "../../protos/generated/tensorflow/variable.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const seed = 7;
const SHAPE = [6, 4];

const CASES: readonly (readonly [python: string, ours: ops.Initializer])[] = [
  ["v1.zeros_initializer()", ops.zerosInitializer()],
  ["v1.ones_initializer()", ops.onesInitializer()],
  ["v1.constant_initializer(2.5)", ops.constantInitializer(2.5)],
  [
    "v1.random_normal_initializer(1.0, 0.5, seed=7)",
    ops.randomNormalInitializer({ mean: 1, stddev: 0.5, seed }),
  ],
  [
    "v1.random_uniform_initializer(-2.0, 3.0, seed=7)",
    ops.randomUniformInitializer({ min: -2, max: 3, seed }),
  ],
  [
    "v1.truncated_normal_initializer(stddev=0.1, seed=7)",
    ops.truncatedNormalInitializer({ stddev: 0.1, seed }),
  ],
  ["v1.glorot_uniform_initializer(seed=7)", ops.glorotUniformInitializer({ seed })],
  ["v1.glorot_normal_initializer(seed=7)", ops.glorotNormalInitializer({ seed })],
  ["v1.initializers.he_uniform(seed=7)", ops.heUniformInitializer({ seed })],
  ["v1.initializers.he_normal(seed=7)", ops.heNormalInitializer({ seed })],
  ["v1.orthogonal_initializer(seed=7)", ops.orthogonalInitializer({ seed })],
  [
    "v1.variance_scaling_initializer(2.0, 'fan_out', 'uniform', seed=7)",
    ops.varianceScalingInitializer({ scale: 2, mode: "fanOut", distribution: "uniform", seed }),
  ],
];

const PYTHON = `
import base64, json, sys
import tensorflow as tf
v1 = tf.compat.v1
out = []
for python in json.load(sys.stdin):
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", [6, 4], initializer=eval(python))
        session.run(w.initializer)
        out.append({"values": session.run(w).flatten().tolist(), "proto": base64.b64encode(w.to_proto().SerializeToString()).decode()})
print("RESULT " + json.dumps(out))
`;

describe.skipIf(peerMissing("tensorflow"))("initializers", () => {
  let python: readonly { readonly values: readonly number[]; readonly proto: string }[] = [];

  beforeAll(async () => {
    python = await tensorflowResult(PYTHON, { input: CASES.map(([code]) => code) });
  });

  test.each<EngineName>(["tensorflow", "portable"])(
    "on engine %s give stock Python's numbers",
    async (engine) => {
      const server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
      onTestFinished(() => server.stop().then(() => undefined));
      for (const [i, [name, initializer]] of CASES.entries()) {
        const graph = new Graph();
        const w = ops.getVariable(graph, "w", { shape: SHAPE, initializer });
        const session = new Session(server.target, { graph });
        await session.run([], { targets: [w.initializer] });
        const { values } = await session.run([w.value]);
        await session.close();
        const expected = python[i]?.values ?? [];
        const wrong = expected.filter(
          (value, at) => Math.abs(Number(values[0]?.elementText(at)) - value) > 1e-5,
        );
        expect([name, values[0]?.shape, wrong]).toEqual([name, SHAPE, []]);
      }
    },
  );

  test("and variables have the VariableDef that Python gives", () => {
    const graph = new Graph();
    const w = ops.getVariable(graph, "w", { shape: SHAPE });
    const theirs = VariableDef.decode(Buffer.from(python[0]?.proto ?? "", "base64"));
    expect({ ...w.toProto(), initialValueName: "" }).toEqual({ ...theirs, initialValueName: "" });
  });
});

describe("getVariable", () => {
  const shape = [2];

  test("keeps names apart by scope, and gives a variable again where the scope says so", () => {
    const graph = new Graph();
    const scoped = () => ops.variableScope(graph, "layer", () => ops.getVariable(graph, "w", { shape }));
    const first = scoped();
    expect(first).toMatchObject({ name: "layer/w", device: "", trainable: true });
    expect(scoped).toThrow("Variable layer/w already exists.");
    const again = ops.variableScope(graph, "layer", () => ops.getVariable(graph, "w"), { reuse: true });
    expect(again).toBe(first);
    const wrong = () => ops.getVariable(graph, "w", { shape: [3] });
    expect(() => ops.variableScope(graph, "layer", wrong, { reuse: "auto" })).toThrow(
      "Variable layer/w has shape [2], but [3] is wanted.",
    );
    expect(() => ops.variableScope(graph, "other", wrong, { reuse: true })).toThrow(
      "Variable other/w does not exist",
    );
    expect(ops.trainableVariables(graph)).toEqual([first]);
  });

  test("reads back the device, and lists what is not trained apart", () => {
    const graph = new Graph();
    const pinned = graph.withDevice("/job:ps/task:1", () =>
      ops.getVariable(graph, "v", { shape, trainable: false, initializer: ops.onesInitializer() }),
    );
    expect(pinned.device).toBe("/job:ps/task:1");
    expect(ops.trainableVariables(graph)).toEqual([]);
    expect(ops.globalVariables(graph)).toEqual([pinned]);
  });
});
