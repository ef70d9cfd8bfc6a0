import { mkdtempSync } from "node:fs";
import { loadIdentity } from "../../../main/identity/identity.js";
import { TrustStore } from "../../../main/trust/trust-store.js";
import { Network } from "../support/network.js";

const lib = "/work/main/.venv/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2";
for (const mode of process.argv.slice(2)) {
  const network = await Network.create(2);
  const [a, b] = network.hosts as any;
  const ms = await Promise.all(
    [a, b].map(async (host: any) => {
      const dataDir = mkdtempSync("/tmp/h5/m-");
      return { host, dataDir, identity: await loadIdentity(dataDir) };
    }),
  );
  for (const [x, y] of [
    [ms[0], ms[1]],
    [ms[1], ms[0]],
  ] as any) {
    const t = await TrustStore.load(x.dataDir);
    await t.put({
      deviceId: y.identity.deviceId,
      name: "x",
      certPem: y.identity.certPem,
      grantedRole: "run",
      role: "run",
      addresses: [],
      agentPort: 2220,
      pairedAt: 0,
    });
    await t.close();
  }
  const plain = mode === "plain";
  const cluster = {
    worker: {
      0: plain ? `${a.address4}:2222` : "localhost:2222",
      1: plain ? `${b.address4}:2223` : "localhost:2223",
    },
  };
  const tun = (m: any, port: number) => ({
    port,
    deviceId: m.identity.deviceId,
    agentAddresses: [`${m.host.address4}:2220`],
  });
  const apps = await Promise.all(
    ms.map((m: any, i: number) =>
      m.host.spawn(
        process.execPath,
        [
          "--import",
          "tsx",
          "test/net/fixtures/tunnel-host.ts",
          JSON.stringify({
            dataDir: m.dataDir,
            library: lib,
            cluster,
            tasks: [{ job: "worker", index: i, port: 2222 + i, isolate: mode === "isolated" }],
            foreignPorts: [],
            orders: { tunnels: plain ? [] : [tun(ms[1 - i], 2223 - i)], admissions: [] },
          }),
        ],
        { ready: /ready/, readyTimeoutMillis: 100000 },
      ),
    ),
  );
  const t = [`grpc://${cluster.worker[0]}`, `grpc://${cluster.worker[1]}`];
  const cpu = async () =>
    await Promise.all(
      apps.map(async (p: any) => {
        const f = (await network.hosts[0]!.run("cat", [`/proc/${p.pid}/stat`])).split(") ")[1]!.split(" ");
        return (Number(f[11]) + Number(f[12])) * 10;
      }),
    );
  const c0 = await cpu();
  const out = await a.run("/work/main/.venv/bin/python", ["/tmp/h5/client.py", ...t], {
    timeoutMillis: 120000,
    env: { ...process.env, CUDA_VISIBLE_DEVICES: "", TF_CPP_MIN_LOG_LEVEL: "2" },
  });
  const c1 = await cpu();
  console.log(
    mode,
    out.trim(),
    "app cpu ms",
    c1.map((v, i) => v - c0[i]!),
  );
  await Promise.all(apps.map((p: any) => p.stop()));
  await network.dispose();
}
process.exit(0);
