/** `tensordeck agent` on a machine without a screen, used from the window of another one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../e2e/support/api-client.js";
import { engineEnvironment } from "../support/engine-environment.js";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { environmentWithoutProxies, type PeerProcess } from "../support/processes.js";
import { Carrier } from "./support/carrier.js";
import { Installation } from "./support/installation.js";
import { type Host, Network } from "./support/network.js";

const PROGRAM = join(repositoryRoot, "build", "bin", "tensordeck.mjs");

/** The window behind a one-time address of a host's loopback interface, fetched and signed in to as a browser does. */
async function openWindow(host: Host, link: string) {
  const { port, origin } = new URL(link);
  const carrier = await Carrier.open(host, Number(port));
  const page = await (await fetch(`${origin}/`)).text();
  const api = await ApiClient.connect(link);
  const close = async () => {
    api.close();
    await carrier.close();
  };
  return { page, api, close };
}

describe.skipIf(peerMissing("namespaces"))("a headless machine", () => {
  let network: Network;
  let laptop: Installation;
  let host: Host;
  let dataDir: string;
  let agent: PeerProcess;
  let agentId: string;

  const env = () => ({
    ...environmentWithoutProxies(),
    TMPDIR: dataDir,
    TENSORDECK_DATA_DIR: dataDir,
    ...engineEnvironment("portable", dataDir),
    TENSORDECK_NETWORK: "lan",
  });
  const tensordeck = (...args: string[]) =>
    host.run(process.execPath, [PROGRAM, "agent", ...args], { env: env() });

  async function startAgent(): Promise<void> {
    agent = await host.spawn(process.execPath, [PROGRAM, "agent"], {
      env: env(),
      ready: /^agent listening on port 2220$/m,
    });
    agentId = /^device ID (\S+)$/m.exec(agent.output())?.[1] ?? "";
  }

  const paired = () =>
    laptop.machine(agentId, ({ kind, presence }) => kind === "paired" && presence === "online");

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "tensordeck-agent-"));
    network = await Network.create(2, { names: ["laptop", "gpu-box"] });
    host = network.host("gpu-box");
    [laptop] = await Promise.all([Installation.start(network.host("laptop")), startAgent()]);
  });

  afterAll(async () => {
    await Promise.all([laptop?.stop(), agent?.stop()]);
    await network?.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("is seen gone soon, though nobody has paired with it yet, and back", async () => {
    await laptop.machine(agentId, ({ presence }) => presence === "online");
    await agent.stop("SIGKILL");
    const gone = await laptop.machine(agentId, ({ presence }) => presence === "offline", 10_000);
    expect(gone.problem?.message).toBe("gpu-box does not answer.");
    await startAgent();
    await laptop.machine(agentId, ({ presence }) => presence === "online");
  });

  test("is paired with by the code that it prints, and forgotten", async () => {
    expect(await laptop.machine(agentId)).toMatchObject({ name: "gpu-box", kind: "discovered" });
    await laptop.api.call("pairing.start", { machineId: agentId, grantedRole: "view" });
    await laptop.pairing(({ step }) => step === "code");
    const [, code = ""] = await agent.waitForOutput(/^laptop .* type this code there: (\d{6})$/m);
    await laptop.api.call("pairing.enterCode", { code });
    await laptop.pairing(({ step }) => step === "paired");
    await laptop.api.call("pairing.close");
    expect(await paired()).toMatchObject({ role: "run", grantedRole: "view" });
    await agent.waitForOutput(/^paired with laptop .*, which has the role run here$/m);
    await expect(laptop.api.call("machines.openWindow", { machineId: agentId })).rejects.toMatchObject({
      problem: { code: "PERMISSION_DENIED" },
    });
    await laptop.api.call("machines.forget", { machineId: agentId });
    await laptop.machine(agentId, ({ kind }) => kind === "discovered");
  });

  test("is paired with by fingerprint, and shows its window to the machine that manages it", async () => {
    const id = await laptop.id();
    expect(await tensordeck("trust", id, "--role", "manage")).toContain("may pair without a code");
    await laptop.api.call("machines.add", { address: (await tensordeck("id")).trim() });
    await laptop.api.call("pairing.start", { machineId: agentId, grantedRole: "run" });
    await laptop.pairing(({ step }) => step === "paired");
    await laptop.api.call("pairing.close");
    expect(await paired()).toMatchObject({ role: "manage", grantedRole: "run" });

    const link = await laptop.api.call("machines.openWindow", { machineId: agentId });
    const window = await openWindow(laptop.host, link);
    expect(window.page).toContain('<div id="root">');
    expect(await window.api.call("machines.identity")).toMatchObject({ deviceId: agentId, name: "gpu-box" });
    // A task that is started in that window is one of the cluster, which this one's window shows too.
    const [taskId] = await window.api.call("cluster.addTasks", { job: "worker", count: 1 });
    expect((await laptop.tasks(1)).get("worker/0")).toMatchObject({ id: taskId });
    await window.close();
  });

  test("lets its own user in by a link", async () => {
    const link = (await tensordeck("link")).replace("open ", "").trim();
    const window = await openWindow(host, link);
    expect(await window.api.call("machines.identity")).toMatchObject({ deviceId: agentId });
    await window.close();
    await expect(ApiClient.connect(link)).rejects.toThrow();
  });

  test("ends its tasks when it is told to, and brings them back with it", async () => {
    const before = (await laptop.tasks(1)).get("worker/0");
    expect(await agent.stop("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(() => process.kill(before?.pid ?? 0, 0)).toThrow("ESRCH");
    await laptop.machine(agentId, ({ presence }) => presence === "offline");
    await startAgent();
    const after = (await laptop.tasks(1)).get("worker/0");
    expect(after).toMatchObject({ id: before?.id, address: before?.address });
    expect(after?.notice?.message).toMatch(/^worker\/0 was restarted at /);
  });
});
