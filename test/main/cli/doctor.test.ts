/** `tensordeck doctor` as a process: what it prints and how it ends. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reachabilitySchema } from "../../../main/api/reachability.js";
import { deviceIdOf } from "../../../main/machine/device-id.js";
import { makeCertificate } from "../../../main/peers/identity/certificate.js";
import { TRUST_FILE } from "../../../main/peers/trust/trust-store.js";
import { startStockServers } from "../../interop/peers/stock-servers.js";
import {
  environmentWithoutProxies,
  freePort,
  libtensorflowDir,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../../support/peers.js";
import { listen } from "../network/reachability/support/servers.js";
import { pair, TestAgent } from "../peers/agent/agents.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-doctor-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs it to its end. Without a library in `env`, none is found, and none is looked for elsewhere. */
async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const main = join(repositoryRoot, "main", "cli", "main.ts");
  const peer = await spawnPeer(process.execPath, ["--import", "tsx", main, "doctor", ...args], {
    cwd: repositoryRoot,
    env: {
      ...environmentWithoutProxies(),
      TF_CONFIG: "",
      TENSORDECK_DATA_DIR: folder,
      TENSORDECK_LIBTENSORFLOW: join(folder, "no-library"),
      ...env,
    },
  });
  const { code } = await peer.exited;
  return { code, stdout: peer.stdout(), output: peer.output() };
}

describe("wrong arguments end with 2 and a sentence", () => {
  test.each([
    [["--clutser", "x"], "Did you mean --cluster?"],
    [["gpu-pc"], "The address 'gpu-pc' has no port; write for example gpu-pc:2222."],
    [["--cluster", "/no/such/file"], "The file given by --cluster cannot be read"],
    [["a:1", "--ps_hosts", "b:1"], "Specify the cluster once"],
  ])("%j", async (args, sentence) => {
    const { code, output, stdout } = await doctor(args);
    expect(code).toBe(2);
    expect(output).toContain(sentence);
    expect(stdout).toBe("");
  });
});

test("the help ends with 0", async () => {
  const { code, stdout } = await doctor(["--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("usage: tensordeck doctor [flags] [HOST:PORT ...]");
});

test("a closed port is an error, told with what to do", async () => {
  const port = await freePort();
  const { code, stdout } = await doctor([`grpc://localhost:${port}`]);
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ task/0  localhost:${port}`);
  expect(stdout).toContain("TCP: connection refused");
  expect(stdout).toMatch(/ {2}✗ Nothing listens on port \d+ of .*\.\n {4}Why: .*\n {4}Do: {2}Start task\/0/);
  expect(stdout).toContain("[route-broken]");
});

test("a program that has the port of a task is named", async () => {
  const { port } = await listen(createServer((socket) => socket.end()));
  const { code, stdout } = await doctor(["--worker_hosts", `127.0.0.1:${port}`, "--json"]);
  expect(code).toBe(1);
  const { diagnoses } = reachabilitySchema.parse(JSON.parse(stdout));
  expect(diagnoses.find(({ id }) => id === "port-in-use")?.problem.message).toMatch(
    new RegExp(
      `^worker/0 cannot listen on 127\\.0\\.0\\.1:${port}: .* \\(process ${process.pid}\\) has the port\\.$`,
    ),
  );
});

test("proxy variables are told, with what they would catch", async () => {
  const { stdout } = await doctor([`127.0.0.1:${await freePort()}`], { https_proxy: "http://proxy:3128" });
  expect(stdout).toMatch(/! proxies +https_proxy/);
  expect(stdout).toContain("env -u https_proxy python3 …");
});

test("TF_CONFIG is read where nothing else is given", async () => {
  const port = await freePort();
  const config = { cluster: { worker: [`127.0.0.1:${port}`] }, task: { type: "worker", index: 0 } };
  const { stdout } = await doctor(["--json"], { TF_CONFIG: JSON.stringify(config) });
  expect(reachabilitySchema.parse(JSON.parse(stdout)).routes).toMatchObject([
    { taskId: "worker/0", address: `127.0.0.1:${port}`, outcome: "failed" },
  ]);
});

describe("paired machines", () => {
  afterAll(() => rm(join(folder, TRUST_FILE), { force: true }));

  async function pairedWith(certPem: string, agentPort: number): Promise<void> {
    const machine = {
      deviceId: deviceIdOf(Buffer.from(certPem.replace(/-----[^-]+-----/g, ""), "base64")),
      name: "raspberrypi",
      certPem,
      grantedRole: "run",
      role: "run",
      addresses: ["127.0.0.1"],
      agentPort,
      pairedAt: 0,
    };
    await writeFile(join(folder, TRUST_FILE), JSON.stringify({ machines: [machine], preauthorised: [] }));
  }

  test("are tested at their agent's port", async () => {
    const { certPem, keyPem } = await makeCertificate();
    const { port } = await listen(createTlsServer({ cert: certPem, key: keyPem }));
    await pairedWith(certPem, port);
    const { code, stdout } = await doctor([]);
    expect(stdout).toMatch(new RegExp(`✓ raspberrypi {2}127\\.0\\.0\\.1:${port} .*answers`));
    expect(code).toBe(0);
  });

  test("that say nothing are told in time, whatever garbage is collected meanwhile", async () => {
    const { certPem } = await makeCertificate();
    const { port } = await listen(createServer());
    await pairedWith(certPem, port);
    const collecting = join(repositoryRoot, "test", "support", "collect-often.mjs");
    const { code, stdout } = await doctor([], { NODE_OPTIONS: `--import=${pathToFileURL(collecting)}` });
    expect(stdout).toContain("The agent of raspberrypi accepts connections, but does not answer");
    expect(code).toBe(1);
  });

  test("whose address belongs to another machine by now are an error", async () => {
    const { certPem, keyPem } = await makeCertificate();
    const { port } = await listen(createTlsServer({ cert: certPem, key: keyPem }));
    await pairedWith((await makeCertificate()).certPem, port);
    const { code, stdout } = await doctor([]);
    expect(stdout).toContain("An installation other than raspberrypi answers");
    expect(code).toBe(1);
  });
});

test("paired machines that answer describe themselves, and are asked what they reach", async () => {
  const agent = await TestAgent.start("raspberrypi");
  const asking = await TestAgent.start("gpu-pc");
  try {
    await pair(agent, asking, "run");
    const address = `127.0.0.1:${await freePort()}`;
    const { stdout } = await doctor([address, "--data-dir", asking.dataDir]);
    expect(stdout).toMatch(new RegExp(`✓ raspberrypi +${agent.address} .*answers`));
    expect(stdout).toMatch(new RegExp(`From paired machines\n.* raspberrypi +task/0 +${address}`));
    expect(agent.asked).toContainEqual(expect.objectContaining({ address, kind: "task" }));
  } finally {
    await Promise.all([agent.dispose(), asking.dispose()]);
  }
});

describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
  test("a cluster that works ends with 0", async () => {
    const cluster = { worker: [`127.0.0.1:${await freePort()}`], ps: [`127.0.0.1:${await freePort()}`] };
    await startStockServers(cluster, ["worker/0", "ps/0"]);
    const file = join(folder, "clusterspec.json");
    await writeFile(file, JSON.stringify(cluster));
    const { code, stdout } = await doctor(["--cluster", file], {
      TENSORDECK_LIBTENSORFLOW: libtensorflowDir(),
    });
    expect(stdout).toMatch(/✓ runtime +TensorFlow 2\./);
    expect(stdout).toMatch(/✓ worker\/0 .* answers: .*CPU/);
    expect(stdout).toMatch(/✓ ps\/0 .* answers: .*CPU/);
    expect(stdout).toContain("Found no errors");
    expect(code).toBe(0);
  });

  test("two names for one server are told", async () => {
    const port = await freePort();
    await startStockServers({ worker: [`127.0.0.1:${port}`] }, ["worker/0"]);
    const hosts = `127.0.0.1:${port},localhost:${port}`;
    const { code, stdout } = await doctor(["--worker_hosts", hosts, "--json"]);
    const { diagnoses } = reachabilitySchema.parse(JSON.parse(stdout));
    expect(diagnoses.map(({ id }) => id)).toContain("two-names-for-one-process");
    expect(code).toBe(1);
  });
});
