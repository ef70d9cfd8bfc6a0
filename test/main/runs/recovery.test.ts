/** Trainings whose parameter server is killed, with tasks of the portable engine. */
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import type { EventData, EventName, MethodName, Params, Result } from "../../../main/api/contract.js";
import type { RunRequest, RunUpdate } from "../../../main/api/runs.js";
import { type Application, createApplication } from "../../../main/application.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { Scheme } from "../../../worker-runtime/graph/training/trainable/index.js";
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
const task = (name: string) => tasks().find(({ job, index }) => `${job}/${index}` === name);
const runs = (name: string) => () => task(name)?.state === "running";
const wait = (what: string, condition: () => boolean) => until(what, condition, 60_000);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-recovery-"));
  process.env.TENSORDECK_DATA_DIR = dataDir;
  process.env.TENSORDECK_NETWORK = "off";
  application = await createApplication({ dataDir, host: { kind: "headless" } });
  application.onEvent((event: EventName, data: EventData<EventName>) => {
    if (event === "cluster") cluster = data as ClusterState;
    if (event === "run") run = data as RunUpdate;
  });
  await call("cluster.addTasks", { job: "ps", count: 1, engine: "portable" });
  await call("cluster.addTasks", { job: "worker", count: 2, engine: "portable" });
  for (const name of ["ps/0", "worker/0", "worker/1"]) await wait(`${name} runs`, runs(name));
});

// So that a test that fails does not fail those after it.
afterEach(async () => {
  const { runId = "", state } = run ?? {};
  if (state !== undefined && !isOver(state)) await stop(runId);
});
afterAll(async () => {
  await application.dispose();
  process.env = savedEnvironment;
  await rm(dataDir, { recursive: true });
});

/** A training that saves often, and takes long. */
function trainable(scheme: Scheme, checkpoints: Partial<RunRequest["checkpoints"]>): RunRequest {
  return {
    ...lineTraining(scheme, 1_000_000, 0.0001),
    checkpoints: { every: 20, keep: 5, folder: join(dataDir, scheme), ...checkpoints },
  };
}

/** Ends the process of a task from outside. */
function kill(name: string): void {
  const pid = task(name)?.pid;
  if (pid === undefined) throw new Error(`${name} has no process.`);
  process.kill(pid, "SIGKILL");
}

async function trainUntilSaved(request: RunRequest, count: number): Promise<string> {
  // The test before may have left it killed.
  if (!runs("ps/0")()) await call("cluster.startTask", { taskId: task("ps/0")?.id ?? "" });
  const { runId } = await call("runs.start", request);
  await wait("checkpoints are saved", () => (run?.checkpoints?.saved.length ?? 0) >= count);
  return runId;
}

const isOver = (state: RunUpdate["state"]) => ["done", "failed", "stopped"].includes(state);

async function stop(runId: string): Promise<void> {
  await call("runs.stop", { runId, abort: true });
  await wait("the run is over", () => run?.runId === runId && isOver(run.state));
}

it("says which task was lost since when, and goes on from the newest whole checkpoint when asked: async", async () => {
  const runId = await trainUntilSaved(trainable("async", {}), 2);
  kill("ps/0");
  await wait("the run fails", () => run?.state === "failed");
  const failed = run;
  const { recovery, checkpoints, problem } = failed ?? {};
  const [newest, before] = checkpoints?.saved ?? [];
  expect(recovery).toMatchObject({ task: "ps/0", afterStep: failed?.step, checkpointStep: newest?.step });
  expect(problem?.message).toContain(`The training stopped after step ${failed?.step} because ps/0`);
  expect(problem?.remedy).toBe(`Restore from step ${newest?.step} and go on.`);

  // Half of its values are missing.
  await truncate(`${newest?.prefix}.data-00000-of-00001`, 2);
  await call("runs.goOn", { runId });
  await wait("it goes on", () => run?.state === "running" && run.step > (before?.step ?? 0));
  expect(run?.runId).toBe(runId);
  expect([run?.problem, run?.recovery]).toEqual([undefined, undefined]);
  expect(run?.recoveries).toEqual([
    {
      ...{ task: "ps/0", afterStep: failed?.step, checkpointStep: before?.step },
      damaged: [`ckpt-${newest?.step}`],
    },
  ]);
  expect(task("ps/0")?.state).toBe("running");
  // The curve has every step once.
  const curves = await call("runs.scalars", { runId });
  const { steps = [], values = [] } = curves[0] ?? {};
  expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
  const at = steps.findIndex((step) => step > (before?.step ?? 0));
  expect(values[at]).toBeLessThan(values[0] ?? 0);
  await stop(runId);
});

it("goes on by itself as often as the configuration says: in-graph", async () => {
  const runId = await trainUntilSaved(trainable("in-graph", { recoveries: 1 }), 1);
  kill("ps/0");
  await wait("it goes on", () => run?.state === "running" && run.recoveries?.length === 1);
  await wait("the task is back", runs("ps/0"));
  kill("ps/0");
  await wait("the run fails", () => run?.state === "failed");
  expect(run).toMatchObject({ runId, recovery: { task: "ps/0" }, recoveries: [{ task: "ps/0" }] });
  // The window's offer still holds.
  await call("runs.goOn", { runId });
  await wait("it goes on again", () => run?.state === "running" && run.recoveries?.length === 2);
  await stop(runId);
});

it.each(["async", "sync"] as const)(
  "goes on without a killed worker, which joins again: %s",
  async (scheme) => {
    const { checkpoints: _, ...request } = trainable(scheme, {});
    const { runId } = await call("runs.start", request);
    const figures = () => run?.training?.workers[1];
    await wait("both train", () => run?.runId === runId && (figures()?.steps ?? 0) > 2);
    kill("worker/1");
    await wait("its loss is told", () => figures()?.lostAtStep !== undefined);
    const { steps: stepsBefore = 0, lostAtStep = 0 } = figures() ?? {};
    await wait("the other goes on", () => (run?.step ?? 0) > lostAtStep + 2);
    expect(run?.state).toBe("running");
    await call("cluster.startTask", { taskId: task("worker/1")?.id ?? "" });
    await wait("it trains again", () => (figures()?.steps ?? 0) > stepsBefore + 2);
    expect(figures()?.lostAtStep).toBeUndefined();
    expect(figures()?.returns).toBe(1);
    await stop(runId);
  },
);

it("has nothing to offer without a checkpoint, and says so", async () => {
  const { checkpoints: _, ...request } = trainable("in-graph", {});
  const { runId } = await call("runs.start", request);
  await wait("it trains", () => run?.state === "running" && run.step > 0);
  kill("ps/0");
  await wait("the run fails", () => run?.state === "failed");
  expect(run?.recovery).toBeUndefined();
  await expect(call("runs.goOn", { runId })).rejects.toMatchObject({
    problem: { code: "FAILED_PRECONDITION", message: "This run cannot go on." },
  });
});

/** A short run without variables. */
const welcomeRun = async (): Promise<RunRequest> => {
  const { metaGraph } = await call("documents.openExample", { id: "welcome" });
  const graph = GraphDef.encode(MetaGraphDef.decode(metaGraph).graphDef ?? GraphDef.create()).finish();
  return {
    ...{ graph, feeds: [], fetches: ["z:0"], targets: [], steps: 1 },
    ...{ trace: false, softPlacement: true, logDevicePlacement: false },
  };
};

it("can still go on when a run that waited has followed, until that is done or dismissed", async () => {
  const folder = join(dataDir, "followed");
  const runId = await trainUntilSaved(trainable("async", { folder }), 2);
  await call("runs.enqueue", await welcomeRun());
  kill("ps/0");
  await wait("the waiting run is over", () => run?.runId !== runId && run?.state === "done");
  const next = run?.runId ?? "";
  const offered = async () =>
    (await call("runs.history")).flatMap(({ runId: id, recovery }) => (recovery ? [{ id, recovery }] : []));
  const [offer] = await offered();
  expect(offer).toMatchObject({ id: runId, recovery: { task: "ps/0" } });
  expect((await call("runs.kept", { runId })).recovery).toEqual(offer?.recovery);
  await expect(call("runs.goOn", { runId: next })).rejects.toMatchObject({
    problem: { code: "FAILED_PRECONDITION" },
  });

  await call("runs.goOn", { runId });
  const step = offer?.recovery.checkpointStep ?? 0;
  await wait("it goes on", () => run?.runId === runId && run.state === "running" && run.step > step);
  expect(run?.recoveries).toMatchObject([{ task: "ps/0", checkpointStep: step, damaged: [] }]);
  expect((await call("runs.latest"))?.runId).toBe(runId);
  expect(await offered()).toEqual([]);
  // While it goes on, no other can.
  await expect(call("runs.start", await welcomeRun())).rejects.toThrow("already in progress");

  kill("ps/0");
  await wait("the run fails again", () => run?.state === "failed");
  expect(await offered()).toMatchObject([{ id: runId }]);
  await call("runs.start", await welcomeRun());
  await wait("the other is over", () => run?.runId !== runId && run?.state === "done");
  await call("runs.dismissRecovery", { runId });
  expect(await offered()).toEqual([]);
  await expect(call("runs.goOn", { runId })).rejects.toThrow("This run cannot go on.");
});

it("does not take a checkpoint that a later run has replaced for its own", async () => {
  const folder = join(dataDir, "replaced");
  const runId = await trainUntilSaved(trainable("in-graph", { folder, keep: 100 }), 3);
  kill("ps/0");
  await wait("the run fails", () => run?.state === "failed");
  const [newest, before] = run?.checkpoints?.saved ?? [];
  await call("runs.start", await welcomeRun());
  await wait("the other is over", () => run?.runId !== runId && run?.state === "done");
  const index = `${newest?.prefix}.index`;
  const content = await readFile(index);
  await rm(index);
  await writeFile(index, content);
  await call("runs.goOn", { runId });
  await wait("it goes on", () => run?.runId === runId && run.state === "running");
  expect(run?.recoveries).toMatchObject([
    { checkpointStep: before?.step, damaged: [`ckpt-${newest?.step}`] },
  ]);
  await stop(runId);
});
