/** A TensorFlow server that somebody started on a machine without Tensordeck. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import type { PeerProcess } from "../support/processes.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";
import { startServerOn } from "./support/python.js";

describe.skipIf(peerMissing("namespaces", "tensorflow"))("a foreign server", () => {
  let network: Network;
  let gpuPc: Installation;
  let server: PeerProcess;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "cloud"] });
    const cloud = network.host("cloud");
    [gpuPc, server] = await Promise.all([
      Installation.start(network.host("gpu-pc"), { engine: "tensorflow" }),
      startServerOn(cloud, "local", `${cloud.name}:2222`),
    ]);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), server?.stop()]);
    await network?.dispose();
  });

  const add = () => gpuPc.api.call("cluster.addForeign", { address: "cloud:2222", job: "worker", index: 1 });

  test("joins by its address, with its devices, and says what it needs to compute with tasks from here", async () => {
    await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await gpuPc.tasks(1);
    await add();
    const foreign = (await gpuPc.tasks(2)).get("worker/1");
    expect(foreign).toMatchObject({ foreign: true, address: "cloud:2222" });
    expect(foreign?.devices.map(({ name }) => name)).toContain("/job:worker/replica:0/task:1/device:CPU:0");
    expect(foreign?.notice?.message).toBe("worker/1 cannot take part in a secure cluster.");
    await expect(add()).rejects.toMatchObject({ problem: { code: "ALREADY_EXISTS" } });
    await expect(
      gpuPc.api.call("cluster.addForeign", { address: "cloud:2223", job: "worker" }),
    ).rejects.toMatchObject({ problem: { message: "No TensorFlow server answers at cloud:2223." } });
  });

  test("takes part in an open cluster's runs until it ends, which is shown and said", async () => {
    await gpuPc.api.call("cluster.setAccess", { access: "open" });
    await gpuPc.cluster(({ access }) => access === "open");
    expect((await gpuPc.tasks(2)).get("worker/0")?.address).toMatch(/^10\.77\.0\.1:\d+$/);
    expect((await gpuPc.runWelcome()).fetches[0]?.values).toEqual(["11.0"]);

    const failed = gpuPc.runWelcome(1_000_000);
    await gpuPc.api.next("run", ({ step }) => step > 0);
    await server.stop("SIGKILL");
    const { problem } = await failed;
    expect(problem?.message).toContain("worker/1 on cloud");
    const { machines } = await gpuPc.cluster((state) =>
      state.machines.some(({ kind, tasks }) => kind === "foreign" && tasks[0]?.state === "unresponsive"),
    );
    expect(machines.find(({ kind }) => kind === "foreign")?.tasks[0]?.problem?.message).toBe(
      "worker/1 at cloud:2222 does not answer.",
    );

    server = await startServerOn(network.host("cloud"), "local", "cloud:2222");
    const back = (await gpuPc.tasks(2)).get("worker/1");
    expect(back?.notice?.message).toMatch(/^worker\/1 was restarted at [\d:]+\.$/);
    expect((await gpuPc.runWelcome()).fetches[0]?.values).toEqual(["11.0"]);
  });
});
