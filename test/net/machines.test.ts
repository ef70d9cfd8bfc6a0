/**
 * A secure cluster of three machines. gpu-pc is paired with the other two, which do not know each other; stock scripts run
 * on all of them.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Task } from "../../main/api/cluster.js";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { connects, Network } from "./support/network.js";
import { runPythonOn, runScriptOn } from "./support/python.js";

/** A session with the cluster's own ClusterSpec, as "Use from Python" writes it: every worker adds to what the one before had. */
const CHAIN = `
import json, sys
import tensorflow as tf
tf.compat.v1.disable_v2_behavior()
target, jobs = sys.argv[1], json.loads(sys.argv[2])
config = tf.compat.v1.ConfigProto()
config.cluster_def.CopyFrom(tf.train.ClusterSpec(jobs).as_cluster_def())
config.experimental.share_session_state_in_clusterspec_propagation = True
config.graph_options.rewrite_options.disable_meta_optimizer = True
value = tf.compat.v1.placeholder(tf.float32, [])
sum = value
for task in range(len(jobs["worker"])):
    with tf.compat.v1.device("/job:worker/task:%d" % task):
        sum = tf.add(sum, 1.0)
with tf.compat.v1.Session(target, config=config) as session:
    print("sum", session.run(sum, {value: 0.0}))
`;

const GATEWAY = "grpc://127.0.0.1:2300";

function portOf(task: Task | undefined): number {
  return Number(task?.address.replace("localhost:", ""));
}

const missing = peerMissing("namespaces");

// Up to four Pythons with TensorFlow in a test: on a busy machine each takes more than a minute.
describe.skipIf(missing)("three machines", { timeout: 600_000 }, () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let mac: Installation;
  let piId: string;
  let macId: string;

  beforeAll(async () => {
    network = await Network.create(3, { names: ["gpu-pc", "raspberrypi", "mac"] });
    [gpuPc, pi, mac] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
      Installation.start(network.host("mac")),
    ]);
    [piId, macId] = await Promise.all([pi.id(), mac.id()]);
    await gpuPc.pairWith(pi);
    await gpuPc.pairWith(mac);
    const add = (machineId: string, job: string) =>
      gpuPc.api.call("cluster.addTasks", { machineId, job, count: 1 });
    await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await add(piId, "worker");
    await add(macId, "ps");
    await gpuPc.tasks(3);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop(), mac?.stop()]);
    await network?.dispose();
  });

  const localhost = (tasks: ReadonlyMap<string, Task>, name: string) =>
    `grpc://localhost:${portOf(tasks.get(name))}`;

  test("no raw port is open to the network, and every task is behind its port on every machine", async () => {
    const state = await gpuPc.cluster(() => true);
    expect(state).toMatchObject({ access: "secure", exposures: [] });
    const tasks = await gpuPc.tasks(3);
    const piPort = portOf(tasks.get("worker/1"));
    const { host } = pi;
    const tries = await Promise.all([
      connects(gpuPc.host, host.address4, piPort),
      connects(gpuPc.host, host.address6, piPort),
      connects(host, host.address4, piPort),
      // Once on a machine that the task's own machine is paired with, and of one that it is not.
      connects(gpuPc.host, "127.0.0.1", piPort),
      connects(mac.host, "127.0.0.1", piPort),
    ]);
    expect(tries).toEqual([false, false, false, true, true]);
  });

  test("the end of a worker in the middle of a run is told with its name and its machine's", async () => {
    const victim = (await gpuPc.tasks(3)).get("worker/1");
    const failed = gpuPc.runWelcome(1_000_000);
    await gpuPc.api.next("run", ({ step }) => step > 0);
    process.kill(victim?.pid ?? 0, "SIGKILL");
    const { state, problem } = await failed;
    expect(state).toBe("failed");
    expect(problem?.message).toBe(
      "The run failed because worker/1 on raspberrypi ended unexpectedly (signal SIGKILL).",
    );
    const down = await gpuPc.cluster(({ machines }) =>
      machines.some(({ tasks }) => tasks.some((task) => task.state === "failed")),
    );
    const shown = down.machines.find(({ id }) => id === piId)?.tasks[0];
    expect(shown).toMatchObject({ job: "worker", index: 1, state: "failed" });
    await gpuPc.api.call("cluster.startTask", { taskId: victim?.id ?? "" });
    await gpuPc.tasks(3);
    expect((await gpuPc.runWelcome()).fetches[0]?.values).toEqual(["11.0"]);
  });

  test.skipIf(peerMissing("tensorflow"))(
    "a cluster that grows by a click keeps what scripts of two machines put into it",
    async () => {
      const before = await runScriptOn(gpuPc.host, "gateway_growing.py", [GATEWAY, "2"]);
      expect(before).toContain("variables 2.0 2.0\nrefused True Assert");
      const clicked = performance.now();
      await gpuPc.api.call("cluster.addTasks", { machineId: macId, job: "worker", count: 1 });
      const tasks = await gpuPc.tasks(4);
      console.log(
        `A worker of another machine ran ${Math.round(performance.now() - clicked)} ms after the click.`,
      );
      const workers = ["worker/0", "worker/1", "worker/2"].map((name) => tasks.get(name)?.address ?? "");
      const jobs = JSON.stringify({ worker: workers, ps: [tasks.get("ps/0")?.address ?? ""] });
      const [after, sums, two] = await Promise.all([
        runScriptOn(gpuPc.host, "gateway_growing.py", [GATEWAY, "3"]),
        // The two that are not paired exchange tensors.
        runPythonOn(mac.host, CHAIN, [localhost(tasks, "worker/1"), jobs]),
        // A machine's own gateway offers the cluster as that machine knows it.
        runScriptOn(pi.host, "s1_two_tasks.py", [GATEWAY]),
      ]);
      expect(after).toContain("variables 5.0 5.0\nrefused True Assert");
      expect(sums).toContain("sum 3.0");
      expect(two).toContain("z = 11.0");
      expect(two).toContain("ran z /job:worker/replica:0/task:1/device:CPU:0");
    },
  );

  test.skipIf(peerMissing("tensorflow"))(
    "with fixed membership, scripts as they are use the task of any machine on any machine",
    async () => {
      await gpuPc.api.call("cluster.addTasks", { machineId: piId, job: "local", count: 1 });
      await gpuPc.api.call("cluster.addTasks", { machineId: macId, job: "local", count: 1 });
      await gpuPc.tasks(6);
      await gpuPc.api.call("cluster.setMembership", { membership: "fixed" });
      const tasks = await gpuPc.tasks(6);
      const spec = (name: string) => tasks.get(name)?.address ?? "";
      const [one, two, four] = await Promise.all([
        runScriptOn(mac.host, "s1_two_tasks.py", [localhost(tasks, "worker/1")]),
        runScriptOn(pi.host, "s2_reduce_sum.py", [
          localhost(tasks, "worker/0"),
          spec("ps/0"),
          // Two of the three, which the thousand ones can be shared out to.
          ["worker/0", "worker/1"].map(spec).join(","),
        ]),
        runScriptOn(gpuPc.host, "s4_sharing.py", [localhost(tasks, "local/0"), localhost(tasks, "local/1")]),
      ]);
      expect(one).toContain("z = 11.0");
      expect(two).toContain("sum = 1000");
      expect(two).toContain("variable on /job:ps/task:0");
      expect(four).toContain("both read 1.0 1.0");
    },
  );
});
