/** Runs in which every worker has a session of its own, with tasks of the portable engine. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import type { EventData, EventName, MethodName, Params, Result } from "../../../main/api/contract.js";
import type { RunRequest, RunUpdate } from "../../../main/api/runs.js";
import { type Application, createApplication } from "../../../main/application.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { shortTaskText, taskOfDevice } from "../../../worker-runtime/cluster/device-name.js";
import { lineTraining } from "../support/line-training.js";
import { until } from "../support/until.js";

let dataDir: string;
let application: Application;
let cluster: ClusterState | undefined;
let run: RunUpdate | undefined;
const savedEnvironment = { ...process.env };

function call<M extends MethodName>(method: M, params?: Params<M>): Promise<Result<M>> {
  return application.handle(method, params) as Promise<Result<M>>;
}

const tasks = () => cluster?.machines.flatMap((machine) => machine.tasks) ?? [];
const allRun = (count: number) =>
  until("all tasks run", () => tasks().filter(({ state }) => state === "running").length === count, 60_000);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-training-"));
  process.env.TENSORDECK_DATA_DIR = dataDir;
  process.env.TENSORDECK_NETWORK = "off";
  application = await createApplication({ dataDir, host: { kind: "headless" } });
  application.onEvent((event: EventName, data: EventData<EventName>) => {
    if (event === "cluster") cluster = data as ClusterState;
    if (event === "run") run = data as RunUpdate;
  });
  await call("cluster.addTasks", { job: "ps", count: 1, engine: "portable" });
  await call("cluster.addTasks", { job: "worker", count: 2, engine: "portable" });
  await allRun(3);
});

afterAll(async () => {
  await application.dispose();
  process.env = savedEnvironment;
  await rm(dataDir, { recursive: true });
});

async function begin(request: RunRequest): Promise<() => Promise<RunUpdate>> {
  const { runId } = await call("runs.start", request);
  return async () => {
    const isOver = () => run?.runId === runId && ["done", "failed", "stopped"].includes(run.state);
    await until("the run is over", isOver, 60_000);
    if (!run) throw new Error("no run");
    return run;
  };
}

/** The tasks that the traced step ran nodes on. */
const tasksOfTrace = ({ nodes }: RunUpdate) =>
  [...new Set(nodes.map(({ device }) => taskNameOf(device)))].sort();
const taskNameOf = (device: string) => {
  const task = taskOfDevice(device);
  return task && shortTaskText(task);
};

const clear = () => Promise.all(tasks().map(({ id }) => call("cluster.clearState", { taskId: id })));
const lossOf = (update: RunUpdate) => Number(update.fetches[0]?.values[0]);

it("initializes the variables, and steps both workers together: sync", async () => {
  const ended = await (await begin(lineTraining("sync", 10, 0.01)))();
  expect(ended).toMatchObject({ state: "done", step: 10 });
  expect(ended.training?.workers.map(({ name, steps }) => [name, steps])).toEqual([
    ["worker/0", 10],
    ["worker/1", 10],
  ]);
  expect(tasksOfTrace(ended)).toEqual(["ps/0", "worker/0", "worker/1"]);
  expect(ended).toMatchObject({ tracedStep: 10, tracedStepRegisteredGraph: false });
  const sent = ended.transfers.map(({ tensor, toDevice }) => `${tensor} to ${taskNameOf(toDevice)}`);
  expect(sent.filter((text) => text.startsWith("w/read:0")).sort()).toEqual([
    "w/read:0 to worker/0",
    "w/read:0 to worker/1",
  ]);
  // Both have all of the points, so it is gradient descent on one machine: the error of w shrinks by 1 - 0.01 · 7.
  expect(lossOf(ended)).toBeCloseTo(3.5 * 1.5 ** 2 * 0.93 ** 18, 3);
  await clear();
});

it("counts the updates of all workers, and how old their gradients were: async", async () => {
  const ended = await (await begin(lineTraining("async", 30, 0.01)))();
  expect(ended).toMatchObject({ state: "done", step: 30 });
  expect(ended.training?.workers.reduce((sum, { steps }) => sum + steps, 0)).toBe(30);
  expect(ended.training?.staleness.reduce((sum, count) => sum + count, 0)).toBe(30);
  // Parts of a step of one of them.
  expect(tasksOfTrace(ended)).toEqual(["ps/0", expect.stringMatching(/^worker\/[01]$/)]);
  await clear();
});

const savedSteps = (update: RunUpdate) => update.checkpoints?.saved.map(({ prefix }) => basename(prefix));

it("saves checkpoints as it trains, keeps the newest, and the variables get their values back", async () => {
  const folder = join(dataDir, "line.checkpoints");
  const request = lineTraining("single", 10, 0.01);
  const ended = await (
    await begin({
      ...{ ...request, checkpoints: { every: 4, keep: 2 } },
      origin: { document: "line", path: join(dataDir, "line.meta"), digest: "" },
    })
  )();
  expect(ended).toMatchObject({ state: "done", checkpoints: { folder, keep: 2, every: 4, saving: false } });
  expect(ended.checkpoints?.problem).toBeUndefined();
  expect(savedSteps(ended)).toEqual(["ckpt-10", "ckpt-8"]);
  const [newest, before] = ended.checkpoints?.saved ?? [];
  expect(newest).toMatchObject({ step: 10, loss: expect.closeTo(lossOf(ended), 6) });
  expect(before?.loss).toBeGreaterThan(newest?.loss ?? Number.NaN);
  expect((await readdir(folder)).filter((name) => !name.startsWith("events.out.tfevents.")).sort()).toEqual([
    "checkpoint",
    ...["ckpt-10", "ckpt-8"].flatMap((name) => [`${name}.data-00000-of-00001`, `${name}.index`]),
  ]);
  expect(await readFile(join(folder, "checkpoint"), "utf8")).toMatch(/^model_checkpoint_path: "ckpt-10"$/m);

  const { graphId, variables } = await call("variables.inspect", { graph: request.graph });
  const names = variables.map(({ name }) => name);
  const restored = await call("variables.restore", {
    ...{ graphId, names, path: before?.prefix ?? "", jobId: "restore" },
  });
  expect(restored).toMatchObject({ restored: names.length, missing: [] });
  // A further run goes on from there, with the numbers of its steps, and counts those that are there.
  const next = await (
    await begin({ ...lineTraining("single", 1, 0.01), checkpoints: { every: 1, keep: 3, folder } })
  )();
  expect(savedSteps(next)).toEqual(["ckpt-9", "ckpt-10", "ckpt-8"]);
  expect(lossOf(next)).toBeLessThan(before?.loss ?? Number.NaN);
  await clear();
});

it("saves one when it is asked for, while each worker has a session of its own, and while it is paused", async () => {
  const end = await begin({
    ...lineTraining("async", 1_000_000, 0.01),
    origin: { document: "A line, drawn", digest: "" },
  });
  await until("it trains", () => run?.state === "running" && run.step > 2, 60_000);
  const { runId = "" } = run ?? {};
  await call("runs.saveCheckpoint", { runId });
  await until("it is saved", () => run?.checkpoints?.saved.length === 1, 60_000);
  expect(run?.checkpoints).toMatchObject({ folder: join(dataDir, "checkpoints", "A_line_drawn"), keep: 5 });
  await call("runs.pause", { runId });
  await until("it is paused", () => run?.state === "paused", 60_000);
  await call("runs.saveCheckpoint", { runId });
  await until("another one is saved", () => run?.checkpoints?.saved.length === 2, 60_000);
  expect(run?.state).toBe("paused");
  await call("runs.stop", { runId, abort: false });
  expect(savedSteps(await end())).toHaveLength(2);
  await clear();
});

it("goes on where checkpoints cannot be saved, and says why", async () => {
  const folder = join(dataDir, "file");
  await writeFile(folder, "");
  const request = {
    ...lineTraining("single", 3, 0.01),
    checkpoints: { every: 1, keep: 1, folder: join(folder, "in") },
  };
  const ended = await (await begin(request))();
  expect(ended).toMatchObject({
    ...{ state: "done", step: 3 },
    checkpoints: { saved: [], problem: { message: "The checkpoint cannot be written." } },
  });
  await clear();
});

it("goes on without a worker that is lost", async () => {
  const end = await begin(lineTraining("sync", 1_000_000, 0.01));
  await until("it trains", () => run?.state === "running" && run.step > 2, 60_000);
  const worker = tasks().find(({ job, index }) => job === "worker" && index === 1);
  await call("cluster.stopTask", { taskId: worker?.id ?? "" });
  const isLost = () => run?.training?.workers[1]?.lostAtStep !== undefined;
  await until("its loss is told", isLost, 60_000);
  const after = run?.step ?? 0;
  await until("the other goes on", () => (run?.step ?? 0) > after, 60_000);
  await call("runs.stop", { runId: run?.runId ?? "", abort: false });
  expect((await end()).state).toBe("stopped");
});

it("says what to do when nodes of the training were removed", async () => {
  const request = lineTraining("single", 1, 0.01);
  const graph = GraphDef.decode(request.graph);
  const node = graph.node.filter(({ name }) => name !== "train/all_initialized");
  const ended = await (await begin({ ...request, graph: GraphDef.encode({ ...graph, node }).finish() }))();
  expect(ended.problem).toMatchObject({ code: "FAILED_PRECONDITION", remedy: "Make it trainable again." });
});
