import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import {
  makeTrainable,
  OPTIMIZERS,
  type Scheme,
  workerGraph,
} from "../../worker-runtime/graph/training/trainable/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { trainBetweenGraph } from "../../worker-runtime/training/between-graph.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { type Engine, type StartedCluster, startCluster } from "./portable/clusters.js";

const STEPS = 20;
const BATCH = 8;
const WORKERS = [
  { job: "worker", index: 0 },
  { job: "worker", index: 1 },
];

/** The same network trained by one machine, by stock Python. */
const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
random = np.random.default_rng(3)
steps, batch = json.loads(sys.argv[1])
first = {"w1": random.normal(0, 0.5, (4, 6)), "b1": np.zeros(6), "w2": random.normal(0, 0.5, (6, 3)), "b2": np.zeros(3)}
first = {name: value.astype(np.float32) for name, value in first.items()}
xs = random.normal(0, 1, (steps, batch, 4)).astype(np.float32)
ys = (xs[:, :, 0] > 0).astype(np.int32) + (xs[:, :, 1] > 0).astype(np.int32)
with tf.Graph().as_default():
    v = {name: v1.get_variable(name, initializer=value) for name, value in first.items()}
    x, y = v1.placeholder(tf.float32, [None, 4]), v1.placeholder(tf.int32, [None])
    logits = tf.matmul(tf.nn.relu(tf.matmul(x, v["w1"]) + v["b1"]), v["w2"]) + v["b2"]
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    train = v1.train.AdamOptimizer(0.01).minimize(loss)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        losses = [float(session.run([loss, train], {x: a, y: b})[0]) for a, b in zip(xs, ys)]
        last = session.run(v["w1"]).ravel().tolist()
print("RESULT " + json.dumps({"first": {n: a.tolist() for n, a in first.items()}, "xs": xs.tolist(), "ys": ys.tolist(), "losses": losses, "last": last}))
`;

interface FromPython {
  readonly first: Readonly<Record<string, number[] | number[][]>>;
  readonly xs: readonly number[][][];
  readonly ys: readonly number[][];
  readonly losses: readonly number[];
  readonly last: readonly number[];
}

const ADAM = OPTIMIZERS.find(({ name }) => name === "Adam");

/** The network as a user draws it, made trainable. */
function trainable(first: FromPython["first"], scheme: Scheme) {
  const graph = new Graph();
  const weight = (name: string) => {
    const value = Tensor.of(first[name] ?? [], "float32");
    return ops.variable(graph, value, { name, kind: "resource" }).value;
  };
  const x = ops.placeholder(graph, "float32", [-1, 4], { name: "x" });
  const y = ops.placeholder(graph, "int32", [-1], { name: "y" });
  const hidden = ops.relu(ops.add(ops.matMul(x, weight("w1")), weight("b1")));
  const logits = ops.add(ops.matMul(hidden, weight("w2")), weight("b2"));
  const [losses] = graph.op("SparseSoftmaxCrossEntropyWithLogits", [logits, y]).outputs;
  const loss = ops.reduceMean(losses ?? x, undefined, { name: "loss" });
  const graphDef = graph.toGraphDef();
  const made = makeTrainable(graphDef, {
    ...{ loss: loss.name, variables: ["w1", "b1", "w2", "b2"], scheme, batch: ["x:0", "y:0"] },
    ...{ workers: WORKERS, parameterServers: [{ job: "ps", index: 0 }] },
    optimizer: () => {
      if (!ADAM) throw new Error("There is no Adam.");
      return ADAM.make({ learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 });
    },
  });
  const node = graphDef.node.map((one) => ({ ...one, device: made.pinned.get(one.name) ?? one.device }));
  return { plan: made.plan, graphDef: { ...graphDef, node: [...node, ...made.added] } };
}

function feedsOf({ xs, ys }: FromPython, step: number, from = 0, to = BATCH): Map<string, Tensor> {
  return new Map([
    ["x:0", Tensor.of(xs[step]?.slice(from, to) ?? [], "float32")],
    ["y:0", Tensor.of(ys[step]?.slice(from, to) ?? [], "int32")],
  ]);
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found.map((value) => value.toFixed(3))).toEqual(expected.map((value) => value.toFixed(3)));
}

const numbersOf = (tensor: Tensor | undefined) =>
  Array.from({ length: tensor?.size ?? 0 }, (_, at) => Number(tensor?.at(at)));

describe.skipIf(peerMissing("tensorflow"))("a graph that was made trainable", () => {
  let python: FromPython;

  beforeAll(async () => {
    python = await tensorflowResult(PYTHON, { args: [JSON.stringify([STEPS, BATCH])] });
  });

  describe.each<Engine>(["stock", "portable"])("on %s servers", (engine) => {
    let cluster: StartedCluster;
    beforeAll(async () => {
      cluster = await startCluster({ ps: 1, worker: 2 }, () => engine);
    });
    afterAll(() => cluster.stop());

    test.each<Scheme>(["single", "in-graph", "ring"])("trains as one machine does: %s", async (scheme) => {
      const { graphDef, plan } = trainable(python.first, scheme);
      const session = new Session(cluster.target("worker/0"), { graph: graphDef });
      try {
        await session.run([], { targets: [plan.init] });
        const losses: number[] = [];
        for (let step = 0; step < STEPS; step++) {
          const feeds = feedsOf(python, step);
          const { values } = await session.run([plan.loss], { feeds, targets: [plan.train] });
          losses.push(Number(values[0]?.item()));
        }
        expectClose(losses, python.losses);
        const { values } = await session.run(["w1/Read/ReadVariableOp:0"]);
        expectClose(numbersOf(values[0]), python.last);
      } finally {
        await session.close();
      }
    });

    /** Each worker with a session of its own. */
    async function betweenGraph(
      scheme: Scheme,
      use: (sessions: readonly Session[], plan: ReturnType<typeof trainable>["plan"]) => Promise<void>,
    ): Promise<void> {
      const { graphDef, plan } = trainable(python.first, scheme);
      const sessions = WORKERS.map(
        (task, at) => new Session(cluster.target(`worker/${at}`), { graph: workerGraph(graphDef, task, at) }),
      );
      try {
        await sessions[0]?.run([], { targets: [plan.init] });
        await use(sessions, plan);
      } finally {
        await Promise.all(sessions.map((session) => session.close()));
      }
    }

    test("trains as one machine does, each worker with half of the examples: sync", async () => {
      await betweenGraph("sync", async (sessions, plan) => {
        const losses = new Map<number, number>();
        const feeds = (batch: number) => {
          const half = (batch - 1) % 2;
          return feedsOf(python, Math.floor((batch - 1) / 2), (half * BATCH) / 2, ((half + 1) * BATCH) / 2);
        };
        await trainBetweenGraph({
          ...{ plan, sessions, fetches: [plan.loss], steps: STEPS, feeds },
          onStep: ({ number, values }) => {
            losses.set(number, (losses.get(number) ?? 0) + Number(values[0]?.item()) / 2);
          },
        });
        expectClose([...losses.values()], python.losses);
        const read = await sessions[1]?.run(["w1/Read/ReadVariableOp:0"]);
        expectClose(numbersOf(read?.values[0]), python.last);
      });
    });

    test("every worker trains on batches of its own, and knows how old its gradients were: async", async () => {
      await betweenGraph("async", async (sessions, plan) => {
        const seen: { worker: number; batch: number; staleness: number }[] = [];
        let [first, last] = [0, 0];
        await trainBetweenGraph({
          ...{ plan, sessions, fetches: [plan.loss], steps: 2 * STEPS },
          feeds: (batch) => feedsOf(python, (batch - 1) % STEPS),
          onStep: ({ worker, number, values, staleness = -1 }) => {
            seen.push({ worker, batch: number, staleness });
            last = Number(values[0]?.item());
            if (seen.length === 1) first = last;
          },
        });
        expect(seen.map(({ batch }) => batch).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 2 * STEPS }, (_, at) => at + 1),
        );
        expect(new Set(seen.map(({ worker }) => worker))).toEqual(new Set([0, 1]));
        expect(seen.every(({ staleness }) => staleness >= 0)).toBe(true);
        expect(last).toBeLessThan(first);
        const read = await sessions[0]?.run([`${plan.globalStep}/Read/ReadVariableOp:0`]);
        expect(Number(read?.values[0]?.item())).toBe(2 * STEPS);
      });
    });
  });
});
