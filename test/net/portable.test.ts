import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../main/api/cluster.js";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

describe.skipIf(peerMissing("namespaces", "tensorflow"))(
  "a machine with the portable engine beside one with TensorFlow",
  () => {
    let network: Network;
    let gpuPc: Installation;
    let pi: Installation;

    beforeAll(async () => {
      network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
      [gpuPc, pi] = await Promise.all([
        Installation.start(network.host("gpu-pc"), { engine: "tensorflow" }),
        Installation.start(network.host("raspberrypi")),
      ]);
    });

    afterAll(async () => {
      await Promise.all([gpuPc?.stop(), pi?.stop()]);
      await network?.dispose();
    });

    const openPorts = () => network.host("raspberrypi").openPorts();

    async function portOf(engine: Engine): Promise<number> {
      const { machines } = await gpuPc.api.call("cluster.get");
      const found = machines.flatMap(({ tasks }) => tasks).find((task) => task.engine === engine);
      return Number(found?.address.split(":").at(-1));
    }

    async function expectToRun(): Promise<void> {
      await pi.knows((await gpuPc.tasks(2)).values());
      for (const one of [gpuPc, pi]) {
        const done = await one.runWelcome();
        expect(done.problem).toBeUndefined();
        expect(done.fetches.map(({ name, values }) => [name, values])).toEqual([["z:0", ["11.0"]]]);
        const tasks = new Set(done.nodes.map(({ device }) => device.replace(/\/device.*/, "")));
        expect([...tasks].sort()).toEqual(["/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"]);
      }
    }

    test("takes part in a secure cluster; the network does not reach the port of its task", async () => {
      await gpuPc.pairWith(pi);
      const machineId = await pi.id();
      await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1, engine: "tensorflow" });
      await gpuPc.api.call("cluster.addTasks", { machineId, job: "worker", count: 1, engine: "portable" });
      const tasks = await gpuPc.api.runningTasks(2);
      expect(tasks.map(({ engine }) => engine).sort()).toEqual(["portable", "tensorflow"]);
      await expectToRun();
      expect(await openPorts()).not.toContain(await portOf("portable"));
    });

    test("takes part in an open one, where its port is open as that of any TensorFlow server", async () => {
      await pi.api.call("settings.set", { allowExposedTasks: true });
      await gpuPc.cluster(({ machines }) =>
        machines.some(({ exposure, kind }) => kind === "paired" && exposure?.allowed),
      );
      await gpuPc.api.call("cluster.setAccess", { access: "open" });
      await gpuPc.api.runningTasks(2);
      expect(await openPorts()).toContain(await portOf("portable"));
      await expectToRun();
    });
  },
);
