/** The application as a window sees it, with real tasks behind it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClusterState, Engine, Task } from "../../main/api/cluster.js";
import type { EventData, EventName, MethodName, Params, Result } from "../../main/api/contract.js";
import type { RunRequest, RunUpdate } from "../../main/api/runs.js";
import { ProblemError } from "../../main/api/wire.js";
import { type Application, createApplication } from "../../main/application.js";
import { MachineDescriber } from "../../main/machine/machine-describer.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { OpList } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { engineEnvironment } from "../support/engine-environment.js";
import { peerMissing, spawnPeer, tensorflowPython } from "../support/peers.js";
import { until } from "./support/until.js";

let dataDir: string;
let application: Application;
let cluster: ClusterState;
let run: RunUpdate | undefined;
const savedEnvironment = { ...process.env };

function call<M extends MethodName>(method: M, params?: Params<M>): Promise<Result<M>> {
  return application.handle(method, params) as Promise<Result<M>>;
}

async function failure(promise: Promise<unknown>): Promise<ProblemError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

async function open(engine: Engine): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-app-"));
  process.env.TENSORDECK_DATA_DIR = dataDir;
  Object.assign(process.env, engineEnvironment(engine, dataDir));
  application = await createApplication({
    dataDir,
    network: "off",
    host: { kind: "headless", newWindowUrl: () => "http://new" },
  });
  application.onEvent((event: EventName, data: EventData<EventName>) => {
    if (event === "cluster") cluster = data as ClusterState;
    if (event === "run") run = data as RunUpdate;
  });
}

async function close(): Promise<void> {
  await application.dispose();
  process.env = { ...savedEnvironment };
  await rm(dataDir, { recursive: true });
}

describe("the contract", () => {
  beforeAll(() => open("portable"));
  afterAll(close);

  it("names the field that does not fit", async () => {
    const { problem } = await failure(application.handle("cluster.addTasks", { job: "1x", count: 99 }));
    expect(problem.code).toBe("INVALID_ARGUMENT");
    expect(problem.reason).toMatch(/job: a job name is a letter/);
    expect(problem.reason).toMatch(/count: /);
  });

  it("has no other methods, not even those of every object", async () => {
    for (const method of ["cluster.explode", "constructor", "__proto__"]) {
      expect((await failure(application.handle(method, undefined))).problem.code).toBe("INVALID_ARGUMENT");
    }
  });

  it("answers what concerns the host", async () => {
    expect(await call("app.info")).toMatchObject({
      version: "0.1.0",
      host: "headless",
      fileDialogs: "window",
    });
    expect(await call("app.newWindowUrl")).toBe("http://new");
    const pick = { mode: "open" as const, title: "", extensions: [] };
    expect((await failure(call("files.pick", pick))).problem.code).toBe("UNIMPLEMENTED");
  });

  it("lists what the portable engine has a kernel for", async () => {
    const { version, kernels } = await call("kernels.list");
    expect(version).toBe("0.1.0");
    const matMul = kernels.find(({ op }) => op === "MatMul");
    expect(matMul).toMatchObject({ deviceType: "CPU", types: { T: expect.arrayContaining(["float32"]) } });
  });

  it("remembers settings", async () => {
    await call("settings.set", { theme: "light" });
    expect(JSON.parse(await readFile(join(dataDir, "settings.json"), "utf8"))).toMatchObject({
      theme: "light",
    });
  });
});

it("measures this machine only while a window listens, not for an agent's own listeners", async () => {
  const measuring = vi.spyOn(MachineDescriber.prototype, "onSample");
  const idleDir = await mkdtemp(join(tmpdir(), "tensordeck-idle-"));
  const idle = await createApplication({ dataDir: idleDir, network: "off", host: { kind: "headless" } });
  onTestFinished(async () => {
    measuring.mockRestore();
    await idle.dispose();
    await rm(idleDir, { recursive: true });
  });
  const stopAgent = idle.onEvent(() => undefined, { background: true });
  await idle.handle("cluster.get", undefined);
  expect(measuring).not.toHaveBeenCalled();
  const sampled = vi.fn();
  const stopWindow = idle.onEvent((event) => event === "samples" && sampled());
  expect(measuring).toHaveBeenCalledTimes(1);
  await until("the window's first sample", () => sampled.mock.calls.length > 0);
  const stop = vi.spyOn(globalThis, "clearInterval");
  stopWindow();
  // The timer that measured.
  expect(stop).toHaveBeenCalled();
  stop.mockRestore();
  stopAgent();
  expect(measuring).toHaveBeenCalledTimes(1);
});

const ENGINES = [
  { engine: "portable", isMissing: false },
  { engine: "tensorflow", isMissing: peerMissing("tensorflow") },
] as const;

describe.each(ENGINES)("runs on $engine", ({ engine, isMissing }) => {
  describe.skipIf(isMissing)("of graphs", () => {
    const tasks = (): Task[] => cluster.machines[0]?.tasks ?? [];
    const task = (name: string): Task => {
      const found = tasks().find(({ job, index }) => `${job}/${index}` === name);
      if (!found) throw new Error(`no task ${name}`);
      return found;
    };
    const allRun = () => until("all tasks run", () => tasks().every(({ state }) => state === "running"));

    async function example(id: string): Promise<Uint8Array> {
      const { metaGraph } = await call("documents.openExample", { id });
      const { graphDef } = MetaGraphDef.decode(metaGraph);
      return GraphDef.encode(graphDef ?? GraphDef.create()).finish();
    }

    async function start(request: Partial<RunRequest>): Promise<string> {
      const { runId } = await call("runs.start", {
        graph: new Uint8Array(),
        feeds: [],
        fetches: [],
        targets: [],
        steps: 1,
        trace: false,
        softPlacement: true,
        logDevicePlacement: false,
        ...request,
      });
      return runId;
    }

    async function finish(runId: string): Promise<RunUpdate> {
      const over = () => run?.runId === runId && ["done", "failed", "stopped"].includes(run.state);
      await until("the run is over", over, 60_000);
      if (!run) throw new Error("no run");
      return run;
    }

    const execute = async (request: Partial<RunRequest>) => finish(await start(request));

    const running = (runId: string, steps = 3) =>
      until("steps are done", () => run?.runId === runId && run.step >= steps);

    beforeAll(async () => {
      await open(engine);
      await call("cluster.addTasks", { job: "worker", count: 2, engine });
    });
    afterAll(close);

    it("the welcome graph gives 11.0, waits for tasks that are starting, and says where every node ran", async () => {
      const update = await execute({ graph: await example("welcome"), fetches: ["z"] });
      expect(update.problem).toBeUndefined();
      expect(update.state).toBe("done");
      expect(update.fetches).toEqual([
        { name: "z:0", dtype: "float32", shape: [], values: ["11.0"], elementCount: 1, byteLength: 4 },
      ]);
      const devices = new Map(update.nodes.map(({ node, device }) => [node, device]));
      const on = (index: number) => `/job:worker/replica:0/task:${index}/device:CPU:0`;
      expect(Object.fromEntries(devices)).toEqual({ a: on(0), b: on(0), x: on(0), y: on(0), z: on(1) });
      // TensorFlow's master asks the others to record transfers without waiting, so theirs may be missing in a first step.
      expect(update.transfers.map(({ tensor }) => tensor)).toContain("z:0");
      expect(update.master).toBe("worker/0");
      expect(update.stepRegisteredGraph).toBe(true);
      expect(update.sessionMillis).toBeGreaterThan(0);
      expect(update.stepMillis).toBeGreaterThan(update.computeMillis ?? Number.POSITIVE_INFINITY);
    });

    it("a second run uses the open session", async () => {
      const update = await execute({ graph: await example("welcome"), fetches: ["z:0"] });
      expect(update.sessionMillis).toBeUndefined();
      expect(update.stepRegisteredGraph).toBe(false);
    });

    it("a graph that grew runs in the same session, one that changed in a new one", async () => {
      const graph = GraphDef.decode(await example("welcome"));
      const z = graph.node.find(({ name }) => name === "z");
      if (!z) throw new Error("no z");
      graph.node.push({ ...z, name: "more", input: ["z", "z"] });
      const grown = await execute({ graph: GraphDef.encode(graph).finish(), fetches: ["more:0"] });
      expect(grown.fetches[0]?.values).toEqual(["22.0"]);
      expect(grown.sessionMillis).toBeUndefined();
      z.device = "/job:worker/task:0";
      const repinned = await execute({ graph: GraphDef.encode(graph).finish(), fetches: ["z:0"] });
      expect(repinned.sessionMillis).toBeDefined();
      expect(repinned.nodes.find(({ node }) => node === "z")?.device).toContain("/task:0/");
    });

    it("a column of 1,000 ones gives 1000, and its parts can be looked at", async () => {
      const csv = new TextEncoder().encode(`count,other\n${"1,x\n".repeat(1000)}`);
      const update = await execute({
        graph: await example("csv-sum"),
        fetches: ["total:0", "parts:1", "input:0"],
        feeds: [{ name: "input", value: { kind: "content", name: "ones.csv", bytes: csv, column: "count" } }],
      });
      expect(update.problem).toBeUndefined();
      expect(update.fetches[0]?.values).toEqual(["1000"]);
      const tensor = { runId: update.runId, name: "parts:1" };
      const selection = [{ from: 490, to: 500, step: 1 }];
      const grid = { tensor, selection, rows: { from: 0, count: 1 }, columns: { from: 8, count: 10 } };
      expect(await call("tensors.cells", grid)).toEqual({ values: ["1", "1"], rows: 1, columns: 2, step: 1 });
      const missing = call("tensors.describe", { ...tensor, name: "none:0" });
      expect((await failure(missing)).problem.code).toBe("NOT_FOUND");
      const trace: unknown = JSON.parse(await call("runs.chromeTrace", { runId: update.runId }));
      expect(trace).toMatchObject({
        traceEvents: expect.arrayContaining([expect.objectContaining({ ph: "X" })]),
      });
    });

    it("says which placeholder lacks a value, and why a value does not fit", async () => {
      const graph = await example("csv-sum");
      expect((await execute({ graph, fetches: ["total:0"] })).problem).toMatchObject({
        code: "INVALID_ARGUMENT",
        message: "The placeholder input has no value.",
        node: "input",
      });
      const feeds = [{ name: "input:0", value: { kind: "literal" as const, text: "[1, 2.5]" } }];
      expect((await execute({ graph, fetches: ["total:0"], feeds })).problem).toMatchObject({
        code: "INVALID_ARGUMENT",
        node: "input",
        reason: expect.stringContaining("int32"),
      });
    });

    it("says which node is pinned to a task that is not there, and what would help", async () => {
      const graph = GraphDef.decode(await example("welcome"));
      for (const node of graph.node) if (node.name === "z") node.device = "/job:ps/task:3";
      const update = await execute({ graph: GraphDef.encode(graph).finish(), fetches: ["z:0"] });
      expect(update.problem).toMatchObject({
        message: "z is pinned to ps/3, which the cluster does not have.",
        remedy: "Pin z to worker/0 or worker/1, or add a task to job ps.",
        node: "z",
        task: "ps/3",
      });
    });

    it("says what to do about a variable without a value, and keeps values when a worker is added", async () => {
      const graph = await example("counter");
      expect((await execute({ graph, fetches: ["count:0"] })).problem).toMatchObject({
        code: "FAILED_PRECONDITION",
        node: "count",
        task: "worker/0",
        remedy: expect.stringContaining("initializer"),
      });
      expect((await execute({ graph, targets: ["init"] })).state).toBe("done");
      const counted = await execute({ graph, fetches: ["count:0"], steps: 5 });
      expect(counted.fetches[0]?.values).toEqual(["5.0"]);
      expect(counted).toMatchObject({ tracedStep: 5, tracedStepRegisteredGraph: false });
      await call("cluster.addTasks", { job: "worker", count: 1, engine });
      await until("three tasks", () => tasks().length === 3);
      await allRun();
      expect((await execute({ graph, fetches: ["count:0"] })).fetches[0]?.values).toEqual(["6.0"]);
    });

    it("a seeded random sequence goes on from step to step and from run to run", async () => {
      const graph = new Graph();
      const shape = graph.op(
        "Const",
        [],
        { dtype: DataType.DT_INT32, value: Tensor.of([1], "int32") },
        "shape",
      );
      graph.op("RandomUniform", shape.outputs, { dtype: DataType.DT_FLOAT, seed: 7, seed2: 9 }, "random");
      const bytes = GraphDef.encode(graph.toGraphDef()).finish();
      const valueAfter = async (steps: number) =>
        (await execute({ graph: bytes, fetches: ["random:0"], steps })).fetches[0]?.values[0];
      const seen = [await valueAfter(1), await valueAfter(2), await valueAfter(1), await valueAfter(2)];
      expect(new Set(seen).size).toBe(4);
      const traced = await execute({ graph: bytes, fetches: ["random:0"], steps: 2, trace: true });
      expect(seen).not.toContain(traced.fetches[0]?.values[0]);
    });

    it("explains shapes that do not fit", async () => {
      const graph = new Graph();
      const a = graph.op("Placeholder", [], { dtype: DataType.DT_FLOAT }, "a").outputs;
      const b = graph.op("Placeholder", [], { dtype: DataType.DT_FLOAT }, "b").outputs;
      graph.op("AddV2", [...a, ...b], {}, "sum");
      const update = await execute({
        graph: GraphDef.encode(graph.toGraphDef()).finish(),
        fetches: ["sum:0"],
        feeds: [
          { name: "a", value: { kind: "literal", text: "[1, 2]" } },
          { name: "b", value: { kind: "literal", text: "[1, 2, 3]" } },
        ],
      });
      expect(update.problem).toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^sum failed on worker\/0: .*Incompatible shapes: \[2\] vs\. \[3\]/),
        reason: expect.stringContaining("shapes"),
        node: "sum",
      });
    });

    it("stops after the current step, and takes one run at a time", async () => {
      const graph = await example("welcome");
      const runId = await start({ graph, fetches: ["z:0"], steps: 1_000_000 });
      await running(runId);
      expect((await failure(start({ graph, fetches: ["z:0"] }))).problem.code).toBe("FAILED_PRECONDITION");
      await call("runs.stop", { runId, abort: false });
      const update = await finish(runId);
      expect(update.state).toBe("stopped");
      expect(update.step).toBeGreaterThan(0);
      expect(update.problem).toBeUndefined();
      // A long run, too, shows where every node ran.
      expect(update.nodes.map(({ node }) => node).sort()).toEqual(["a", "b", "x", "y", "z"]);
    });

    it("aborts a step that would never end, or ends it at its time limit", async () => {
      const graph = new Graph();
      const queue = graph.op("FIFOQueueV2", [], { component_types: [DataType.DT_FLOAT] }, "queue").outputs;
      graph.op("QueueDequeueV2", queue, { component_types: [DataType.DT_FLOAT] }, "waits");
      const bytes = GraphDef.encode(graph.toGraphDef()).finish();
      const runId = await start({ graph: bytes, fetches: ["waits:0"] });
      await until("the step runs", () => run?.runId === runId && run.state === "running");
      await call("runs.stop", { runId, abort: false });
      expect((await call("runs.latest"))?.state).toBe("stopping");
      await call("runs.stop", { runId, abort: true });
      expect((await finish(runId)).state).toBe("stopped");
      const late = await execute({ graph: bytes, fetches: ["waits:0"], stepTimeoutMillis: 300 });
      expect(late.problem).toMatchObject({
        code: "DEADLINE_EXCEEDED",
        remedy: expect.stringContaining("limit"),
      });
    });

    it("fails when a worker is killed, names it, and runs again once it is back", async () => {
      const graph = await example("welcome");
      const runId = await start({ graph, fetches: ["z:0"], steps: 1_000_000 });
      await running(runId);
      process.kill(task("worker/1").pid ?? 0, "SIGKILL");
      const update = await finish(runId);
      expect(update).toMatchObject({ state: "failed", fetches: [{ values: ["11.0"] }] });
      expect(update.problem).toMatchObject({
        message: "The run failed because worker/1 ended unexpectedly (signal SIGKILL).",
        task: "worker/1",
        reason: expect.stringContaining("memory"),
      });
      expect((await execute({ graph, fetches: ["z:0"] })).problem).toMatchObject({
        node: "z",
        task: "worker/1",
      });
      await call("cluster.startTask", { taskId: task("worker/1").id });
      expect((await execute({ graph, fetches: ["z:0"] })).fetches[0]?.values).toEqual(["11.0"]);
    });

    it("runs in a fixed cluster as well", async () => {
      await call("cluster.setMembership", { membership: "fixed" });
      const graph = await example("welcome");
      expect((await execute({ graph, fetches: ["z:0"], steps: 3 })).fetches[0]?.values).toEqual(["11.0"]);
    });

    it.skipIf(peerMissing("tensorflow"))("serves a stock script in a fixed cluster", async () => {
      const script = `
import tensorflow.compat.v1 as tf
with tf.Graph().as_default():
  with tf.device("/job:worker/task:0"):
    x = tf.constant(3.0) + tf.constant(2.0)
  with tf.device("/job:worker/task:1"):
    z = x + 6.0
  with tf.Session("grpc://${task("worker/0").address}") as session:
    print("z is", session.run(z))`;
      const python = await spawnPeer(tensorflowPython(), ["-c", script], { ready: /z is ([\d.]+)/ });
      expect(python.match?.[1]).toBe("11.0");
      await python.exited;
    });

    it("runs with a task of a fixed cluster missing, and in a dynamic one again", async () => {
      const graph = await example("welcome");
      await call("cluster.stopTask", { taskId: task("worker/2").id });
      expect((await execute({ graph, fetches: ["z:0"] })).fetches[0]?.values).toEqual(["11.0"]);
      await call("cluster.setMembership", { membership: "dynamic" });
      expect((await execute({ graph, fetches: ["z:0"] })).fetches[0]?.values).toEqual(["11.0"]);
    });

    if (engine === "tensorflow")
      it("knows the library's own ops", async () => {
        const { source, opList } = await call("ops.list");
        expect(source).toContain("TensorFlow 2.");
        expect(OpList.decode(opList).op.length).toBeGreaterThan(1500);
        expect((await call("runtime.get")).runtime?.origin).toContain("TENSORDECK_LIBTENSORFLOW");
      });

    it("ends its tasks when it is disposed", async () => {
      const pids = tasks().flatMap(({ pid }) => pid ?? []);
      expect(pids.length).toBe(2);
      await application.dispose();
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
      expect((await failure(call("cluster.get"))).problem.code).toBe("UNAVAILABLE");
    });
  });
});
