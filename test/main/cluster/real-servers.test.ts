/** Foreign servers and cleared state, with TensorFlow's own servers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterState, Task } from "../../../main/api/cluster.js";
import type { EventData, EventName, MethodName, Params, Result } from "../../../main/api/contract.js";
import type { RunRequest, RunUpdate } from "../../../main/api/runs.js";
import { ProblemError } from "../../../main/api/wire.js";
import { type Application, createApplication } from "../../../main/application.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { startStockServers } from "../../interop/peers/stock-servers.js";
import { freePort, libtensorflowDir, type PeerProcess, peerMissing } from "../../support/peers.js";
import { until } from "../support/until.js";

let dataDir: string;
let application: Application;
let cluster: ClusterState;
let run: RunUpdate | undefined;
const savedEnvironment = { ...process.env };

function call<M extends MethodName>(method: M, params?: Params<M>): Promise<Result<M>> {
  return application.handle(method, params) as Promise<Result<M>>;
}

async function failure(promise: Promise<unknown>) {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

const tasks = (): Task[] => cluster.machines.flatMap((machine) => machine.tasks);
function task(name: string): Task {
  const found = tasks().find(({ job, index }) => `${job}/${index}` === name);
  if (!found) throw new Error(`no task ${name}`);
  return found;
}
const allRun = () => until("all tasks run", () => tasks().every(({ state }) => state === "running"), 60_000);

async function example(id: string): Promise<Uint8Array> {
  const { metaGraph } = await call("documents.openExample", { id });
  const { graphDef } = MetaGraphDef.decode(metaGraph);
  return GraphDef.encode(graphDef ?? GraphDef.create()).finish();
}

async function execute(request: Partial<RunRequest>): Promise<RunUpdate> {
  const { runId } = await call("runs.start", {
    ...{ graph: new Uint8Array(), feeds: [], fetches: [], targets: [], steps: 1 },
    ...{ trace: false, softPlacement: true, logDevicePlacement: false },
    ...request,
  });
  const isOver = () => run?.runId === runId && ["done", "failed", "stopped"].includes(run.state);
  await until("the run is over", isOver, 60_000);
  if (!run) throw new Error("no run");
  return run;
}

/** One stock server at a port, started as a task of a cluster of its own. */
async function stockServer(name: string, port: number): Promise<PeerProcess> {
  const [job = ""] = name.split("/");
  return (await startStockServers({ [job]: [`127.0.0.1:${port}`] }, [name])).process;
}

describe.skipIf(peerMissing("tensorflow"))("servers that somebody else started", () => {
  let port: number;
  let server: PeerProcess;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "tensordeck-foreign-"));
    process.env.TENSORDECK_DATA_DIR = dataDir;
    process.env.TENSORDECK_LIBTENSORFLOW = libtensorflowDir();
    process.env.TENSORDECK_NETWORK = "off";
    application = await createApplication({ dataDir, host: { kind: "headless" } });
    application.onEvent((event: EventName, data: EventData<EventName>) => {
      if (event === "cluster") cluster = data as ClusterState;
      if (event === "run") run = data as RunUpdate;
    });
    port = await freePort();
    server = await stockServer("local/0", port);
    await call("cluster.addTasks", { job: "worker", count: 1 });
    await until("a state", () => cluster !== undefined);
    await allRun();
  });

  afterAll(async () => {
    await application.dispose();
    process.env = savedEnvironment;
    await rm(dataDir, { recursive: true });
  });

  it("join by address and compute with the others in a dynamic cluster", async () => {
    const id = await call("cluster.addForeign", { address: `127.0.0.1:${port}`, job: "worker" });
    await until("it is told", () => tasks().some((each) => each.id === id));
    expect(task("worker/1")).toMatchObject({
      id,
      foreign: true,
      state: "running",
      address: `127.0.0.1:${port}`,
    });
    expect(task("worker/1").devices[0]?.name).toBe("/job:worker/replica:0/task:1/device:CPU:0");
    const update = await execute({ graph: await example("welcome"), fetches: ["z:0"] });
    expect(update.fetches[0]?.values).toEqual(["11.0"]);
    const places = new Map(update.nodes.map(({ node, device }) => [node, device]));
    expect(places.get("z")).toContain("/job:worker/replica:0/task:1/");
  });

  it("are taken in once, and only when they answer", async () => {
    const twice = await failure(call("cluster.addForeign", { address: `localhost:${port}`, job: "worker" }));
    expect(twice).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining("worker/1") });
    const nobody = `127.0.0.1:${await freePort()}`;
    const silent = await failure(call("cluster.addForeign", { address: nobody, job: "worker" }));
    expect(silent.message).toBe(`No TensorFlow server answers at ${nobody}.`);
    const wrong = await failure(call("cluster.addForeign", { address: "gpu-pc", job: "worker" }));
    expect(wrong.code).toBe("INVALID_ARGUMENT");
  });

  it("can neither be started nor stopped", async () => {
    for (const method of ["cluster.stopTask", "cluster.startTask", "cluster.restartTask"] as const) {
      const refused = await failure(call(method, { taskId: task("worker/1").id }));
      expect(refused.message).toBe("worker/1 was started by somebody else.");
    }
  });

  it("lose their variables when their state is cleared, as tasks of ours do, and the next run says so", async () => {
    const graph = await example("counter");
    expect((await execute({ graph, targets: ["init"] })).state).toBe("done");
    expect((await execute({ graph, fetches: ["count:0"] })).state).toBe("done");
    await call("cluster.clearState", { taskId: task("worker/1").id });
    expect((await execute({ graph, fetches: ["count:0"] })).fetches[0]?.values).toEqual(["2.0"]);
    await call("cluster.clearState", { taskId: task("worker/0").id });
    const update = await execute({ graph, fetches: ["count:0"] });
    expect(update.problem).toMatchObject({ code: "FAILED_PRECONDITION", node: "count" });
    expect((await execute({ graph, targets: ["init"] })).state).toBe("done");
  });

  it("are said to be gone, and to have been restarted when another one answers there", async () => {
    await server.stop("SIGKILL");
    await until("it is unresponsive", () => task("worker/1").state === "unresponsive", 20_000);
    expect(task("worker/1").problem?.message).toBe(`worker/1 at 127.0.0.1:${port} does not answer.`);
    server = await stockServer("worker/0", port);
    await until("a notice", () => task("worker/1").notice !== undefined, 20_000);
    expect(task("worker/1").notice?.message).toMatch(/^worker\/1 was restarted at/);
  });

  it("that were started under the name that they are to have say why that cannot be", async () => {
    await call("cluster.removeTask", { taskId: task("worker/1").id });
    await call("cluster.removeTask", { taskId: task("worker/0").id });
    const address = `127.0.0.1:${port}`;
    const id = await call("cluster.addForeign", { address, job: "worker", index: 0 });
    await until("it is told", () => tasks().length === 1 && tasks()[0]?.id === id);
    expect(task("worker/0").notice?.message).toBe(
      "worker/0 cannot take part in a dynamic cluster under this name.",
    );
    const graph = new Graph();
    graph.op("Const", [], { dtype: DataType.DT_INT32, value: Tensor.of([7], "int32") }, "seven");
    const request = { graph: GraphDef.encode(graph.toGraphDef()).finish(), fetches: ["seven:0"] };
    const { problem } = await execute(request);
    expect(problem?.reason).toBe("worker/0 cannot take part in a dynamic cluster under this name.");
    await call("cluster.setMembership", { membership: "fixed" });
    expect((await execute(request)).fetches[0]?.values).toEqual(["7"]);
  });

  it("run on when they are removed, and are there again with the next application", async () => {
    const { id } = task("worker/0");
    await application.dispose();
    application = await createApplication({ dataDir, host: { kind: "headless" } });
    application.onEvent((event: EventName, data: EventData<EventName>) => {
      if (event === "cluster") cluster = data as ClusterState;
    });
    cluster = await call("cluster.get");
    await until("it answers", () => tasks()[0]?.state === "running", 20_000);
    expect(task("worker/0")).toMatchObject({ id, foreign: true });
    await call("cluster.removeTask", { taskId: id });
    await until("it is gone", () => tasks().length === 0);
    await expect(
      call("cluster.addForeign", { address: `127.0.0.1:${port}`, job: "ps" }),
    ).resolves.toBeTruthy();
    await server.stop();
  });
});
