/** Two machines whose only way to each other are link-local IPv6 addresses, as between two that a cable joins. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

describe.skipIf(peerMissing("namespaces"))("two machines with link-local addresses", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"], ipv4: false });
    await Promise.all(
      network.hosts.map((host) =>
        host.run("ip", ["-6", "address", "flush", "dev", "eth0", "scope", "global"]),
      ),
    );
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await network?.dispose();
  });

  test("find each other, pair, stay connected and compute together", async () => {
    const piId = await pi.id();
    const found = await gpuPc.machine(piId, ({ presence }) => presence === "online");
    expect(found.addresses).toEqual([expect.stringMatching(/^fe80::.*%eth0$/)]);
    await gpuPc.pairWith(pi);
    const engine = "portable";
    await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1, engine });
    await gpuPc.api.call("cluster.addTasks", { machineId: piId, job: "worker", count: 1, engine });
    const tasks = await gpuPc.tasks(2);
    expect([...tasks.values()].map(({ notice }) => notice)).toEqual([undefined, undefined]);
    // worker/1 asks worker/0 for a value: a tunnel leads each way.
    expect((await gpuPc.runWelcome()).fetches[0]?.values).toEqual(["11.0"]);
    // To gpu-pc's agent leads no address that raspberrypi could be told: its zone has a name of its own there.
    await gpuPc.api.call("reachability.check");
    await gpuPc.api.next(
      "reachability",
      ({ routes }) => routes.length === 3 && routes.every(({ outcome }) => outcome === "ok"),
    );
  });
});
