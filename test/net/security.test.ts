/** A real installation on a network with a hostile machine, which the test plays: first unpaired, then paired with each role. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { SESSION_PATH } from "../../main/api/headless.js";
import type { Role } from "../../main/api/machines.js";
import { encodeHeader, TunnelAnswer } from "../../main/cluster/tunnel/tunnel-protocol.js";
import { AgentConnection } from "../../main/peers/agent/agent-connection.js";
import { makeCertificate } from "../../main/peers/identity/certificate.js";
import { type Identity, identityOf, loadIdentity } from "../../main/peers/identity/identity.js";
import { ADMITTED, Alpn } from "../../main/peers/port/agent-peer.js";
import { dialAgent } from "../../main/peers/port/dial-agent.js";
import { TrustStore } from "../../main/peers/trust/trust-store.js";
import type { TaskOrder } from "../../main/tasks/task-host.js";
import { anyIdentity, rawTls, receivedUntilClosed } from "../main/support/raw-tls.js";
import { trusted } from "../main/support/trusting.js";
import { peerMissing } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";
import { WayIn } from "./support/way-in.js";

const AGENT_PORT = 2220;
/** Time in which a hostile machine would have got an answer that it is not to get. */
const PATIENCE_MILLIS = 300;
const DENIED = { problem: { code: "PERMISSION_DENIED" } };
const INVALID = { problem: { code: "INVALID_ARGUMENT" } };

/** Resolves when a condition holds. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(holds, { timeout: 30_000, interval: 50 }).catch(() => {
    throw new Error(`Waited in vain for: ${what}`);
  });
}

describe.skipIf(peerMissing("namespaces"))("a hostile machine", () => {
  let network: Network;
  let victim: Installation;
  let victimIdentity: Identity;
  let mallory: Identity;
  let way: WayIn;
  const home = mkdtempSync(join(tmpdir(), `tensordeck-victim-${process.pid}-`));
  const dataDir = join(home, "data");
  const guests: AgentConnection[] = [];

  beforeAll(async () => {
    mallory = await anyIdentity();
    // Paired in an earlier life.
    const trust = await TrustStore.load(dataDir);
    await trust.put(trusted(mallory, "mallory", "view"));
    await trust.close();
    network = await Network.create(2, { names: ["victim", "mallory"] });
    victim = await Installation.start(network.host("victim"), {}, home);
    victimIdentity = await loadIdentity(dataDir);
    await until("the agent listens", async () => (await listening()).includes(AGENT_PORT));
    way = await WayIn.open(network.host("mallory"), {
      host: network.host("victim").address4,
      port: AGENT_PORT,
    });
  });

  afterEach(async () => {
    await Promise.all(guests.splice(0).map((guest) => guest.close()));
  });

  afterAll(async () => {
    await way?.close();
    await victim?.stop();
    await network?.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  const listening = () => network.host("victim").openPorts();

  /** Whether a connection from the hostile machine is accepted. */
  async function accepts(host: string, port: number): Promise<boolean> {
    const script = `const s=require("node:net").connect({host:"${host}",port:${port}});s.setTimeout(1500,()=>s.destroy(new Error()));s.on("connect",()=>process.exit(0));s.on("error",()=>process.exit(1))`;
    return (await network.host("mallory").exec(process.execPath, ["-e", script])).code === 0;
  }

  /** All that the victim answers to a connection, in a moment. */
  async function answers(options: ConnectionOptions, says?: Uint8Array): Promise<Buffer> {
    const socket = rawTls(way.port, options);
    if (says) socket.write(says);
    setTimeout(() => socket.destroy(), PATIENCE_MILLIS);
    return await receivedUntilClosed(socket);
  }

  /** The victim's answers, from when it does until a moment later. */
  async function answersTo(options: ConnectionOptions, says: Uint8Array): Promise<Buffer> {
    const socket = rawTls(way.port, options);
    socket.write(says);
    socket.once("data", () => setTimeout(() => socket.destroy(), PATIENCE_MILLIS));
    return await receivedUntilClosed(socket);
  }

  async function setRole(grantedRole: Role): Promise<void> {
    await victim.api.call("machines.setRole", { machineId: mallory.deviceId, role: grantedRole });
  }

  async function guest(identity = mallory): Promise<AgentConnection> {
    const { deviceId, certPem } = victimIdentity;
    const connection = new AgentConnection({
      ...{ identity, deviceId, certPem, name: "victim" },
      addresses: () => [way.address],
    });
    guests.push(connection);
    connection.open();
    await until("the guest is in", () => connection.facts().presence === "online");
    return connection;
  }

  /** The first answer of a tunnel to a port of the victim. */
  async function tunnelTo(port: number, identity = mallory): Promise<number | undefined> {
    const socket = await dialAgent({
      ...{ identity, deviceId: victimIdentity.deviceId, addresses: [way.address], alpn: Alpn.tunnel },
    });
    socket.write(encodeHeader(port));
    const answer = await new Promise<Buffer | undefined>((resolve) => {
      socket.once("data", resolve);
      socket.once("close", () => resolve(undefined));
    });
    socket.destroy();
    return answer?.[0];
  }

  const order = (more: Partial<TaskOrder> = {}): TaskOrder => ({
    ...{ taskId: "mallory-1", job: "worker", index: 0, engine: "portable", gpu: "none", port: 0 },
    ...{ isolate: true, owner: "" },
    ...more,
  });

  test("finds no port but the agent's, and nobody else's files", async () => {
    expect(new Set(await listening())).toEqual(new Set([AGENT_PORT]));
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await victim.api.call("settings.set", { theme: "light" });
    const open = readdirSync(dataDir).filter((file) => {
      const about = statSync(join(dataDir, file));
      return about.isFile() && (about.mode & 0o077) !== 0;
    });
    expect(open).toEqual([]);
  });

  test("gets no byte while unpaired, whatever it asks for and however it proves itself", async () => {
    const { keyPem: key, certPem: cert } = await anyIdentity();
    const expired = await makeCertificate(Date.now() - 10 * 86_400_000, 86_400_000);
    const unpaired: ConnectionOptions[] = [{}, { key, cert }, { key: expired.keyPem, cert: expired.certPem }];
    // A stolen certificate is public; without its key there is no handshake.
    for (const who of unpaired) {
      for (const alpn of [undefined, Alpn.grpc, Alpn.tunnel, Alpn.window, "http/1.1"]) {
        const hello = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        const said = await answers({ ...who, ...(alpn ? { ALPNProtocols: [alpn] } : {}) }, hello);
        expect([alpn, said.length]).toEqual([alpn, 0]);
      }
    }
    const older = await answers({ key, cert, ALPNProtocols: [Alpn.pairing], maxVersion: "TLSv1.2" });
    expect(older.length).toBe(0);
    const probe = { key, cert, ALPNProtocols: [Alpn.pairing] };
    expect([...(await answersTo(probe, Buffer.from("GET / HTTP/1.1\r\n\r\n")))]).toEqual([ADMITTED]);
    expect((await answers({ ALPNProtocols: [Alpn.pairing] })).length).toBe(0);
    expect(await victim.api.call("pairing.get")).toBeUndefined();
  });

  test("may look as a viewer, and nothing else", async () => {
    const viewer = await guest();
    expect(viewer.facts()).toMatchObject({ name: "victim", role: "view" });
    const { signal } = new AbortController();
    for (const asked of [
      viewer.start(order()),
      viewer.setTunnels({ tunnels: [], admissions: [] }),
      viewer.probe({ address: "127.0.0.1:22", kind: "task" }),
      viewer.openWindow(),
      viewer.inspect({ ports: [] }, signal),
      viewer.plan({ scope: { kind: "subnet" }, ports: [22], removeBlockRules: true }, signal),
    ]) {
      await expect(asked).rejects.toMatchObject(DENIED);
    }
    for (const alpn of [Alpn.tunnel, Alpn.window]) {
      const { keyPem: key, certPem: cert } = mallory;
      expect((await answers({ key, cert, ALPNProtocols: [alpn] })).length).toBe(0);
    }
    expect(await victim.api.call("cluster.get")).toMatchObject({ machines: [{ tasks: [] }, {}] });
  });

  test("may run tasks, and reaches nothing else of the machine by that", async () => {
    await setRole("run");
    const runner = await guest();
    await expect(runner.openWindow()).rejects.toMatchObject(DENIED);
    await expect(runner.inspect({ ports: [] }, new AbortController().signal)).rejects.toMatchObject(DENIED);
    for (const wrong of [
      { job: "../x" },
      { taskId: "$(id)" },
      { port: 70_000 },
      { port: 5432 },
      { gpu: [-1] },
      { index: -1 },
    ]) {
      await expect(runner.start(order(wrong))).rejects.toMatchObject(INVALID);
    }
    // Services of the machine's loopback: the window, the lock of the data folder, whatever else there is.
    const windowPort = Number(new URL(victim.origin).port);
    for (const port of [windowPort, AGENT_PORT, 22, 1]) {
      expect(await tunnelTo(port)).toBe(TunnelAnswer.unknownPort);
    }
    const { deviceId } = await anyIdentity();
    // Nor does it take the place of one that is not there now.
    const wanted = [80, 5432, 8888, 40_000, windowPort];
    const tunnels = wanted.map((port) => ({ port, deviceId, agentAddresses: [] }));
    expect(await runner.setTunnels({ tunnels, admissions: [] })).toEqual(wanted.sort((a, b) => a - b));
    const { address4, address6 } = network.host("victim");
    for (const host of [
      ...["127.0.0.1", "localhost", "0x7f.1", "2130706433", "0", "[::1]", "[::ffff:7f00:1]"],
      ...["[::ffff:127.0.0.1]", "[::]", address4, `[${address6}]`],
    ]) {
      // One that listens, and one that does not, look the same.
      for (const port of [windowPort, 9]) {
        const layers = await runner.probe({ address: `${host}:${port}`, kind: "task" });
        expect(layers.find(({ layer }) => layer === "tcp")).toMatchObject({
          outcome: "failed",
          cause: "refused",
        });
      }
    }
    const probes = Array.from({ length: 40 }, () =>
      runner.probe({ address: "10.77.0.99:1", kind: "task" }).then(
        () => "done",
        (error: { problem: { code: string } }) => error.problem.code,
      ),
    );
    expect(await Promise.race(probes.slice(20))).toBe("RESOURCE_EXHAUSTED");
  });

  test("lets unpaired machines in to its own tasks only", async () => {
    await setRole("run");
    const unpaired = await anyIdentity();
    await victim.api.call("cluster.addTasks", { job: "ps", count: 1 });
    const [own] = await victim.api.runningTasks(1);
    const port = Number(own?.address.split(":").at(-1));
    const runner = await guest();
    const { deviceId } = unpaired;
    await runner.setTunnels({ tunnels: [], admissions: [{ deviceId, port }] });
    expect(await tunnelTo(port, unpaired)).toBe(TunnelAnswer.notAdmitted);
    expect(await tunnelTo(port)).toBe(TunnelAnswer.connected);
    // Behind the tunnels only: the task itself is in a network of its own.
    expect(new Set(await listening())).toEqual(new Set([AGENT_PORT]));
    const host = network.host("victim");
    expect(await Promise.all([host.address4, host.address6].map((at) => accepts(at, port)))).toEqual([
      false,
      false,
    ]);
    expect(await accepts(host.address6, AGENT_PORT)).toBe(true);
    await victim.api.call("cluster.removeTask", { taskId: own?.id ?? "" });
  });

  test("stops, clears and removes nobody else's task while it may only run its own", async () => {
    await setRole("run");
    await victim.api.call("cluster.addTasks", { job: "ps", count: 1 });
    const [own] = await victim.api.runningTasks(1);
    const id = own?.id ?? "";
    const runner = await guest();
    for (const asked of [runner.stop(id), runner.clearState(id), runner.startAgain(id), runner.remove(id)]) {
      await expect(asked).rejects.toMatchObject(DENIED);
    }
    expect(await victim.api.runningTasks(1)).toMatchObject([{ id }]);
    await victim.api.call("cluster.removeTask", { taskId: id });
  });

  test("opens no task to the network without its user's consent, which can be taken back", async () => {
    await setRole("run");
    const runner = await guest();
    const open = order({ taskId: "mallory-open", isolate: false });
    await expect(runner.start(open)).rejects.toMatchObject(DENIED);
    expect(new Set(await listening())).toEqual(new Set([AGENT_PORT]));
    await victim.api.call("settings.set", { allowExposedTasks: true });
    const { port } = await runner.start(open);
    await victim.api.runningTasks(1);
    const { address4 } = network.host("victim");
    expect(await accepts(address4, port)).toBe(true);
    await victim.api.call("settings.set", { allowExposedTasks: false });
    expect(await accepts(address4, port)).toBe(false);
    await runner.startAgain("mallory-open");
    await until("it does not start", () => runner.tasks().some(({ state }) => state === "failed"));
    expect(await accepts(address4, port)).toBe(false);
    await runner.remove("mallory-open");
  });

  test("loses everything when it is forgotten: connections, tunnels, tasks", async () => {
    await setRole("run");
    await victim.api.call("settings.set", { allowExposedTasks: true });
    const runner = await guest();
    const { port } = await runner.start(order({ isolate: false }));
    await victim.api.runningTasks(1);
    const { address4 } = network.host("victim");
    expect(await accepts(address4, port)).toBe(true);
    const tunnel = await dialAgent({
      ...{
        identity: mallory,
        deviceId: victimIdentity.deviceId,
        addresses: [way.address],
        alpn: Alpn.tunnel,
      },
    });
    const cut = new Promise((resolve) => tunnel.once("close", resolve));
    tunnel.resume();
    await victim.api.call("machines.forget", { machineId: mallory.deviceId });
    await cut;
    await until("the line is cut", () => runner.facts().presence !== "online");
    await expect(runner.start(order({ taskId: "mallory-2" }))).rejects.toThrow();
    for (const alpn of [Alpn.grpc, Alpn.tunnel, Alpn.window]) {
      const { keyPem: key, certPem: cert } = mallory;
      expect((await answers({ key, cert, ALPNProtocols: [alpn] })).length).toBe(0);
    }
    await until("its task is gone", async () => !(await accepts(address4, port)));
    expect(new Set(await listening())).toEqual(new Set([AGENT_PORT]));
  });

  test("cannot use the window, nor make a browser use it", async () => {
    const { port } = new URL(victim.origin);
    const status = (headers: Record<string, string>, method = "GET", path = "/") =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asking.on("error", reject).end();
      });
    expect(await status({ host: `evil.test:${port}` })).toBe(403);
    expect(
      await status({ origin: "http://evil.test", "content-type": "application/json" }, "POST", SESSION_PATH),
    ).toBe(403);
    expect(await accepts(network.host("victim").address4, Number(port))).toBe(false);
  });

  test("finds nothing at all once the machine is not to be seen", async () => {
    await victim.api.call("settings.set", { visible: false });
    await until("nobody listens", async () => (await listening()).length === 0);
    const { address4, address6 } = network.host("victim");
    expect(await Promise.all([address4, address6].map((at) => accepts(at, AGENT_PORT)))).toEqual([
      false,
      false,
    ]);
    expect(identityOf(`${victimIdentity.keyPem}${victimIdentity.certPem}`).deviceId).toBe(await victim.id());
  });
});
