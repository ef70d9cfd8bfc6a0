import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

describe.skipIf(peerMissing("namespaces"))("a machine that moves", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let mac: Installation;

  beforeAll(async () => {
    network = await Network.create(3, { names: ["gpu-pc", "raspberrypi", "mac"], ipv6: false });
    [gpuPc, pi, mac] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
      Installation.start(network.host("mac")),
    ]);
    // The two that run the tasks do not know each other.
    await gpuPc.pairWith(pi);
    await gpuPc.pairWith(mac);
    await gpuPc.api.call("cluster.addTasks", { machineId: await pi.id(), job: "worker", count: 1 });
    await gpuPc.api.call("cluster.addTasks", { machineId: await mac.id(), job: "worker", count: 1 });
    await gpuPc.tasks(2);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop(), mac?.stop()]);
    await network?.dispose();
  });

  test("to another address is reached there, also by machines that only the cluster's owner introduced", async () => {
    expect((await gpuPc.runWelcome()).problem).toBeUndefined();
    const piId = await pi.id();
    const gone = gpuPc.machine(piId, ({ presence }) => presence === "offline");
    await pi.host.run("ip", ["address", "delete", `${pi.host.address4}/24`, "dev", "eth0"]);
    await pi.host.run("ip", ["address", "add", "10.77.0.52/24", "dev", "eth0"]);
    await gone;
    await gpuPc.machine(piId, ({ presence }) => presence === "online");
    await gpuPc.tasks(2);
    const again = await gpuPc.runWelcome();
    expect(again.problem).toBeUndefined();
    expect(again.fetches.map(({ values }) => values)).toEqual([["11.0"]]);
  });
});
