/** Two machines on a network that carries no multicast: one is added by its address, and what it may do is changed. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { engineEnvironment } from "../support/engine-environment.js";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { Installation } from "./support/installation.js";
import { connects, type Host, Network } from "./support/network.js";

const PROGRAM = `${repositoryRoot}/build/bin/tensordeck.mjs`;

/** The traffic that a firewall of a host drops. */
const dropping = (rule: string) => `
table inet test {
  chain input {
    type filter hook input priority 0; policy accept;
    ${rule} drop
  }
}
`;

/** Two hosts between which no multicast gets through; the second cannot isolate its tasks. */
async function createNetwork(): Promise<Network> {
  const network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
  await Promise.all(network.hosts.map((host) => drop(host, "udp dport 5353")));
  // Tasks cannot be isolated where no namespaces can be made.
  await network.host("raspberrypi").run("mount", ["--bind", "/dev/null", "/usr/bin/unshare"]);
  return network;
}

async function drop(host: Host, rule: string): Promise<void> {
  await host.run("nft", ["flush", "ruleset"]);
  await host.run("nft", ["-f", "-"], { input: dropping(rule) });
}

describe.skipIf(peerMissing("namespaces", "nftables"))("a machine that is added", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let gpuId: string;
  let piId: string;

  beforeAll(async () => {
    network = await createNetwork();
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
    [gpuId, piId] = await Promise.all([gpuPc.id(), pi.id()]);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await network?.dispose();
  });

  test("by its host's name is found, and pairs", async () => {
    await expect(gpuPc.api.call("machines.add", { address: piId })).rejects.toMatchObject({
      problem: { code: "NOT_FOUND", remedy: expect.stringContaining("Add it by its address") },
    });
    await expect(gpuPc.api.call("machines.add", { address: "raspberrypi:9" })).rejects.toMatchObject({
      problem: { code: "UNAVAILABLE" },
    });
    expect(await gpuPc.api.call("machines.add", { address: "raspberrypi" })).toBe(piId);
    await gpuPc.pairWith(pi, "view");
  });

  test("with the role view shows itself and starts nothing", async () => {
    const add = () => gpuPc.api.call("cluster.addTasks", { machineId: piId, job: "worker", count: 1 });
    const machine = await gpuPc.machine(piId, ({ role }) => role === "view");
    expect(machine).toMatchObject({ name: "raspberrypi", platform: "linux" });
    await expect(add()).rejects.toMatchObject({
      problem: {
        code: "PERMISSION_DENIED",
        message: "raspberrypi does not permit that.",
        remedy: expect.stringContaining("raise the role of this machine"),
      },
    });
    await pi.api.call("machines.setRole", { machineId: gpuId, role: "run" });
    await gpuPc.machine(piId, ({ role }) => role === "run");
    await add();
    await gpuPc.tasks(1);
    await pi.api.call("cluster.addTasks", { job: "ps", count: 1 });
    await gpuPc.tasks(2);

    const hosted = () => pi.api.call("machines.hosted", { machineId: gpuId });
    expect(await hosted()).toEqual({ tasks: ["worker/0"], scripts: [] });
    // The tasks that gpu-pc had started there end with its right to; for the other it is told why it is of no use.
    await pi.api.call("machines.setRole", { machineId: gpuId, role: "view" });
    const seen = await gpuPc.machine(piId, ({ role, tasks }) => role === "view" && tasks.length === 1);
    expect(seen.tasks[0]).toMatchObject({
      job: "ps",
      notice: { message: "ps/0 cannot be used: this machine may only view raspberrypi." },
    });
    expect(await hosted()).toEqual({ tasks: [], scripts: [] });
    await expect(add()).rejects.toMatchObject({ problem: { code: "PERMISSION_DENIED" } });
    await pi.api.call("machines.setRole", { machineId: gpuId, role: "manage" });
    await gpuPc.machine(piId, ({ role }) => role === "manage");
  });

  test("is forgotten on both sides when it is on one", async () => {
    await gpuPc.api.call("machines.forget", { machineId: piId });
    await gpuPc.cluster(({ machines }) => machines.every(({ kind }) => kind !== "paired"));
    await pi.cluster(({ machines }) => machines.every(({ kind }) => kind !== "paired"));
  });
});

// TensorFlow's servers listen on all addresses; those of the portable engine do so only where they may.
describe.skipIf(peerMissing("namespaces", "nftables", "tensorflow"))(
  "a server of TensorFlow on such a machine",
  () => {
    let network: Network;
    let gpuPc: Installation;
    let pi: Installation;
    let piId: string;

    beforeAll(async () => {
      network = await createNetwork();
      [gpuPc, pi] = await Promise.all([
        Installation.start(network.host("gpu-pc")),
        Installation.start(network.host("raspberrypi"), { engine: "tensorflow" }),
      ]);
      // Its agent may not listen yet.
      await vi.waitFor(() => gpuPc.api.call("machines.add", { address: "raspberrypi" }), 60_000);
      piId = await pi.id();
      await gpuPc.pairWith(pi);
      await pi.api.call("cluster.addTasks", { job: "ps", count: 1 });
    });

    afterAll(async () => {
      await Promise.all([gpuPc?.stop(), pi?.stop()]);
      await network?.dispose();
    });

    test("is reached by the network, which is said, and also what a firewall does then", async () => {
      const port = Number((await gpuPc.tasks(1)).get("ps/0")?.address.split(":")[1]);
      expect(await connects(gpuPc.host, pi.host.address4, port)).toBe(true);
      const { exposures } = await gpuPc.cluster((state) => state.exposures.length > 0);
      expect(exposures).toMatchObject([
        {
          message: "The network reaches ps/0 on raspberrypi without signing in.",
          remedy: expect.stringContaining(`lose port ${port} of raspberrypi with a firewall`),
        },
      ]);
      await drop(pi.host, `iifname "eth0" tcp dport ${port}`);
      const doctor = (...flags: string[]) =>
        gpuPc.host.exec(process.execPath, [PROGRAM, "doctor", `raspberrypi:${port}`, ...flags], {
          env: {
            ...environmentWithoutProxies(),
            TENSORDECK_DATA_DIR: `${gpuPc.folder}/data`,
            ...engineEnvironment("portable", gpuPc.folder),
          },
        });
      const [told, json] = await Promise.all([doctor(), doctor("--json")]);
      expect(told.code).toBe(1);
      expect(told.stdout.replace(/\s+/g, " ")).toContain(
        `gpu-pc reaches raspberrypi, but port ${port} does not answer: probably raspberrypi's firewall drops it.`,
      );
      const { routes, diagnoses } = JSON.parse(json.stdout);
      expect(diagnoses).toMatchObject([{ id: "firewall-blocks", severity: "error" }]);
      expect(routes).toContainEqual(
        expect.objectContaining({
          from: "this-machine",
          to: piId,
          address: `raspberrypi:${port}`,
          outcome: "failed",
        }),
      );
      // The tunnel goes on.
      expect(await connects(gpuPc.host, "127.0.0.1", port)).toBe(true);
    });
  },
);
