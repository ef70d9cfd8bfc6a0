/** `tensordeck submit` to paired machines of a network, whose tasks and links are lost. */
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processExists } from "../../worker-runtime/engines/process-exists.js";
import { ownTensorflowPython, type PeerProcess, peerMissing, repositoryRoot } from "../support/peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

const PROGRAM = join(repositoryRoot, "build", "bin", "tensordeck.mjs");

describe.skipIf(peerMissing("namespaces", "python"))("scripts on paired machines", () => {
  let network: Network;
  let laptop: Installation;
  let gpuPc: Installation;
  let pi: Installation;
  let folder: string;

  beforeAll(async () => {
    network = await Network.create(3, { names: ["laptop", "gpu-pc", "raspberrypi"] });
    [laptop, gpuPc, pi] = await Promise.all([
      Installation.start(network.host("laptop")),
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
    await laptop.pairWith(gpuPc, "run");
    await laptop.pairWith(pi, "run");
    folder = join(laptop.folder, "scripts");
    await mkdir(folder);
    for (const name of ["between_graph.py", "waits.py"])
      await cp(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), join(folder, name));
  });

  afterAll(async () => {
    await Promise.all([laptop?.stop(), gpuPc?.stop(), pi?.stop()]);
    await network?.dispose();
  });

  function submit(script: string, ...args: readonly string[]): Promise<PeerProcess> {
    const command = [PROGRAM, "submit", join(folder, script), ...args];
    return laptop.host.spawn(process.execPath, [...command, "--data-dir", join(laptop.folder, "data")], {
      cwd: folder,
      env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2", TMPDIR: laptop.folder },
    });
  }

  /** A job of one waiting task on each of the machines. Resolves with their processes, by task. */
  async function waiting(...flags: readonly string[]) {
    const machines = ["localhost", "gpu-pc", "raspberrypi"].flatMap((name) => ["--machine", name]);
    const job = await submit("waits.py", "--on", "worker:3", ...machines, ...flags);
    const pids = [0, 1, 2].map(async (index) =>
      Number((await job.waitForOutput(new RegExp(`worker/${index} +\\| waits in (\\d+)`)))[1]),
    );
    return { job, pids: await Promise.all(pids) };
  }

  const allEnded = (pids: readonly number[]) =>
    expect.poll(() => pids.filter(processExists), { timeout: 60_000 }).toEqual([]);

  test.skipIf(peerMissing("tensorflow"))(
    "a worker that is killed starts again alone, and the others go on",
    async () => {
      const machines = ["localhost", "gpu-pc", "raspberrypi"].flatMap((name) => ["--machine", name]);
      const flags = ["--on", "ps:1,worker:2", ...machines];
      const job = await submit(
        "between_graph.py",
        ...flags,
        "--restart",
        "1",
        "--cluster_flags",
        "--python",
        ownTensorflowPython(),
      );
      const [, pid] = await job.waitForOutput(/worker\/1 +\| start \d: adds in (\d+)/);
      await job.waitForOutput(/worker\/0 +\| start \d: adds in \d+/);
      process.kill(Number(pid), "SIGKILL");
      expect((await job.exited).code, job.output()).toBe(0);
      expect(job.output()).toMatch(
        /worker\/1 on \S+ failed \(signal SIGKILL\)\..* Now it is started again \(0 restarts left\)\./,
      );
      expect(job.stdout()).toMatch(/worker\/1 +\| start 3: adds in \d+/);
      for (const worker of [0, 1])
        expect(job.stdout()).toContain(`worker ${worker} has added to /job:ps/task:0`);
      // Only the one that was killed was started twice.
      expect(job.stdout().match(/worker\/0 +\| start /g)).toHaveLength(1);
    },
  );

  test("without a restart, a task that is killed ends all of them, and the job says which", async () => {
    const { job, pids } = await waiting();
    process.kill(pids[1] ?? 0, "SIGKILL");
    expect((await job.exited).code, job.output()).toBe(137);
    expect(job.output()).toMatch(/worker\/1 on \S+ failed \(signal SIGKILL\)\./);
    await allEnded(pids);
  });

  test("one interrupt ends the tasks of all machines", async () => {
    const { job, pids } = await waiting();
    expect((await job.stop("SIGINT")).code, job.output()).toBe(130);
    await allEnded(pids);
  });

  test("a machine that vanishes is named, and the job ends on it and on the others", async () => {
    const { job, pids } = await waiting();
    await pi.host.setLink(false);
    expect((await job.exited).code, job.output()).toBe(1);
    expect(job.output()).toMatch(/^tensordeck: The connection to raspberrypi was lost\.$/m);
    await allEnded(pids);
    await pi.host.setLink(true);
  });
});
