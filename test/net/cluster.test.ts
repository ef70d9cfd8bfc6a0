import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

describe.skipIf(peerMissing("namespaces"))("two installations on a network", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await network?.dispose();
  });

  test("find each other, pair, and share a cluster", async () => {
    await gpuPc.pairWith(pi);
    const piId = await pi.id();
    await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await gpuPc.api.call("cluster.addTasks", { machineId: piId, job: "worker", count: 1 });
    const tasks = await gpuPc.api.runningTasks(2);
    expect(tasks.map(({ job, index }) => `${job}/${index}`).sort()).toEqual(["worker/0", "worker/1"]);
    expect(new Set(tasks.map(({ address }) => address)).size).toBe(2);
  });

  test("a graph runs across both, from either window", async () => {
    await pi.knows((await gpuPc.tasks(2)).values());
    for (const one of [gpuPc, pi]) {
      const done = await one.runWelcome();
      expect(done.problem).toBeUndefined();
      expect(done.fetches.map(({ name, values }) => [name, values])).toEqual([["z:0", ["11.0"]]]);
      const tasks = new Set(done.nodes.map(({ device }) => device.replace(/\/device.*/, "")));
      expect([...tasks].sort()).toEqual(["/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"]);
    }
  });
});
