/** The checkpoints of a run's training, read by stock TensorFlow. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunCheckpoints } from "../../main/api/checkpoints.js";
import type { Participant } from "../../main/runs/participants.js";
import { CheckpointKeeper } from "../../main/runs/run-checkpoints.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { GradientDescentOptimizer } from "../../worker-runtime/graph/training/optimizers.js";
import { makeTrainable } from "../../worker-runtime/graph/training/trainable/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const READ = `
import glob, json, sys
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
scalars = []
for path in glob.glob(folder + "/events.out.tfevents.*"):
    for event in v1.train.summary_iterator(path):
        scalars += [[event.step, value.tag, value.simple_value] for value in event.summary.value]
prefix = tf.train.latest_checkpoint(folder)
with tf.Graph().as_default():
    variables = v1.get_variable("w", [1, 1], tf.float32), v1.get_variable("global_step", [], tf.int64)
    with v1.Session() as session:
        v1.train.Saver().restore(session, prefix)
        w, step = session.run(variables)
print("RESULT " + json.dumps({"scalars": sorted(scalars), "w": w.tolist(), "step": int(step)}))
`;

function line() {
  const graph = new Graph();
  const x = ops.constant(graph, [[0], [1], [2], [3]], { dtype: "float32", name: "x" });
  const w = ops.variable(graph, [[0.5]], { name: "w" });
  ops.reduceMean(ops.square(ops.subtract(ops.matMul(x, w.value), ops.multiply(x, 2))), undefined, {
    name: "loss",
  });
  const graphDef = graph.toGraphDef();
  const { added, plan } = makeTrainable(graphDef, {
    ...{ loss: "loss:0", variables: ["w"], scheme: "single", parameterServers: [], workers: [], batch: [] },
    optimizer: () => new GradientDescentOptimizer(0.01),
  });
  return { graph: { ...graphDef, node: [...graphDef.node, ...added] }, plan };
}

function localTask(server: Server): Participant {
  return {
    ...{ id: "0", name: "local/0", job: "local", index: 0, engine: "portable", state: "running" },
    ...{ incarnation: "1", devices: [], unusable: undefined },
    address: server.target.replace("grpc://", ""),
  };
}

describe("what a run saves", () => {
  let folder: string;
  let server: Server;
  let session: Session;
  const { graph, plan } = line();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-run-"));
    server = await Server.createLocalServer({ engine: "portable" });
    session = new Session(server.target, { graph });
    await session.run([], { targets: [plan.init] });
  });
  afterAll(async () => {
    await session.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test.skipIf(peerMissing("tensorflow"))(
    "is read by TensorFlow: the newest checkpoint, and the scalars of all runs in one count of steps",
    async () => {
      const task = localTask(server);
      const { signal } = new AbortController();
      const losses: number[] = [];
      let told: RunCheckpoints | undefined;
      const train = async (steps: number) => {
        const keeper = new CheckpointKeeper(
          {
            ...{ graph: GraphDef.encode(graph).finish(), steps, training: plan },
            checkpoints: { every: 2, keep: 2, folder },
          },
          {
            ...{
              cluster: { membership: "fixed", tasks: () => [task], noteVariables: () => undefined },
              folder,
            },
            onChange: (checkpoints) => {
              told = checkpoints;
            },
          },
        );
        await keeper.begin(signal);
        for (let step = 1; step <= steps; step++) {
          const { values } = await session.run(["loss:0"], { targets: [plan.train] });
          const [tensor] = values;
          if (!tensor) throw new Error("no loss");
          losses.push(Number(tensor.at(0)));
          keeper.stepDone(step, [{ name: "loss:0", tensor }], signal);
          await keeper.settled();
        }
        await keeper.finish(signal);
        await keeper.dispose();
      };
      await train(3);
      await train(2);
      expect(told?.problem).toBeUndefined();
      expect(told?.saved.map(({ step }) => step)).toEqual([5, 3]);
      const { values } = await session.run(["w:0"]);
      expect(await tensorflowResult(READ, { args: [folder] })).toEqual({
        scalars: losses.map((loss, at) => [at + 1, "loss", loss]),
        w: values[0]?.toArray(),
        step: 5,
      });
    },
  );

  test("is restored, the newest that is whole, with the step of the run that it is of", async () => {
    const within = join(folder, "damaged");
    const task = localTask(server);
    const { signal } = new AbortController();
    const keeper = new CheckpointKeeper(
      {
        ...{ graph: GraphDef.encode(graph).finish(), steps: 9, training: plan },
        checkpoints: { every: 1, keep: 3, folder: within },
      },
      {
        ...{
          cluster: { membership: "fixed", tasks: () => [task], noteVariables: () => undefined },
          folder: within,
        },
        onChange: () => undefined,
      },
    );
    const weight = async () => Number((await session.run(["w:0"])).values[0]?.at(0));
    await expect(keeper.restoreNewest(signal)).rejects.toMatchObject({ problem: { code: "NOT_FOUND" } });
    await keeper.begin(signal);
    const saved: { readonly step: number | undefined; readonly w: number }[] = [];
    for (let step = 1; step <= 3; step++) {
      await session.run([], { targets: [plan.train] });
      keeper.stepDone(step, [], signal);
      await keeper.settled();
      saved.push({ step: keeper.newestStep, w: await weight() });
    }
    const [first, second, third] = saved;
    expect(saved.map(({ step }) => step)).toEqual([0, 1, 2].map((more) => (first?.step ?? 0) + more));
    await session.run([], { targets: [plan.init] });

    expect(await keeper.restoreNewest(signal)).toEqual({
      ...{ checkpointStep: third?.step, runStep: 3, damaged: [] },
    });
    expect(await weight()).toBe(third?.w);
    // One without elements, and one whose index is no index.
    await rm(join(within, `ckpt-${third?.step}.data-00000-of-00001`));
    await writeFile(join(within, `ckpt-${second?.step}.index`), "no index");
    expect(await keeper.restoreNewest(signal)).toEqual({
      ...{ checkpointStep: first?.step, runStep: 1 },
      damaged: [`ckpt-${third?.step}`, `ckpt-${second?.step}`],
    });
    expect(await weight()).toBe(first?.w);
    await rm(join(within, `ckpt-${first?.step}.index`));
    await expect(keeper.restoreNewest(signal)).rejects.toMatchObject({
      problem: { code: "DATA_LOSS", message: "No checkpoint can be read." },
    });
    expect(await weight()).toBe(first?.w);
    await keeper.dispose();
  });

  test("is saved after so many minutes, whatever the number of steps", async () => {
    const { signal } = new AbortController();
    let minutes = 0;
    let told: RunCheckpoints | undefined;
    const place = join(folder, "by-time");
    const task = localTask(server);
    const keeper = new CheckpointKeeper(
      {
        ...{ graph: GraphDef.encode(graph).finish(), steps: 6, training: plan },
        checkpoints: { minutes: 2, keep: 9, folder: place },
      },
      {
        ...{
          cluster: { membership: "fixed", tasks: () => [task], noteVariables: () => undefined },
          folder: place,
        },
        now: () => minutes * 60_000,
        onChange: (checkpoints) => {
          told = checkpoints;
        },
      },
    );
    await session.run([], { targets: [plan.init] });
    await keeper.begin(signal);
    const saved: (number | undefined)[] = [];
    for (let step = 1; step <= 6; step++) {
      minutes++;
      const { values } = await session.run(["loss:0"], { targets: [plan.train] });
      keeper.stepDone(step, [{ name: "loss:0", tensor: values[0] ?? Tensor.of(0) }], signal);
      await keeper.settled();
      saved.push(told?.saved[0]?.step);
    }
    await keeper.dispose();
    expect(told?.problem).toBeUndefined();
    expect(saved).toEqual([undefined, 2, 2, 4, 4, 6]);
  });
});
