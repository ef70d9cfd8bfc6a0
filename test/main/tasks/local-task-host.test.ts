import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Gpu } from "../../../main/api/machines.js";
import type { GpuLoad } from "../../../main/api/samples.js";
import { gpuNumbers, visibleGpus } from "../../../main/tasks/gpu-assignment.js";
import { LocalTaskHost, type LocalTaskHostCollaborators } from "../../../main/tasks/local-task-host.js";
import type { TaskOrder } from "../../../main/tasks/task-host.js";
import { freePort } from "../../support/peers.js";
import { type ScriptTasks, scriptTasks } from "../support/script-tasks.js";
import { until } from "../support/until.js";

let folder: string;
const hosts: LocalTaskHost[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-host-"));
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.dispose()));
  await rm(folder, { recursive: true });
});

const file = () => join(folder, "deeper", "tasks.json");

function make(scripts: ScriptTasks = scriptTasks(), more: Partial<LocalTaskHostCollaborators> = {}) {
  const { launch, openProbe } = scripts;
  const host = new LocalTaskHost({ launch, openProbe, gpus: () => [], wantedFile: file(), ...more });
  hosts.push(host);
  const running = () => until("all run", () => host.tasks().every(({ state }) => state === "running"));
  return { host, scripts, running };
}

function order(taskId: string, more: Partial<TaskOrder> = {}): TaskOrder {
  return {
    ...{ taskId, job: "worker", index: 0, engine: "tensorflow", gpu: "auto", port: 0 },
    ...{ isolate: false, owner: "me" },
    ...more,
  };
}

function gpu(index: number, processes: GpuLoad["processes"] = []): Gpu & GpuLoad {
  return { index, name: "H200", memoryBytes: 2 ** 37, processes };
}

async function portHeld<T>(port: number, work: () => Promise<T>): Promise<T> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, () => resolve()));
  try {
    return await work();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("which GPUs a task sees", () => {
  it.each([
    ["auto", "ps", [0, 1], [], "none"],
    ["auto", "worker", [], [], "auto"],
    ["auto", "worker", [0, 1], [], "0"],
    ["auto", "worker", [0, 1], [[0]], "1"],
    ["auto", "worker", [0, 1], [[0], [1], [0, 1], [1]], "0"],
    ["none", "worker", [0, 1], [], "none"],
    [[1, 0], "ps", [0, 1], [[0]], "1,0"],
  ] as const)("is, for %j of job %s on GPUs %j with %j in use, %s", (choice, job, gpus, inUse, visible) => {
    const wanted = typeof choice === "string" ? choice : [...choice];
    expect(visibleGpus({ choice: wanted, job, engine: "tensorflow" }, gpus, inUse)).toBe(visible);
  });

  it("is left to the portable engine, which finds the best by itself", () => {
    const portable = (job: string, choice: "auto" | "none" = "auto") =>
      visibleGpus({ choice, job, engine: "portable" }, [0, 1], [[0]]);
    expect(portable("worker")).toBe("auto");
    expect(portable("worker", "none")).toBe("none");
    expect(portable("ps")).toBe("none");
  });

  it("counts as in use what the task was given", () => {
    expect(gpuNumbers("auto", [0, 1])).toEqual([0, 1]);
    expect(gpuNumbers("none", [0, 1])).toEqual([]);
    expect(gpuNumbers("1,0", [0, 1])).toEqual([1, 0]);
  });

  it("is another one for each worker that runs", async () => {
    const { host, scripts, running } = make(scriptTasks(), { gpus: () => [gpu(0), gpu(1)] });
    await host.start(order("a"));
    await running();
    await host.start(order("b", { index: 1 }));
    await host.start(order("c", { job: "ps" }));
    await running();
    expect(scripts.requests.map(({ plan }) => plan.gpu)).toEqual(["0", "1", "none"]);
    await host.stop("a");
    await host.startAgain("a");
    await running();
    expect(scripts.requests.at(-1)?.plan.gpu).toBe("0");
  });
});

describe("orders", () => {
  it("that are sent again make no second task", async () => {
    const { host, scripts, running } = make();
    const both = await Promise.all([host.start(order("a")), host.start(order("a"))]);
    expect(both.map(({ id }) => id)).toEqual(["a", "a"]);
    await running();
    expect((await host.start(order("a"))).state).toBe("running");
    expect(scripts.requests.length).toBe(1);
  });

  it("for a port get that port, or hear who has it", async () => {
    const { host } = make();
    const port = await freePort();
    await portHeld(port, async () => {
      await expect(host.start(order("a", { port }))).rejects.toMatchObject({
        problem: { code: "FAILED_PRECONDITION", message: `Port ${port} is taken.` },
      });
    });
    expect(host.tasks()).toEqual([]);
    expect((await host.start(order("a", { port }))).port).toBe(port);
  });

  it("in a fixed cluster keep their place and their port", async () => {
    const { host, scripts, running } = make();
    const port = await freePort();
    const cluster = { worker: { 0: `localhost:${port}`, 1: "pi:2222" } };
    await host.start(order("a", { port, fixed: { cluster } }));
    await running();
    expect(scripts.requests[0]?.plan).toMatchObject({ cluster, job: "worker", index: 0, port });
    await host.stop("a");
    await portHeld(port, async () => {
      await host.startAgain("a", { cluster });
      await until("it has failed", () => host.tasks()[0]?.state === "failed");
    });
    expect(host.tasks()[0]?.port).toBe(port);
    await host.startAgain("a");
    await running();
    expect(scripts.requests.at(-1)?.plan.job).toMatch(/^tensordeck_/);
  });

  it("pass on whether the port is to be shut, and tell whether it is", async () => {
    const scripts = scriptTasks();
    const { host, running } = make({
      ...scripts,
      launch: (request) => {
        const { isolate } = request.plan;
        return Object.assign(scripts.launch(request), { isolated: isolate });
      },
    });
    await host.start(order("a", { isolate: true }));
    await host.start(order("b", { index: 1 }));
    await running();
    expect(host.tasks().map(({ isolated }) => isolated)).toEqual([true, false]);
  });

  it("name their owner, and the memory that they hold on GPUs", async () => {
    const { host, running } = make(scriptTasks(), {
      gpus: () => {
        const pid = hosts[0]?.tasks()[0]?.pid ?? 0;
        return [
          gpu(0, [{ pid, name: "node", memoryBytes: 5 }]),
          gpu(1, [{ pid, name: "node", memoryBytes: 6 }]),
        ];
      },
    });
    await host.start(order("a", { owner: "somebody" }));
    await running();
    let held: number | undefined;
    host.onSamples((samples) => {
      held = samples.get("a")?.gpuMemoryBytes;
    });
    await until("a sample", () => held === 11);
    expect(host.tasks()[0]?.owner).toBe("somebody");
  });
});

describe("clearing the state", () => {
  it("is asked of the server under the name that it goes by", async () => {
    const asked: unknown[] = [];
    const { host, running } = make(scriptTasks(), {
      clearState: async (address, server) => void asked.push([address, server]),
    });
    const { port } = await host.start(order("abcdefgh-1"));
    await running();
    await host.clearState("abcdefgh-1");
    expect(asked).toEqual([[`localhost:${port}`, { job: "tensordeck_abcdefgh", index: 0 }]]);
    await host.stop("abcdefgh-1");
    await expect(host.clearState("abcdefgh-1")).rejects.toMatchObject({
      problem: { code: "FAILED_PRECONDITION" },
    });
  });
});

describe("tasks after a restart of the application", () => {
  it("are back with their ports; those that were stopped stay stopped, those removed are gone", async () => {
    const first = make();
    const cluster = { chief: { 0: "localhost:1" }, worker: { 0: "localhost:2" } };
    // Not of the range that other tests choose from meanwhile.
    const port = await freePort();
    await first.host.start(order("a", { port, gpu: [1], isolate: true, owner: "pi" }));
    await first.host.start(order("b", { index: 1 }));
    await first.host.start(order("c", { index: 2 }));
    await first.host.start(order("d", { job: "chief", fixed: { cluster } }));
    await first.running();
    await first.host.stop("b");
    await first.host.remove("c");
    await first.host.dispose();

    const second = make();
    await second.host.restore();
    await until(
      "they run",
      () => second.host.tasks().filter(({ state }) => state === "running").length === 2,
    );
    const [a, b, d] = second.host.tasks();
    expect(a).toMatchObject({ id: "a", job: "worker", index: 0, port, gpu: [1], owner: "pi" });
    expect(a?.notice).toBeUndefined();
    expect(b).toMatchObject({ id: "b", state: "stopped" });
    expect(d).toMatchObject({ id: "d", job: "chief" });
    expect(second.scripts.requests.map(({ plan }) => [plan.gpu, plan.isolate])).toEqual([
      ["1", true],
      ["auto", false],
    ]);
    expect(second.scripts.requests[1]?.plan.cluster).toEqual(cluster);
  });

  it("are not forgotten for an order that comes before they are back", async () => {
    const first = make();
    await first.host.start(order("a"));
    await first.host.dispose();
    const second = make();
    await second.host.start(order("b", { index: 1 }));
    await second.host.dispose();
    const third = make();
    await third.host.restore();
    expect(
      third.host
        .tasks()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["a", "b"]);
  });

  it("are dropped when their owner may have none here any more", async () => {
    const first = make();
    await first.host.start(order("a", { owner: "pi" }));
    await first.host.start(order("b", { index: 1 }));
    await first.host.dispose();
    const second = make();
    await second.host.restore((owner) => owner !== "pi");
    expect(second.host.tasks().map(({ id }) => id)).toEqual(["b"]);
    await second.host.dispose();
    const third = make();
    await third.host.restore();
    expect(third.host.tasks().map(({ id }) => id)).toEqual(["b"]);
  });

  it("that crashed are tried again", async () => {
    const first = make();
    await first.host.start(order("a"));
    await first.running();
    first.scripts.children[0]?.kill("SIGKILL");
    await until("it failed", () => first.host.tasks()[0]?.state === "failed");
    await first.host.dispose();
    const second = make();
    await second.host.restore();
    await second.running();
    expect(second.host.tasks().length).toBe(1);
  });

  it("take another port where theirs is in use, and what is no task in the file is passed over", async () => {
    const first = make();
    const port = await freePort();
    await first.host.start(order("a", { port }));
    await first.host.dispose();
    const kept: unknown[] = JSON.parse(await readFile(file(), "utf8"));
    await writeFile(file(), JSON.stringify([{ id: "x" }, ...kept, "nonsense"]));
    await portHeld(port, async () => {
      const second = make();
      await second.host.restore();
      await second.running();
      expect(second.host.tasks().map(({ id }) => id)).toEqual(["a"]);
      expect(second.host.tasks()[0]?.port).not.toBe(port);
    });
  });

  it("are none where the file is broken", async () => {
    const first = make();
    await first.host.start(order("a"));
    await first.host.dispose();
    await writeFile(file(), "[{");
    const second = make();
    await second.host.restore();
    expect(second.host.tasks()).toEqual([]);
  });
});
