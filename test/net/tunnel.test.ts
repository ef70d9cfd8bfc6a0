/**
 * Secure clusters of TensorFlow's own servers on hosts of their own: what stock clients see through the tunnels, and what
 * the network sees of the tasks.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TunnelEnd } from "../../main/peers/agent/tunnel-request.js";
import { type Identity, loadIdentity } from "../../main/peers/identity/identity.js";
import { DEFAULT_AGENT_PORT } from "../../main/peers/port/agent-port.js";
import { TrustStore } from "../../main/peers/trust/trust-store.js";
import { until } from "../main/support/until.js";
import { libtensorflowDir, peerMissing, repositoryRoot, tensorflowPython } from "../support/peers.js";
import type { PeerProcess } from "../support/processes.js";
import type { TunnelHostPlan, TunnelHostReport } from "./fixtures/tunnel-host.js";
import { connects, type Host, Network } from "./support/network.js";

const FIXTURE = join(dirname(fileURLToPath(import.meta.url)), "fixtures", "tunnel-host.ts");
const STOCK_SERVER = join(repositoryRoot, "test", "interop", "peers", "stock_server.py");

/** A worker on each of two machines, and a stock server on the second; nothing on the third. */
const FIRST = 2222;
const SECOND = 2223;
const STOCK = 2224;
const cluster = {
  worker: { 0: `localhost:${FIRST}`, 1: `localhost:${SECOND}` },
  ps: { 0: `localhost:${STOCK}` },
};
const stockCluster = { worker: Object.values(cluster.worker), ps: Object.values(cluster.ps) };

/** Adds, on one task, what two others have computed; prints the sum and the length of a tensor that was fetched. */
const CLIENT = `
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
parts = []
for task in ["/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"]:
    with tf.device(task):
        feed = tf.placeholder(tf.float32, [None])
        parts.append((feed, feed * 2.0))
with tf.device("/job:worker/task:0"):
    total = tf.add_n([doubled for _, doubled in parts])
with tf.Session(sys.argv[1]) as session:
    values = np.arange(4_000_000, dtype=np.float32)
    for _ in range(3):
        result = session.run(total, {feed: values for feed, _ in parts})
    assert np.array_equal(result, values * 6.0)
    print("right", len(result), flush=True)
`;

interface Machine {
  readonly host: Host;
  readonly dataDir: string;
  readonly identity: Identity;
}

/** Which network namespace a process is in; undefined when it is gone. */
function networkOf(pid: number | string | undefined): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function inhabitants(network: string | undefined): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.filter((pid) => networkOf(pid) === network && network !== undefined).length;
}

describe.skipIf(peerMissing("namespaces", "tensorflow"))("a secure cluster on two machines", () => {
  let network: Network;
  let one: Machine;
  let two: Machine;
  let outsider: Host;
  let reports: TunnelHostReport[];
  const applications = new Map<Machine, PeerProcess>();

  async function machine(host: Host): Promise<Machine> {
    const dataDir = await mkdtemp(join(tmpdir(), "tensordeck-net-tunnel-"));
    return { host, dataDir, identity: await loadIdentity(dataDir) };
  }

  async function trusts(who: Machine, whom: Machine): Promise<void> {
    const trust = await TrustStore.load(who.dataDir);
    await trust.put({
      deviceId: whom.identity.deviceId,
      name: whom.host.name,
      certPem: whom.identity.certPem,
      grantedRole: "run",
      role: "run",
      addresses: [whom.host.address4],
      agentPort: DEFAULT_AGENT_PORT,
      pairedAt: Date.now(),
    });
    await trust.close();
  }

  const tunnelTo = ({ host, identity }: Machine, port: number): TunnelEnd => ({
    port,
    deviceId: identity.deviceId,
    agentAddresses: [`[${host.address6}]:${DEFAULT_AGENT_PORT}`, `${host.address4}:${DEFAULT_AGENT_PORT}`],
  });

  async function start(machine: Machine, plan: Partial<TunnelHostPlan>): Promise<TunnelHostReport> {
    const { host, dataDir } = machine;
    const whole: TunnelHostPlan = {
      dataDir,
      library: join(libtensorflowDir(), "libtensorflow_cc.so.2"),
      cluster,
      tasks: [],
      foreignPorts: [],
      orders: { tunnels: [], admissions: [] },
      ...plan,
    };
    const started = await host.spawn(process.execPath, ["--import", "tsx", FIXTURE, JSON.stringify(whole)], {
      ready: /ready (\{.*\})/,
    });
    applications.set(machine, started);
    return JSON.parse(started.match?.[1] ?? "");
  }

  beforeAll(async () => {
    network = await Network.create(3, { names: ["gpu-pc", "raspberrypi", "outsider"] });
    const [first, second, third] = network.hosts;
    if (!first || !second || !third) throw new Error("The network has too few hosts.");
    [one, two] = await Promise.all([machine(first), machine(second)]);
    outsider = third;
    await Promise.all([trusts(one, two), trusts(two, one)]);
    const stock = second.spawn(tensorflowPython(), [STOCK_SERVER, JSON.stringify(stockCluster), "ps/0"], {
      ready: /all ready/,
    });
    reports = await Promise.all([
      start(one, {
        tasks: [{ job: "worker", index: 0, port: FIRST, isolate: true }],
        orders: { tunnels: [tunnelTo(two, SECOND), tunnelTo(two, STOCK)], admissions: [] },
      }),
      start(two, {
        tasks: [{ job: "worker", index: 1, port: SECOND, isolate: true }],
        foreignPorts: [STOCK],
        orders: { tunnels: [tunnelTo(one, FIRST)], admissions: [] },
      }),
    ]);
    await stock;
  });

  afterAll(async () => {
    await Promise.all([...applications.values()].map((application) => application.stop()));
    await network?.dispose();
    for (const { dataDir } of applications.keys()) await rm(dataDir, { recursive: true, force: true });
  });

  test("has every port where it is wanted, and its own tasks isolated", () => {
    expect(reports).toMatchObject([
      { takenPorts: [], isolated: [true] },
      { takenPorts: [], isolated: [true] },
    ]);
  });

  test.each([
    ["the first machine's task from the first machine", 0, FIRST],
    ["the second machine's task from the first machine", 0, SECOND],
    ["the first machine's task from the second machine", 1, FIRST],
  ])("serves a stock client that asks %s", async (_, host, port) => {
    const run = network.hosts[host]?.run(tensorflowPython(), ["-c", CLIENT, `grpc://localhost:${port}`]);
    expect(await run).toContain("right 4000000");
  });

  test("shows the network its agents only; a server that was not isolated is open to it", async () => {
    for (const { host } of [one, two]) {
      for (const address of [host.address4, host.address6]) {
        expect(await connects(outsider, address, DEFAULT_AGENT_PORT)).toBe(true);
        expect(await connects(outsider, address, FIRST)).toBe(false);
        expect(await connects(outsider, address, SECOND)).toBe(false);
      }
    }
    expect(await connects(outsider, two.host.address4, STOCK)).toBe(true);
    expect(await connects(outsider, one.host.address4, STOCK)).toBe(false);
  });

  test("gives no tunnel to a machine that nobody admitted", async () => {
    const unpaired = await machine(outsider);
    const refused = await start(unpaired, {
      orders: { tunnels: [tunnelTo(one, FIRST)], admissions: [] },
    });
    expect(refused.takenPorts).toEqual([]);
    const script =
      "import socket, sys; c = socket.create_connection(('localhost', int(sys.argv[1])), 5); c.sendall(b'x'); c.recv(1)";
    const { code, stderr } = await outsider.exec("python3", ["-c", script, String(FIRST)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Connection reset")]);
  });

  test("takes its isolated tasks along when the application is killed", async () => {
    const namespace = networkOf(reports[0]?.pids[0]);
    // The task and the process that makes sockets there.
    expect(inhabitants(namespace)).toBe(2);
    await applications.get(one)?.stop("SIGKILL");
    await until("nobody is left in the namespace", () => inhabitants(namespace) === 0);
    expect(await connects(one.host, "localhost", FIRST)).toBe(false);
  });
});
