/** `tensordeck submit` to a paired machine: a second agent of this machine, reached over the loopback interface. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";
import { openWindow } from "../../main/support/window.js";
import {
  environmentWithoutProxies,
  ownTensorflowPython,
  type PeerProcess,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../../support/peers.js";

const PROGRAM = ["--import", "tsx", join(repositoryRoot, "main", "cli", "main.ts")];

interface Installation {
  readonly dataDir: string;
  readonly agent: PeerProcess;
  readonly deviceId: string;
}

let root: string;
let pi: Installation;
let laptop: Installation;
let folder: string;

/** Starts a program of one of the two machines; each has temporary files of its own, as machines do. */
async function tensordeck(dataDir: string, args: readonly string[], ready?: RegExp): Promise<PeerProcess> {
  return await spawnPeer(process.execPath, [...PROGRAM, ...args, "--data-dir", dataDir], {
    cwd: repositoryRoot,
    env: {
      ...environmentWithoutProxies(),
      ...{ TENSORDECK_NETWORK: "loopback", TF_CPP_MIN_LOG_LEVEL: "2", TMPDIR: dataDir },
    },
    ...(ready && { ready }),
  });
}

async function install(name: string): Promise<Installation> {
  const dataDir = join(root, name);
  await mkdir(dataDir);
  const args = ["agent", "--port", "0", "--name", name];
  const agent = await tensordeck(dataDir, args, /^agent listening on port \d+$/m);
  return { dataDir, agent, deviceId: /^device ID (\S+)$/m.exec(agent.output())?.[1] ?? "" };
}

async function run(dataDir: string, ...args: readonly string[]): Promise<string> {
  const program = await tensordeck(dataDir, args);
  expect((await program.exited).code, program.output()).toBe(0);
  return program.stdout().trim();
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-remote-"));
  [pi, laptop] = await Promise.all([install("pi"), install("laptop")]);
  await run(pi.dataDir, "agent", "trust", laptop.deviceId, "--role", "run");
  await run(laptop.dataDir, "agent", "trust", pi.deviceId, "--role", "view");
  const window = await openWindow((await run(laptop.dataDir, "agent", "link")).replace("open ", ""));
  const port = /port (\d+)$/m.exec(pi.agent.output())?.[1];
  const machineId = await window.call("machines.add", { address: `127.0.0.1:${port}` });
  const paired = window.next("pairing", (state) => state?.step === "paired");
  await window.call("pairing.start", { machineId, grantedRole: "view" });
  expect(await paired).toMatchObject({ role: "run" });
  window.close();
});

afterAll(async () => {
  await Promise.all([pi?.agent.stop(), laptop?.agent.stop()]);
  await rm(root, { recursive: true, force: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(root, "scripts-"));
  await cp(fileURLToPath(new URL(".", import.meta.url)), folder, { recursive: true });
  await writeFile(join(folder, "notes.txt"), "as sent");
});

async function submit(script: string, ...args: readonly string[]): Promise<PeerProcess> {
  const own = args.indexOf("--");
  const [flags, rest] = own === -1 ? [args, []] : [args.slice(0, own), args.slice(own)];
  const command = ["submit", join(folder, script), ...flags, "--data-dir", laptop.dataDir];
  return await spawnPeer(process.execPath, [...PROGRAM, ...command, ...rest], {
    cwd: repositoryRoot,
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2", TMPDIR: laptop.dataDir },
  });
}

/** The files that jobs of other machines have left in the folder of the agent. */
const leftJobs = () => readdir(join(pi.dataDir, "scripts", "jobs")).catch(() => []);

describe("a script on a paired machine", () => {
  test("runs in a private folder, and what it made comes back without touching the sources", async () => {
    const job = await submit("writes_files.py", "--machine", "pi", "--", "--epochs", "3");
    expect((await job.exited).code, job.output()).toBe(0);
    expect(job.stdout()).toContain(`folder ${join(pi.dataDir, "scripts", "jobs", "job-")}`);
    expect(job.stdout()).toContain("args ['--epochs', '3']");
    expect(job.output()).toMatch(/sending \d+ files, \d+ kB, to pi/);
    const [made = ""] = await readdir(join(folder, "runs"));
    const back = join(folder, "runs", made, "pi");
    expect(await readFile(join(back, "checkpoints", "model.txt"), "utf8")).toBe("weights 7");
    expect(await readFile(join(back, "notes.txt"), "utf8")).toBe("changed");
    expect((await readdir(back)).sort()).toEqual(["checkpoints", "notes.txt"]);
    expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("as sent");
    expect(await leftJobs()).toEqual([]);
    const contents = join(pi.dataDir, "scripts", "contents", laptop.deviceId);
    const kept = (await readdir(contents)).length;
    // The folder with the results is no part of the script, and no content is sent or stored twice.
    const again = await submit("writes_files.py", "--machine", "pi", "--outputs", "checkpoints");
    expect((await again.exited).code, again.output()).toBe(0);
    expect((await readdir(contents)).length).toBe(kept);
    expect(again.output()).toContain("pi: 1 files");
  });

  test("is submitted by a window, which sees its curves and what it made", async () => {
    await cp(fileURLToPath(new URL("../../e2e/scripts/train.py", import.meta.url)), join(folder, "train.py"));
    const window = await openWindow((await run(laptop.dataDir, "agent", "link")).replace("open ", ""));
    try {
      let jobId = "";
      const over = window.next("scripts", (jobs) =>
        jobs.some(({ id, endedAt }) => id === jobId && endedAt !== undefined),
      );
      jobId = await window.call("scripts.start", {
        ...{ path: join(folder, "train.py"), args: [], restarts: 0 },
        ...{ passFlags: false, network: false, scalars: true, outputs: "logs" },
        tasks: [{ job: "worker", index: 0, machineId: pi.deviceId, device: "cpu" }],
      });
      const job = (await over).find(({ id }) => id === jobId);
      expect(job).toMatchObject({
        state: "succeeded",
        tasks: [{ name: "worker/0", machine: "pi", state: "ended" }],
        scalars: [{ machine: "pi", folder: "logs", name: "loss", step: 5, last: expect.closeTo(0.2, 6) }],
        collected: [{ machine: "pi", files: 1 }],
      });
      const [curve] = await window.call("scripts.curves", { jobId });
      expect(curve?.steps).toEqual([1, 2, 3, 4, 5]);
      expect(await readdir(join(job?.collected[0]?.folder ?? "", "logs"))).toHaveLength(1);
      const lines = await window.call("scripts.log", { jobId, task: "worker/0", afterSequence: -1 });
      expect(lines.map(({ text }) => text)).toContain("step 5 loss 0.2000");
    } finally {
      window.close();
    }
  });

  test("has the state of its Python asked there, before it is submitted", async () => {
    const window = await openWindow((await run(laptop.dataDir, "agent", "link")).replace("open ", ""));
    const packages = () =>
      window.call("scripts.packages", { path: join(folder, "writes_files.py"), machineId: pi.deviceId });
    const refusal = () =>
      packages().then(
        () => undefined,
        (error: unknown) => (error instanceof ProblemError ? error.problem.code : error),
      );
    try {
      const python = expect.stringMatching(/^3\.\d+$/);
      expect(await packages()).toEqual({ ready: true, python });
      await writeFile(join(folder, "requirements.txt"), "# nothing\n");
      expect(await packages()).toEqual({ ready: false, python });
      const job = await submit("writes_files.py", "--machine", "pi");
      expect((await job.exited).code, job.output()).toBe(0);
      // The environment was made, for these requirements.
      expect(await packages()).toEqual({ ready: true, python });
      await writeFile(join(folder, "requirements.txt"), "# nothing else\n");
      expect(await packages()).toEqual({ ready: false, python });
      await run(pi.dataDir, "agent", "trust", laptop.deviceId, "--role", "view");
      // The running agent reads the new role from its file.
      await expect.poll(refusal).toBe("PERMISSION_DENIED");
    } finally {
      await run(pi.dataDir, "agent", "trust", laptop.deviceId, "--role", "run");
      await expect.poll(refusal).toBeUndefined();
      window.close();
    }
  });

  test("says why it failed, with the exit status of the script", async () => {
    const job = await submit("writes_files.py", "--machine", "pi", "--", "--fail");
    expect((await job.exited).code, job.output()).toBe(1);
    expect(job.output()).toContain("ModuleNotFoundError: No module named 'no_such_module'");
    expect(job.output()).toContain("List no_such_module in a requirements.txt");
    expect(await leftJobs()).toEqual([]);
  });

  test("ends when it is interrupted, and when the program that submitted it is gone", async () => {
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const job = await submit("writes_files.py", "--machine", "pi", "--", "--wait");
      const [, pid] = await job.waitForOutput(/waiting in (\d+)/);
      expect(processExists(Number(pid))).toBe(true);
      await job.stop(signal);
      await expect.poll(() => processExists(Number(pid))).toBe(false);
      await expect.poll(leftJobs).toEqual([]);
    }
  });

  test("ends when its machine lets this one only look, and is then refused", async () => {
    const running = await submit("writes_files.py", "--machine", "pi", "--", "--wait");
    const [, pid] = await running.waitForOutput(/waiting in (\d+)/);
    await run(pi.dataDir, "agent", "trust", laptop.deviceId, "--role", "view");
    try {
      expect((await running.exited).code, running.output()).toBe(1);
      expect(running.output()).toContain("The machine no longer runs scripts of this one.");
      await expect.poll(() => processExists(Number(pid))).toBe(false);
      await expect
        .poll(async () => {
          const job = await submit("writes_files.py", "--machine", "pi");
          await job.exited;
          return job.output();
        })
        .toContain('It granted this machine the role "view"; running scripts there needs the role "run".');
    } finally {
      await run(pi.dataDir, "agent", "trust", laptop.deviceId, "--role", "run");
    }
  });

  test("is not sent to a machine that is not paired", async () => {
    const job = await submit("writes_files.py", "--machine", "pie");
    expect((await job.exited).code).toBe(1);
    expect(job.output()).toContain("No paired machine is called pie. Did you mean pi?");
  });
});

describe.skipIf(peerMissing("tensorflow", "namespaces"))("a cluster of this machine and a paired one", () => {
  const python = () => ["--python", ownTensorflowPython()];
  const both = ["--machine", "localhost", "--machine", "pi"];

  test("trains with MultiWorkerMirroredStrategy", async () => {
    const job = await submit("multi_worker.py", "--on", "worker:2", ...both, ...python());
    expect((await job.exited).code, job.output()).toBe(0);
    const losses = [...job.stdout().matchAll(/replicas 2 loss (\S+)/g)].map(([, loss]) => loss);
    expect(losses).toHaveLength(2);
    expect(losses[1]).toBe(losses[0]);
  });

  test("has its ps on the paired machine and its workers here and there", async () => {
    const jobs = ["--on", "worker:1,ps:1,chief:1"];
    const job = await submit("parameter_server.py", ...jobs, ...both, ...python());
    expect((await job.exited).code, job.output()).toBe(0);
    expect(job.stdout()).toContain("weights [0.0, 0.999, 1.998, 2.997]");
    expect(await leftJobs()).toEqual([]);
  });
});
