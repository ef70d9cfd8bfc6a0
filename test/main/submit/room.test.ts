/** Scripts that a window submits on this machine: real processes of a script without TensorFlow. */
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventData, EventName } from "../../../main/api/contract.js";
import type { ScriptJob, ScriptRequest } from "../../../main/api/scripts.js";
import { loadIdentity } from "../../../main/peers/identity/identity.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { createSubmit, type SubmitRoom } from "../../../main/submit/room.js";
import { Ports } from "../../../main/tasks/ports.js";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";
import { findPythons } from "../../../worker-runtime/engines/tensorflow/find-python.js";

let root: string;
let path: string;
let room: SubmitRoom;
let jobs: readonly ScriptJob[];
let listeners: Set<() => void>;

function emit<E extends EventName>(event: E, data: EventData<E>): void {
  if (event === "scripts") jobs = data as EventData<"scripts">;
  for (const listener of listeners) listener();
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-submit-"));
  path = join(root, "project", "training.py");
  await mkdir(join(root, "project"));
  await copyFile(fileURLToPath(new URL("training.py", import.meta.url)), path);
  jobs = [];
  listeners = new Set();
  room = await makeRoom();
});

async function makeRoom(): Promise<SubmitRoom> {
  return createSubmit({
    ...{ folder: join(root, "scripts"), ports: new Ports(), identity: await loadIdentity(root), emit },
    trust: { get: () => undefined },
    ownName: () => "laptop",
  });
}

afterEach(async () => {
  await room.dispose();
  await rm(root, { recursive: true });
});

function call<M extends keyof SubmitRoom["handlers"]>(method: M) {
  const handler = room.handlers[method];
  return (params: Parameters<typeof handler>[0]) =>
    (handler as (given: unknown, caller: unknown) => ReturnType<typeof handler>)(params, THIS_PROGRAM);
}

const workers = (count: number): ScriptRequest["tasks"] =>
  Array.from({ length: count }, (_, index) => ({ job: "worker", index }));

function request(more: Partial<ScriptRequest> = {}): ScriptRequest {
  return {
    ...{ path, args: [], tasks: workers(2), restarts: 0, passFlags: false, network: false, scalars: true },
    ...more,
  };
}

/** Resolves once something holds; looked at with every event. */
function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  return new Promise((resolve, reject) => {
    const check = () => {
      Promise.resolve(look()).then((found) => {
        if (found === undefined) return;
        listeners.delete(check);
        resolve(found);
      }, reject);
    };
    listeners.add(check);
    check();
  });
}

const over = (id: string) => until(() => jobs.find((job) => job.id === id && job.endedAt !== undefined));

async function text(jobId: string, task: string): Promise<string> {
  const lines = await call("scripts.log")({ jobId, task, afterSequence: -1 });
  return (lines as { readonly text: string }[]).map((line) => line.text).join("\n");
}

describe("a script that was submitted", () => {
  it("runs as tasks that know each other, and is kept with its output when it has ended", async () => {
    const id = await call("scripts.start")(
      request({ tasks: [...workers(1), { job: "worker", index: 1, device: "cpu" }] }),
    );
    const job = await over(String(id));
    expect(job).toMatchObject({ state: "succeeded", script: "training.py", folder: "project" });
    expect(job.machines).toEqual([{ name: "laptop", ready: true }]);
    const done = {
      machine: "laptop",
      state: "ended",
      starts: 1,
      progress: { unit: "epoch", done: 2, total: 2 },
    };
    expect(job.tasks).toMatchObject([
      { name: "worker/0", ...done },
      { name: "worker/1", device: "cpu", ...done },
    ]);
    expect(await text(job.id, "worker/1")).toContain("CUDA -1");
    await call("scripts.forget")({ jobId: job.id });
    expect(jobs).toEqual([]);
  });

  it("is listed again after a restart, with its output, until it is forgotten", async () => {
    const failed = await over(String(await call("scripts.start")(request({ args: ["--fail"] }))));
    const output = await text(failed.id, "worker/1");
    // One that still runs is ended with the application.
    const running = String(await call("scripts.start")(request({ args: ["--wait"] })));
    await until(async () => ((await text(running, "worker/0")).includes("waiting in") ? true : undefined));
    await room.dispose();
    const stopped = await over(running);

    jobs = [];
    room = await makeRoom();
    await until(() => (jobs.length === 2 ? true : undefined));
    expect(jobs).toEqual([stopped, failed]);
    expect(await text(failed.id, "worker/1")).toBe(output);
    expect(output).toContain("ValueError: the loss is not a number");
    expect(room.running()).toEqual([]);
    await call("scripts.forget")({ jobId: failed.id });
    expect(jobs).toEqual([stopped]);
    await room.dispose();

    jobs = [];
    room = await makeRoom();
    await until(() => (jobs.length > 0 ? true : undefined));
    expect(jobs).toEqual([stopped]);
  });

  it("says which task failed and why, and ends the others", async () => {
    const id = await call("scripts.start")(request({ args: ["--fail", "--wait-for-end"] }));
    const job = await over(String(id));
    expect(job.state).toBe("failed");
    expect(job.problem).toMatchObject({
      message: "worker/1 failed (exit code 1).",
      reason: "ValueError: the loss is not a number",
      task: "worker/1",
    });
    expect(job.tasks.map(({ state }) => state)).toEqual(["stopped", "failed"]);
  });

  it("is started again as a whole, as often as was asked for", async () => {
    const id = await call("scripts.start")(request({ args: ["--fail", "--wait-for-end"], restarts: 2 }));
    const job = await over(String(id));
    expect(job).toMatchObject({ state: "succeeded", restartsLeft: 1 });
    expect(job.tasks.map(({ starts }) => starts)).toEqual([2, 2]);
    expect(await text(job.id, "worker/0")).toContain("from step 40");
    expect(await text(job.id, "")).toContain("Now all tasks are started again (1 restart left).");
  });

  it("is ended by one call, with all that it started", async () => {
    const id = String(await call("scripts.start")(request({ args: ["--wait"] })));
    const pids = await until(async () => {
      const output = `${await text(id, "worker/0")}\n${await text(id, "worker/1")}`;
      const found = [...output.matchAll(/waiting in (\d+)/g)].map(([, pid]) => Number(pid));
      return found.length === 2 ? found : undefined;
    });
    expect(room.running()).toMatchObject([{ script: "training.py" }]);
    const loads = await until(() => {
      const found = jobs[0]?.tasks.map(({ load }) => load?.memoryBytes ?? 0) ?? [];
      return found.every((bytes) => bytes > 0) ? found : undefined;
    });
    expect(loads).toHaveLength(2);
    await call("scripts.stop")({ jobId: id });
    const job = await over(id);
    expect(job.state).toBe("stopped");
    expect(job.tasks.map(({ state, load }) => [state, load])).toEqual(Array(2).fill(["stopped", undefined]));
    expect(pids.map(processExists)).toEqual([false, false]);
    expect(room.running()).toEqual([]);
  });

  it("is refused with tasks that are missing, a machine that is not paired, and outputs elsewhere", async () => {
    const start = async (more: Partial<ScriptRequest>) => await call("scripts.start")(request(more));
    await expect(start({ tasks: [{ job: "worker", index: 1 }] })).rejects.toThrow("numbered from 0");
    await expect(
      start({ tasks: [{ job: "worker", index: 0, machineId: "a".repeat(52) }] }),
    ).rejects.toThrow();
    await expect(start({ outputs: "../elsewhere" })).rejects.toThrow("not a folder within");
    await expect(start({ path: join(root, "none.py") })).rejects.toThrow("There is no script");
    expect(jobs).toEqual([]);
  });
});

describe("the survey of a script", () => {
  it("says what is sent and left out, its packages and its strategy", async () => {
    await writeFile(join(root, "project", ".gitignore"), "data/\n");
    await mkdir(join(root, "project", "data"));
    await writeFile(join(root, "project", "data", "big.bin"), "x");
    await writeFile(
      join(root, "project", "requirements.txt"),
      "# tools\nnumpy==1.26\n-r more.txt\npandas\n ./own-1.0-py3-none-any.whl\n",
    );
    const survey = await call("scripts.survey")({ path });
    expect(survey).toMatchObject({
      script: "training.py",
      folder: join(root, "project"),
      files: { count: 3, leftOut: ["data/"], leftOutCount: 1 },
      packages: { kind: "requirements", file: "requirements.txt", count: 3, ready: false },
      strategy: { kind: "between-graph", name: "TF_CONFIG", line: 10 },
    });
    const around = await call("scripts.survey")({ path, folder: root });
    expect(around).toMatchObject({ script: "project/training.py", folder: root });
    await expect(call("scripts.survey")({ path, folder: join(root, "scripts") })).rejects.toThrow(
      "is not within",
    );
  });

  it("says which modules the Python of this machine lacks, what it imports through its own files too", async () => {
    await writeFile(path, "import json\nimport model.layers as layers\nfrom no_such_a.b import c\n");
    await mkdir(join(root, "project", "model"));
    await writeFile(join(root, "project", "model", "layers.py"), "import no_such_b\n");
    expect(await call("scripts.survey")({ path })).toMatchObject({
      packages: {
        ...{ kind: "system", ready: false, python: expect.stringMatching(/^3\./) },
        problem: {
          message: expect.stringMatching(
            /^Python 3\.\d+ lacks no_such_a, no_such_b, all of which the script imports\.$/,
          ),
          remedy: expect.stringContaining("List no_such_a, no_such_b in a requirements.txt"),
        },
      },
    });
  });

  it("is made with the Python that was chosen, which the tasks get", async () => {
    const [python] = await findPythons();
    if (!python) throw new Error("there is no Python");
    const environment = join(root, "chosen");
    execFileSync(python.executable, ["-m", "venv", "--without-pip", environment]);
    await writeFile(path, "import sys\nprint('prefix', sys.prefix)\n");
    await writeFile(join(root, "project", "requirements.txt"), "numpy==1.26\n");
    expect(await call("scripts.survey")({ path, python: environment })).toMatchObject({
      packages: { kind: "chosen", ready: true },
    });
    const job = await over(String(await call("scripts.start")(request({ python: environment }))));
    expect(await text(job.id, "worker/0")).toContain(`prefix ${environment}`);
    expect(await call("scripts.survey")({ path, python: join(root, "none") })).toMatchObject({
      packages: {
        kind: "chosen",
        ready: false,
        problem: { message: `${join(root, "none")} is no Python 3.` },
      },
    });
  });
});
