/** Exports that are programs, really run: the shell script and, on a stand-in for Slurm, the batch script. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { awaitServing, getStatus } from "../../worker-runtime/engines/get-status.js";
import { freePort, type PeerProcess, peerMissing, spawnPeer, tensorflowPython } from "../support/peers.js";
import { command, runCommand, workerEnvironment } from "./worker-peers.js";

const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-exports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bin = path.join(folder, "bin");

function program(name: string, text: string): void {
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, name), text);
  chmodSync(path.join(bin, name), 0o755);
}

/** The machine's own programs, and `tensordeck` as a package would have it. */
function environment(): NodeJS.ProcessEnv {
  program("tensordeck", `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  const { PATH = "" } = process.env;
  return workerEnvironment({ PATH: `${bin}${path.delimiter}${PATH}` });
}

async function exported(cluster: object, ...flags: string[]): Promise<string> {
  const file = path.join(folder, "cluster.json");
  writeFileSync(file, JSON.stringify(cluster));
  const { code, output } = await runCommand(["export", file, ...flags, "-o", folder]);
  expect({ code, output }).toMatchObject({ code: 0 });
  return output.split("\n")[0] ?? "";
}

const MAX_START_MILLIS = 60_000;

/** Resolves once all of them answer what `tensordeck health` asks, without a process for each time. */
async function allServe(addresses: readonly string[]): Promise<void> {
  for (const { host, port } of addresses.map(hostPortOf)) await awaitServing(host, port, MAX_START_MILLIS);
}

async function serves(address: string): Promise<boolean> {
  const { host, port } = hostPortOf(address);
  return await getStatus(host, port, MAX_START_MILLIS).then(
    () => true,
    () => false,
  );
}

function hostPortOf(address: string): { host: string; port: number } {
  const hostPort = parseHostPort(address);
  if (hostPort === undefined) throw new Error(`${address} is no address.`);
  return hostPort;
}

async function expectEnds(peer: PeerProcess, code: number): Promise<void> {
  peer.child.kill("SIGTERM");
  expect((await peer.exited).code).toBe(code);
}

describe.skipIf(peerMissing("tensorflow") || process.platform === "win32")("exported scripts", () => {
  test("the shell script starts a machine's tasks, ours and TensorFlow's own, and ends them", async () => {
    const env = environment();
    const addresses = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
    const cluster = ClusterSpec.from({ ps: addresses.slice(0, 1), worker: addresses.slice(1) }).asDict();
    const ours = await exported(cluster, "--to", "shell", "--name", "ours", "--engine", "portable");
    const all = await spawnPeer(ours, ["on", "localhost"], { env });
    await allServe(addresses);
    const [address = ""] = addresses;
    expect(await runCommand(["health", address])).toEqual({ code: 0, output: `${address} serves\n` });
    await expectEnds(all, 143);
    await expect.poll(() => serves(address)).toBe(false);
    expect((await runCommand(["health", address])).output).toMatch(/^UNAVAILABLE: No task answers at /);

    const stock = await exported(
      cluster,
      ...["--to", "shell", "--name", "stock", "--run", "server", "--python", tensorflowPython()],
    );
    const one = await spawnPeer(stock, ["worker", "0"], { env });
    await allServe(addresses.slice(1));
    one.child.kill("SIGKILL");
    await one.exited;
  });

  test("the batch script of Slurm gives each task its address and starts it", async () => {
    const env = environment();
    // Slurm's part, on one machine: a process for each task, and the number in front of its lines.
    program(
      "srun",
      `#!/bin/bash
while [[ $1 == --* ]]; do shift; done
pids=()
for rank in 0 1; do
  (
    export SLURM_PROCID=$rank
    if [ "$1" = hostname ]; then echo "$rank: localhost"; else exec "$@"; fi
  ) &
  pids+=("$!")
done
trap 'kill "\${pids[@]}"; exit 143' TERM
for pid in "\${pids[@]}"; do wait "$pid"; done
`,
    );
    const port = await freePort();
    const batch = await exported(
      { worker: ["any:1", "any:2"] },
      ...["--to", "slurm", "--port", String(port), "--engine", "portable"],
    );
    const job = await spawnPeer(batch, [], { env, group: true });
    await job.waitForOutput(/^cluster (\{.*\})$/m);
    expect(job.output()).toContain(`{"worker":["localhost:${port}","localhost:${port + 1}"]}`);
    await allServe([`localhost:${port}`, `localhost:${port + 1}`]);
    await job.stop();
  });
});
