/** `tensordeck submit` with real TensorFlow scripts on this machine. */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";
import {
  environmentWithoutProxies,
  ownTensorflowPython,
  type PeerProcess,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../../support/peers.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-submit-"));
  await cp(fileURLToPath(new URL(".", import.meta.url)), folder, { recursive: true });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function submit(script: string, ...args: readonly string[]): Promise<PeerProcess> {
  const program = ["--import", "tsx", join(repositoryRoot, "main", "cli", "main.ts")];
  const command = ["submit", join(folder, script), "--python", ownTensorflowPython(), ...args];
  return await spawnPeer(process.execPath, [...program, ...command], {
    cwd: repositoryRoot,
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
}

/** The last number that a task printed after a word. */
function lossOf(output: string, task: string): string | undefined {
  return new RegExp(`^${task} .*loss ([\\d.e-]+)`, "m").exec(output)?.[1];
}

describe.skipIf(peerMissing("tensorflow"))("scripts of TensorFlow as tasks of this machine", () => {
  test("MultiWorkerMirroredStrategy trains the same weights on two workers", async () => {
    const job = await submit("multi_worker.py", "--on", "worker:2");
    const { code } = await job.exited;
    expect(code, job.output()).toBe(0);
    expect(job.stdout().match(/replicas 2/g)).toHaveLength(2);
    const loss = lossOf(job.stdout(), "worker/0");
    expect(Number(loss)).toBeLessThan(0.4);
    expect(lossOf(job.stdout(), "worker/1")).toBe(loss);
  });

  test("ParameterServerStrategy ends its worker and its ps with the coordinator", async () => {
    const job = await submit("parameter_server.py", "--on", "chief:1,worker:1,ps:1");
    const { code } = await job.exited;
    expect(code, job.output()).toBe(0);
    expect(job.stdout()).toMatch(/chief\/0 +\| variable on .*\/job:ps\/.*task:0/);
    // Each step halves the distance to [0, 1, 2, 3].
    expect(job.stdout()).toContain("weights [0.0, 0.999, 1.998, 2.997]");
    expect(Number(lossOf(job.stdout(), "chief/0"))).toBeCloseTo(14 / 4 ** 9, 8);
  });

  test("a between-graph script takes its cluster from flags, and the ps ends with the workers", async () => {
    const job = await submit(
      ...["between_graph.py", "--on", "ps:1,worker:2", "--cluster_flags", "--", "--steps", "10"],
    );
    const { code } = await job.exited;
    expect(code, job.output()).toBe(0);
    expect(job.stdout()).toMatch(/worker\/0 \| worker 0 sees 30\.0 on \/job:ps\/task:0/);
    expect(job.stdout()).toMatch(/worker\/1 \| worker 1 sees 30\.0 on \/job:ps\/task:0/);
  });

  test("a worker that fails ends the other one, which waits for it, and the job says why", async () => {
    const job = await submit("multi_worker.py", "--on", "worker:2", "--", "--fail-at", "5");
    const { code } = await job.exited;
    expect(code, job.output()).toBe(1);
    expect(job.output()).toContain("worker/1 failed (exit code 1).");
    expect(job.output()).toContain("RuntimeError: the worker gives up at step 5");
    expect(job.stdout()).not.toContain("replicas");
  });

  test("a task that a signal ends gives the job the code that a shell gives it", async () => {
    await writeFile(join(folder, "aborts.py"), "import os\nos.abort()\n");
    const job = await submit("aborts.py", "--on", "worker:1");
    expect((await job.exited).code, job.output()).toBe(128 + constants.signals.SIGABRT);
  });

  test("with a restart, all workers begin again and finish", async () => {
    const job = await submit("multi_worker.py", "--on", "worker:2", "--restart", "1", "--", "--fail-at", "5");
    const { code } = await job.exited;
    expect(code, job.output()).toBe(0);
    expect(job.output()).toContain("Now all tasks are started again (0 restarts left).");
    expect(job.stdout().match(/replicas 2/g)).toHaveLength(2);
  });

  test("an interrupt ends every task", async () => {
    const job = await submit("parameter_server.py", "--on", "ps:1,worker:1");
    await job.waitForOutput(/serving in[\s\S]*serving in \d+\n/);
    const pids = [...job.stdout().matchAll(/serving in (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids.map(processExists)).toEqual([true, true]);
    const { code } = await job.stop("SIGINT");
    expect(code, job.output()).toBe(130);
    expect(pids.map(processExists)).toEqual([false, false]);
  });
});
