/** Two paired machines in a network on which a thousand others announce themselves. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

const MANY_MACHINES = join(repositoryRoot, "test", "net", "fixtures", "many-machines.py");

const missing = peerMissing("namespaces");

describe.skipIf(missing)("a crowd", { timeout: 300_000 }, () => {
  let network: Network;
  let desk: Installation;
  let box: Installation;

  beforeAll(async () => {
    network = await Network.create(3, { names: ["desk", "box", "crowd"] });
    [desk, box] = await Promise.all([
      Installation.start(network.host("desk")),
      Installation.start(network.host("box")),
    ]);
    await desk.pairWith(box);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([desk, box].map((one) => one?.stop()));
    await network?.dispose();
  });

  test("of honest machines is listed, of a thousand made-up ones counted, and paired machines compute", async () => {
    const boxId = await box.id();
    let gone = false;
    desk.api
      .next(
        "cluster",
        ({ machines }) => machines.find(({ id }) => id === boxId)?.presence !== "online",
        240_000,
      )
      .then(
        () => {
          gone = true;
        },
        () => undefined,
      );
    const announce = (count: number, seconds: number) =>
      network
        .host("crowd")
        .spawn("python3", [MANY_MACHINES, "eth0", "10.77.0", String(count), String(seconds)], {
          ready: /announced/,
        });
    const classroom = await announce(200, 2);
    const full = await desk.cluster(({ machines }) => machines.length === 202);
    expect(full.unlistedMachines).toBeUndefined();
    await classroom.stop("SIGKILL");

    const crowd = await announce(1000, 5);
    const { machines } = await desk.cluster(({ unlistedMachines }) => unlistedMachines === 750);
    expect(machines).toHaveLength(252);
    expect(machines[1]).toMatchObject({ id: boxId, kind: "paired", presence: "online" });
    for (const machineId of [await desk.id(), boxId]) {
      await desk.api.call("cluster.addTasks", { machineId, job: "worker", count: 1, engine: "portable" });
    }
    await desk.tasks(2);
    expect(await desk.runWelcome()).toMatchObject({ state: "done" });
    // Heartbeats went on all the time.
    expect(gone).toBe(false);
    await crowd.stop("SIGKILL");
  });
});
