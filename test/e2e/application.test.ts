import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunRequest } from "../../main/api/runs.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import { type RunningApp, startApp } from "./support/app.js";

const ENGINES = [
  { on: "portable", options: { engine: "portable" }, isMissing: false },
  { on: "tensorflow", options: { engine: "tensorflow" }, isMissing: peerMissing("tensorflow") },
  {
    on: "portable and the desktop's Node",
    options: { engine: "portable", onElectronNode: true },
    isMissing: peerMissing("electron-node"),
  },
] as const;

/** The whole application as it is built, over its WebSocket. */
describe.each(ENGINES)("the application, built, without a window, on $on", ({ options, isMissing }) => {
  describe.skipIf(isMissing)("a cluster", () => {
    let app: RunningApp;
    let client: ApiClient;
    beforeAll(async () => {
      app = await startApp(options);
      client = await ApiClient.connect(app.link);
    });
    afterAll(async () => {
      client?.close();
      await app?.stop();
    });

    /** Starts the welcome graph. */
    async function start(request: Partial<RunRequest>): Promise<string> {
      const [example] = await client.call("documents.examples");
      const document = await client.call("documents.openExample", { id: example?.id ?? "" });
      const { graphDef } = MetaGraphDef.decode(document.metaGraph);
      const { runId } = await client.call("runs.start", {
        graph: GraphDef.encode(GraphDef.fromPartial(graphDef ?? {})).finish(),
        feeds: [],
        fetches: ["z:0"],
        targets: [],
        steps: 1,
        trace: false,
        softPlacement: false,
        logDevicePlacement: false,
        ...request,
      });
      return runId;
    }
    const ended = () =>
      client.next("run", ({ state }) => ["done", "failed", "stopped"].includes(state), 60_000);

    test("runs the welcome graph on two workers and says where every node ran", async () => {
      await client.call("cluster.addTasks", { job: "worker", count: 2 });
      const tasks = await client.runningTasks(2);
      expect(tasks.map(({ job, index }) => `${job}/${index}`)).toEqual(["worker/0", "worker/1"]);

      const end = ended();
      await start({ trace: true });
      const run = await end;
      expect(run).toMatchObject({ state: "done", step: 1, master: "worker/0" });
      expect(run.fetches).toEqual([
        expect.objectContaining({ name: "z:0", dtype: "float32", shape: [], values: ["11.0"] }),
      ]);
      const devices = new Map(run.nodes.map(({ node, device }) => [node, device]));
      expect(devices.get("x")).toBe("/job:worker/replica:0/task:0/device:CPU:0");
      expect(devices.get("z")).toBe("/job:worker/replica:0/task:1/device:CPU:0");
      expect(run.transfers.length).toBeGreaterThan(0);
    });

    test("stops a long run after its current step", async () => {
      const going = client.next("run", ({ state, step }) => state === "running" && step > 0);
      const end = ended();
      const runId = await start({ steps: 1_000_000 });
      await going;
      await client.call("runs.stop", { runId, abort: false });
      const run = await end;
      expect(run.state).toBe("stopped");
      expect(run.step).toBeGreaterThan(0);
      expect(run.step).toBeLessThan(1_000_000);
      expect(run.fetches[0]?.values).toEqual(["11.0"]);
    });

    test("a worker that is killed while it runs ends the run and is named; started again, it takes part again", async () => {
      const going = client.next("run", ({ state, step }) => state === "running" && step > 0);
      const end = ended();
      await start({ steps: 1_000_000 });
      await going;
      const [, second] = await client.runningTasks(2);
      const noticed = client.next("cluster", ({ machines }) =>
        machines.some(({ tasks }) => tasks.some(({ id, state }) => id === second?.id && state === "failed")),
      );
      process.kill(second?.pid ?? 0, "SIGKILL");
      const run = await end;
      expect(run.state).toBe("failed");
      expect(run.problem?.task).toBe("worker/1");
      expect(run.problem?.message).toMatch(/worker\/1/);
      await noticed;

      await client.call("cluster.startTask", { taskId: second?.id ?? "" });
      await client.runningTasks(2);
      const again = ended();
      await start({});
      expect(await again).toMatchObject({ state: "done", fetches: [{ values: ["11.0"] }] });
    });

    test("ends its tasks when it ends", async () => {
      const pids = (await client.runningTasks(2)).map(({ pid }) => pid);
      await app.stop();
      for (const pid of pids) {
        expect(pid).toBeGreaterThan(0);
        expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/);
      }
    });
  });
});
