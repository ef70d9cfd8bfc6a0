/**
 * The scripts of test/interop/scripts, as users write them, against servers that have nothing but npm: with every release of
 * TensorFlow that test/compatibility compares.
 */
import { afterEach, describe, expect, test } from "vitest";
import { peerMissing } from "../../support/peers.js";
import { runScript } from "../worker-peers.js";
import { type StartedCluster, startCluster } from "./clusters.js";

describe.skipIf(peerMissing("tensorflow"))("stock scripts on the portable engine", () => {
  let cluster: StartedCluster | undefined;
  const started = async (jobs: Readonly<Record<string, number>>): Promise<StartedCluster> => {
    cluster = await startCluster(jobs, () => "portable");
    return cluster;
  };
  afterEach(() => cluster?.stop());

  test("S1: a graph over two tasks gives 11.0, each node where it was pinned", async () => {
    const { target } = await started({ worker: 2 });
    const output = await runScript("s1_two_tasks.py", [target("worker/0")]);
    expect(output).toContain("z = 11.0");
    expect(output).toContain("ran x /job:worker/replica:0/task:0/device:CPU:0");
    expect(output).toContain("ran z /job:worker/replica:0/task:1/device:CPU:0");
  });

  test("S2: 1,000 ones are summed over two workers, with variables on two parameter servers", async () => {
    const { target, addresses, ours } = await started({ ps: 2, worker: 2 });
    const hosts = ["ps", "worker"].map((job) => addresses[job]?.join(",") ?? "");
    const output = await runScript("s2_reduce_sum.py", [target("worker/0"), ...hosts]);
    expect(output).toContain("sum = 1000");
    expect(output).toContain("variable on /job:ps/task:0");
    expect(output).toContain("/job:worker/replica:0/task:1/device:CPU:0");
    const workers = [...ours].filter(([task]) => task.startsWith("worker/"));
    expect(workers).toHaveLength(2);
    await Promise.all(workers.map(([, worker]) => worker.waitForOutput(/portion is \[500\]/)));
  });

  test("S4: a variable is shared by its name between the sessions of two servers", async () => {
    const { target } = await started({ local: 2 });
    const output = await runScript("s4_sharing.py", [target("local/0"), target("local/1")]);
    expect(output).toContain("both read 1.0 1.0");
    expect(output).toContain("var from second: ['0'] received by ['1']");
    expect(output).toContain("var2 from first: ['1'] received by ['0']");
  });
});
