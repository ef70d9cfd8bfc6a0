/** Two paired machines with tasks that nobody uses. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NumberedEvent } from "../../main/api/missed-events.js";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

/** As many as ten idle seconds have. */
const SAMPLES = 10;

describe.skipIf(peerMissing("namespaces"))("an idle cluster", () => {
  let network: Network;
  let desk: Installation;
  let box: Installation;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["desk", "box"] });
    [desk, box] = await Promise.all([
      Installation.start(network.host("desk")),
      Installation.start(network.host("box")),
    ]);
    await desk.pairWith(box);
  });
  afterAll(async () => {
    await Promise.all([desk, box].map((one) => one?.stop()));
    await network?.dispose();
  });

  test("of two machines sends what is measured on both, and no state", async () => {
    const [deskId, boxId] = await Promise.all([desk.id(), box.id()]);
    for (const machineId of [deskId, boxId]) {
      await desk.api.call("cluster.addTasks", { machineId, job: "worker", count: 2, engine: "portable" });
    }
    const tasks = await desk.tasks(4);
    // Tunnels, routes and what the machines say of each other have settled when everything is measured.
    await desk.api.call("reachability.check");
    await desk.api.next("reachability", ({ state }) => state === "done");
    const heard: NumberedEvent[] = [];
    const samples = () => heard.filter(({ event }) => event === "samples");
    const stop = desk.api.listen((event) => heard.push(event));
    const measured = { machines: new Set<string>(), tasks: new Set<string>() };
    await desk.api.next("samples", (sample) => {
      for (const id of Object.keys(sample.machines)) measured.machines.add(id);
      for (const id of Object.keys(sample.tasks)) measured.tasks.add(id);
      return samples().length >= SAMPLES;
    });
    stop();
    expect(heard.filter(({ event }) => event === "cluster")).toEqual([]);
    expect([...measured.machines].sort()).toEqual([deskId, boxId].sort());
    expect(measured.tasks.size).toBe(tasks.size);
  });
});
