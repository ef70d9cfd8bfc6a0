/** Stock scripts, unedited, through the gateway on tasks that were started alone, as Tensordeck starts them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Gateway } from "../../main/cluster/gateway/gateway.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { Session } from "../../worker-runtime/session/session.js";
import { freePort, libtensorflowDir, peerMissing } from "../support/peers.js";
import { constant, graphOf, typed } from "./peers/nodes.js";
import { runScript } from "./worker-peers.js";

describe.skipIf(peerMissing("tensorflow"))("through the gateway, a stock script", () => {
  let tasks: Server[] = [];
  let addresses: string[] = [];
  let jobs: Record<string, string[]> = {};
  let gateway: Gateway;

  beforeAll(async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    addresses = ports.map((port) => `127.0.0.1:${port}`);
    tasks = await Promise.all(
      addresses.map((address, index) =>
        Server.start({
          cluster: { [`tensordeck_${index}`]: [address] },
          jobName: `tensordeck_${index}`,
          taskIndex: 0,
          library: libtensorflowDir(),
        }),
      ),
    );
    gateway = await Gateway.listen({
      port: 0,
      cluster: () => ({ clusterDef: ClusterSpec.from(jobs).asClusterDef(), isPropagated: true }),
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(tasks.map((task) => task.stop()));
  });
  afterEach(() => {
    jobs = {};
  });

  test("runs its graph where it pins it, over two tasks", async () => {
    jobs = { worker: addresses.slice(0, 2) };
    const output = await runScript("s1_two_tasks.py", [gateway.target]);
    expect(output).toContain("z = 11.0");
    expect(output).toContain("ran x /job:worker/replica:0/task:0/device:CPU:0");
    expect(output).toContain("ran z /job:worker/replica:0/task:1/device:CPU:0");
  });

  test("has its variables on a ps task and computes on the workers", async () => {
    const [ps = "", ...workers] = addresses;
    jobs = { ps: [ps], worker: workers };
    const output = await runScript("s2_reduce_sum.py", [gateway.target, ps, workers.join(",")]);
    expect(output).toContain("sum = 1000");
    expect(output).toContain("variable on /job:ps/task:0");
    expect(output).toContain("/job:worker/replica:0/task:1/device:CPU:0");
  });

  test("shares variables between its sessions", async () => {
    jobs = { local: addresses.slice(0, 2) };
    const output = await runScript("s4_sharing.py", [gateway.target, gateway.target]);
    expect(output).toContain("both read 1.0 1.0");
  });

  test("finds its variables as they were when the cluster has grown, and gets TensorFlow's own errors", async () => {
    jobs = { worker: addresses.slice(0, 2) };
    const before = await runScript("gateway_growing.py", [gateway.target, "2"]);
    expect(before).toContain("tasks 2\nvariables 2.0 2.0\nrefused True Assert");
    jobs = { worker: addresses };
    const after = await runScript("gateway_growing.py", [gateway.target, "3"]);
    expect(after).toContain("tasks 3\nvariables 5.0 5.0\nrefused True Assert");
  });

  test("that brings its own ClusterSpec has that one", async () => {
    const [first = "", second = ""] = addresses;
    jobs = { worker: [first] };
    const device = "/job:own/task:1";
    const session = new Session(gateway.target, {
      graph: graphOf({ ...constant("a", 3), device }, typed("x", "Square", ["a"], "float32", device)),
      config: { clusterDef: ClusterSpec.from({ own: [first, second] }).asClusterDef() },
      masterTask: { job: "own", index: 0 },
    });
    try {
      expect((await session.run(["x"])).values[0]?.item()).toBe(9);
    } finally {
      await session.close();
    }
  });
});
