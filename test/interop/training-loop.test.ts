import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import * as summaries from "../../worker-runtime/graph/ops/summary.js";
import * as train from "../../worker-runtime/graph/training/index.js";
import type { Variable } from "../../worker-runtime/graph/variable.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { getCheckpointState, latestCheckpoint } from "../../worker-runtime/training/checkpoint-state.js";
import {
  FinalOpsHook,
  GlobalStepWaiterHook,
  NanTensorHook,
} from "../../worker-runtime/training/guarding-hooks.js";
import { StopAtStepHook } from "../../worker-runtime/training/hooks.js";
import { MonitoredTrainingSession } from "../../worker-runtime/training/monitored-training-session.js";
import { LoggingTensorHook, SummarySaverHook } from "../../worker-runtime/training/reporting-hooks.js";
import { Saver } from "../../worker-runtime/training/saver.js";
import { FileWriter, histogramSummary, scalarSummary } from "../../worker-runtime/training/summary-writer.js";
import { freePort } from "../support/free-port.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** A line through points, fitted by Adam, as stock Python builds it. */
const PYTHON_MODEL = `
import json, sys
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
with tf.Graph().as_default():
    w = v1.get_variable("w", initializer=tf.zeros([2, 1]))
    b = v1.get_variable("b", initializer=tf.zeros([1]))
    step = v1.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.matmul([[1., 2.], [3., -1.]], w) + b - [[1.], [2.]]))
    minimize = v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    saver = v1.train.Saver()
    with v1.Session() as session:
`;

const PYTHON_GOES_ON = `${PYTHON_MODEL}
        latest = tf.train.latest_checkpoint(folder)
        saver.restore(session, latest)
        before = float(session.run(loss))
        for _ in range(10): session.run(minimize)
        saved = saver.save(session, folder + "/python.ckpt", global_step=step)
        print("RESULT " + json.dumps({"latest": latest, "before": before, "after": float(session.run(loss)), "saved": saved,
            "step": int(session.run(step)), "m": session.run([v for v in v1.global_variables() if v.op.name == "w/Adam"][0]).tolist()}))
`;

const PYTHON_READS_EVENTS = `
import glob, json, sys
import tensorflow as tf
out = {"scalars": [], "histograms": [], "graphs": 0, "versions": []}
for path in sorted(glob.glob(sys.argv[1] + "/events.out.tfevents.*")):
    for event in tf.compat.v1.train.summary_iterator(path):
        if event.HasField("file_version"): out["versions"].append(event.file_version)
        if event.HasField("graph_def"): out["graphs"] += len(tf.compat.v1.GraphDef.FromString(event.graph_def).node) > 0
        for value in event.summary.value:
            if value.HasField("simple_value"): out["scalars"].append([event.step, value.tag, value.simple_value])
            if value.HasField("histo"):
                h = value.histo
                out["histograms"].append({"step": event.step, "tag": value.tag, "min": h.min, "max": h.max, "num": h.num,
                    "sum": h.sum, "limits": list(h.bucket_limit), "counts": list(h.bucket)})
print("RESULT " + json.dumps(out))
`;

interface Model {
  readonly graph: Graph;
  readonly w: Variable;
  readonly step: Variable;
  readonly loss: Output;
  readonly minimize: ReturnType<train.Optimizer["minimize"]>;
}

function model(
  place: (graph: Graph, name: string, make: () => Variable) => Variable = (_, __, make) => make(),
): Model {
  const graph = new Graph();
  const initializer = ops.zerosInitializer();
  const w = place(graph, "w", () => ops.getVariable(graph, "w", { shape: [2, 1], initializer }));
  const b = place(graph, "b", () => ops.getVariable(graph, "b", { shape: [1], initializer }));
  const step = train.getOrCreateGlobalStep(graph);
  const x = ops.constant(graph, [
    [1, 2],
    [3, -1],
  ]);
  const y = ops.add(ops.matMul(x, w.value), b.value);
  const loss = ops.reduceMean(ops.square(ops.subtract(y, [[1], [2]])));
  const minimize = new train.AdamOptimizer(0.1).minimize(loss, { globalStep: step });
  return { graph, w, step, loss, minimize };
}

async function lossOf(session: Session, loss: Output): Promise<number> {
  return Number((await session.run([loss])).values[0]?.item());
}

const isMissing = peerMissing("tensorflow");

describe("training", () => {
  let folder = "";

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-training-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function started(engine: EngineName, port?: number): Promise<Server> {
    const cluster = port === undefined ? {} : { cluster: { local: [`localhost:${port}`] } };
    const server = await Server.start(
      engine === "portable" ? { engine, ...cluster } : { engine, library: libtensorflowDir(), ...cluster },
    );
    onTestFinished(() => server.stop().then(() => undefined));
    return server;
  }

  test.skipIf(isMissing).each<[EngineName, boolean]>([
    ["portable", false],
    ["tensorflow", true],
  ])(
    "on engine %s (sharded: %s), stock Python goes on from a checkpoint, and back",
    async (engine, sharded) => {
      const server = await started(engine);
      const { graph, w, step, loss, minimize } = model((owner, name, make) =>
        sharded && name === "b" ? owner.withDevice("/device:CPU:0", make) : make(),
      );
      const init = ops.globalVariablesInitializer(graph);
      const saver = new Saver(graph, { sharded });
      const session = new Session(server.target, { graph });
      onTestFinished(() => session.close());
      await session.run([], { targets: [init] });
      for (let i = 0; i < 10; i++) await session.run([], { targets: [minimize] });
      const before = await lossOf(session, loss);
      const saved = await saver.save(session, join(folder, "ours.ckpt"), { globalStep: 10 });
      const files = (await readdir(folder)).filter((name) => name.startsWith("ours.ckpt-10.data"));
      expect(files).toHaveLength(sharded ? 2 : 1);

      const python = await tensorflowResult<{
        latest: string;
        before: number;
        after: number;
        saved: string;
        step: number;
        m: number[][];
      }>(PYTHON_GOES_ON, { args: [folder] });
      expect(python.latest).toBe(saved);
      expect(python.before).toBeCloseTo(before, 5);
      expect(python.step).toBe(20);

      expect(await saver.restoreLatest(session, folder)).toBe(python.saved);
      expect(await lossOf(session, loss)).toBeCloseTo(python.after, 5);
      const { values } = await session.run([step.value, w.value]);
      expect(values[0]?.item()).toBe(20n);
    },
  );

  test("old checkpoints are deleted, and a damaged one is passed over", async () => {
    const server = await started("portable");
    const { graph, loss, minimize } = model();
    const init = ops.globalVariablesInitializer(graph);
    const saver = new Saver(graph, { maxToKeep: 2 });
    const session = new Session(server.target, { graph });
    onTestFinished(() => session.close());
    await session.run([], { targets: [init] });
    const losses: number[] = [];
    for (let i = 1; i <= 3; i++) {
      await session.run([], { targets: [minimize] });
      losses.push(await lossOf(session, loss));
      await saver.save(session, join(folder, "model.ckpt"), { globalStep: i });
    }
    const prefixes = [2, 3].map((i) => join(folder, `model.ckpt-${i}`));
    expect(await getCheckpointState(folder)).toEqual({ latest: prefixes[1], all: prefixes });
    expect((await readdir(folder)).sort()).toEqual([
      "checkpoint",
      ...[2, 3].flatMap((i) => [`model.ckpt-${i}.data-00000-of-00001`, `model.ckpt-${i}.index`]),
    ]);
    await truncate(join(folder, "model.ckpt-3.data-00000-of-00001"), 5);
    expect(await saver.restoreLatest(session, folder)).toBe(prefixes[0]);
    expect(await lossOf(session, loss)).toBeCloseTo(losses[1] ?? Number.NaN, 6);
    await expect(
      new Saver({ other: ops.globalVariables(graph)[0] as Variable }).restore(session, prefixes[0] ?? ""),
    ).rejects.toThrow(/Key other not found in checkpoint/);
  });

  test.skipIf(isMissing)(
    "a loop saves, reports and ends by its hooks, and goes on where it ended",
    async () => {
      const server = await started("portable");
      const lines: string[] = [];
      const loop = async (lastStep: number): Promise<number> => {
        const { graph, loss, minimize, w } = model();
        const session = await MonitoredTrainingSession.create({
          ...{ graph, master: server.target, checkpointDir: folder, saveCheckpointSteps: 4 },
          hooks: [
            new StopAtStepHook({ lastStep }),
            new LoggingTensorHook({ loss }, { everyNIter: 5, log: (line) => lines.push(line) }),
          ],
          chiefOnlyHooks: [new SummarySaverHook(folder, { saveSteps: 2, tensors: { loss, w: w.value } })],
        });
        let steps = 0;
        while (!session.shouldStop()) {
          await session.run([], { targets: [minimize] });
          steps += 1;
        }
        await session.close();
        return steps;
      };
      expect(await loop(10)).toBe(10);
      expect(await latestCheckpoint(folder)).toBe(join(folder, "model.ckpt-10"));
      expect(await loop(13)).toBe(3);
      expect(await latestCheckpoint(folder)).toBe(join(folder, "model.ckpt-13"));
      expect(lines[0]).toMatch(/^step [01]: loss = \d/);
      const events = await tensorflowResult<{ scalars: [number, string, number][]; graphs: number }>(
        PYTHON_READS_EVENTS,
        { args: [folder] },
      );
      expect(events.graphs).toBe(2);
      const written = events.scalars.filter(([, tag]) => tag === "loss").map(([, , value]) => value);
      expect(written.length).toBeGreaterThanOrEqual(6);
      expect(written.at(-1)).toBeLessThan(written[0] ?? 0);
    },
  );

  test.skipIf(isMissing)(
    "a chief saves all summaries and the steps a second, unless told otherwise",
    async () => {
      const server = await started("portable");
      const { graph, loss, minimize } = model();
      summaries.scalar("the_loss", loss);
      const last = new FinalOpsHook([loss]);
      const session = await MonitoredTrainingSession.create({
        ...{
          graph,
          master: server.target,
          checkpointDir: folder,
          logStepCountSteps: 3,
          saveSummariesSteps: 4,
        },
        hooks: [new StopAtStepHook({ lastStep: 10 }), last],
      });
      expect(last.finalOpsValues).toBeUndefined();
      while (!session.shouldStop()) await session.run([], { targets: [minimize] });
      await session.close();
      const { scalars } = await tensorflowResult<{ scalars: [number, string, number][] }>(
        PYTHON_READS_EVENTS,
        {
          args: [folder],
        },
      );
      const losses = scalars.filter(([, tag]) => tag === "the_loss").map(([, , value]) => value);
      expect(losses).toHaveLength(3);
      expect(losses.at(-1)).toBeLessThan(losses[0] ?? 0);
      const rates = scalars.filter(([, tag]) => tag === "global_step/sec");
      expect(rates).toHaveLength(3);
      for (const [, , rate] of rates) expect(rate).toBeGreaterThan(0);
      expect(last.finalOpsValues?.map(({ dtype, shape }) => [dtype, shape])).toEqual([["float32", []]]);
    },
  );

  test.each([true, false])(
    "a loss that is no number ends the loop (as a failure: %s)",
    async (failOnNanLoss) => {
      const server = await started("portable");
      const { graph, loss, minimize } = model();
      const scale = ops.placeholder(graph, "float32", [], { name: "scale" });
      const scaled = ops.multiply(loss, scale);
      const session = await MonitoredTrainingSession.create({
        ...{ graph, master: server.target },
        hooks: [new NanTensorHook(scaled, { failOnNanLoss })],
      });
      onTestFinished(() => session.close());
      const step = (by: number) =>
        session.run([], { targets: [minimize], feeds: new Map([[scale, Tensor.of(by, "float32")]]) });
      await step(1);
      expect(session.shouldStop()).toBe(false);
      const diverged = step(Number.NaN);
      if (failOnNanLoss) await expect(diverged).rejects.toThrow(/diverged: \S+ is NaN/);
      else await diverged;
      expect(session.shouldStop()).toBe(!failOnNanLoss);
    },
  );

  test("a worker may start later than others, and does not wait for a chief forever", async () => {
    const server = await started("portable");
    const [chiefs, workers] = [model(), model()];
    const worker = (more: object) =>
      MonitoredTrainingSession.create({
        ...{ graph: workers.graph, master: server.target, isChief: false, retryMillis: 20, ...more },
      });
    await expect(worker({ maxWaitSecs: 0.2 })).rejects.toMatchObject({
      codeName: "DEADLINE_EXCEEDED",
      message: expect.stringContaining("not ready after 0.2 s"),
    });
    const chief = await MonitoredTrainingSession.create({ graph: chiefs.graph, master: server.target });
    const late = await worker({ hooks: [new GlobalStepWaiterHook(2)] });
    const order: string[] = [];
    const its = late.run([], { targets: [workers.minimize] }).then(() => order.push("late"));
    for (let step = 1; step <= 2; step += 1) {
      await chief.run([], { targets: [chiefs.minimize] });
      order.push("chief");
    }
    await its;
    expect(order).toEqual(["chief", "chief", "late"]);
    await Promise.all([late.close(), chief.close()]);
  });

  test("a worker waits until the chief has initialized the variables", async () => {
    const server = await started("portable");
    const [chiefs, workers] = [model(), model()];
    const waits = new AbortController();
    const worker = MonitoredTrainingSession.create({
      ...{
        graph: workers.graph,
        master: server.target,
        isChief: false,
        retryMillis: 20,
        signal: waits.signal,
      },
    });
    // Another worker that gives up shows that nobody but the chief makes the variables ready.
    const early = new AbortController();
    const impatient = MonitoredTrainingSession.create({
      ...{
        graph: model().graph,
        master: server.target,
        isChief: false,
        retryMillis: 20,
        signal: early.signal,
      },
    });
    early.abort();
    await expect(impatient).rejects.toMatchObject({ codeName: "CANCELLED" });
    const chief = await MonitoredTrainingSession.create({ graph: chiefs.graph, master: server.target });
    const joined = await worker;
    await joined.run([], { targets: [workers.minimize] });
    const { values } = await chief.run([chiefs.step.value]);
    expect(values[0]?.item()).toBe(1n);
    await Promise.all([joined.close(), chief.close()]);
  });

  test("a loop goes on from the last checkpoint when its server comes back", async () => {
    const port = await freePort();
    const first = await started("portable", port);
    const { graph, step, minimize } = model();
    const losses: string[] = [];
    const session = await MonitoredTrainingSession.create({
      ...{ graph, master: first.target, checkpointDir: folder, saveCheckpointSteps: 5, retryMillis: 50 },
      onRecovery: (reason) => losses.push(reason.codeName),
    });
    for (let i = 0; i < 7; i++) await session.run([], { targets: [minimize] });
    const { values: before } = await session.run([step.value]);
    expect(before[0]?.item()).toBe(7n);
    await first.stop();
    const step8 = session.run([], { targets: [minimize] });
    await started("portable", port);
    await step8;
    const { values } = await session.run([step.value]);
    // Five steps were saved (six, if the hook saw the step's number behind the update); the step is the next.
    expect([6n, 7n]).toContain(values[0]?.item());
    expect(losses.length).toBeGreaterThan(0);
    await session.close();
  });

  test.skipIf(isMissing)("events are those that TensorFlow reads", async () => {
    const writer = await FileWriter.create(folder);
    const values = [-2.5, 0, 0.1, 0.1, 3, 1e6];
    await writer.addSummary([scalarSummary("accuracy", 0.5), histogramSummary("weights", values)], 7);
    await writer.addSummary([histogramSummary("tensor", Tensor.of([1, 2, 3], "float32"))], 8);
    expect(() => histogramSummary("bad", [Number.NaN])).toThrow('"bad" has values that are not finite');
    await writer.flush();
    await writer.close();
    const read = await tensorflowResult<{
      versions: string[];
      scalars: unknown[];
      histograms: {
        step: number;
        num: number;
        min: number;
        max: number;
        sum: number;
        limits: number[];
        counts: number[];
      }[];
    }>(PYTHON_READS_EVENTS, { args: [folder] });
    expect(read.versions).toEqual(["brain.Event:2"]);
    expect(read.scalars).toEqual([[7, "accuracy", 0.5]]);
    const [first, second] = read.histograms;
    expect(first).toMatchObject({ step: 7, num: 6, min: -2.5, max: 1e6 });
    expect(first?.sum).toBeCloseTo(1000000.7, 5);
    // Each value lies below its bucket's limit, and not below the one before.
    let at = 0;
    const limits = first?.limits ?? [];
    for (const [i, count] of (first?.counts ?? []).entries()) {
      for (let k = 0; k < count; k++, at++) {
        expect(values[at]).toBeLessThan(limits[i] ?? Number.NaN);
        if (i > 0) expect(values[at]).toBeGreaterThanOrEqual(limits[i - 1] ?? Number.NaN);
      }
    }
    expect(at).toBe(values.length);
    expect(second).toMatchObject({ step: 8, num: 3 });
  });
});
