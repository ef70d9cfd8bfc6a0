/** The headless host as a program of its own. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterState, Task } from "../../../../main/api/cluster.js";
import { engineEnvironment } from "../../../support/engine-environment.js";
import {
  environmentWithoutProxies,
  type PeerProcess,
  repositoryRoot,
  spawnPeer,
} from "../../../support/peers.js";
import { until } from "../../support/until.js";
import { openWindow } from "../../support/window.js";

const program = join(repositoryRoot, "build/out/main/hosts/headless/main.js");
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-headless-"));
  if (!existsSync(program)) throw new Error(`${program} does not exist. Build first: npm run build.`);
});
afterAll(() => rm(dataDir, { recursive: true }));

function startHost(args: readonly string[] = [], folder = dataDir): Promise<PeerProcess> {
  return spawnPeer(process.execPath, [program, "--port", "0", "--data-dir", folder, ...args], {
    ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
    env: { ...environmentWithoutProxies(), ...engineEnvironment("portable", folder) },
  });
}

const linkOf = (host: PeerProcess) => host.match?.[1] ?? "";

const tasksIn = ({ machines }: ClusterState) => machines[0]?.tasks ?? [];
const bothRun = (state: ClusterState) =>
  tasksIn(state).length === 2 && tasksIn(state).every((task) => task.state === "running");

interface HostWithTasks {
  readonly host: PeerProcess;
  /** For another window. */
  readonly link: string;
  readonly tasks: Task[];
  readonly pids: number[];
}

/** A host with two running tasks, and their processes. */
async function hostWithTasks(folder: string): Promise<HostWithTasks> {
  const host = await startHost([], folder);
  const window = await openWindow(linkOf(host));
  const up = window.next("cluster", bothRun);
  await window.call("cluster.addTasks", { job: "worker", count: 2 });
  const tasks = tasksIn(await up);
  const link = await window.call("app.newWindowUrl");
  window.close();
  return { host, link, tasks, pids: tasks.flatMap(({ pid }) => pid ?? []) };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the headless host", () => {
  it("prints a link that lets one window in, which can ask for another", async () => {
    const host = await startHost();
    const window = await openWindow(linkOf(host));
    expect(await window.call("app.info")).toMatchObject({ host: "headless" });
    await expect(openWindow(linkOf(host))).rejects.toThrow();
    const second = await openWindow(await window.call("app.newWindowUrl"));
    expect((await second.call("cluster.get")).machines[0]?.tasks).toEqual([]);
    window.close();
    second.close();
    expect(await host.stop("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it("says which port is in use and ends", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      const host = await spawnPeer(process.execPath, [
        program,
        "--port",
        String(port),
        "--data-dir",
        dataDir,
      ]);
      expect((await host.exited).code).toBe(1);
      expect(host.output()).toContain(`Port ${port} of 127.0.0.1 is in use`);
      expect(host.stdout()).toBe("");
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it("reports why it cannot start with an invalid data folder, and ends", async () => {
    const file = join(dataDir, "no-folder");
    await writeFile(file, "");
    const host = await spawnPeer(process.execPath, [program, "--port", "0", "--data-dir", file]);
    expect((await host.exited).code).toBe(1);
    expect(host.output()).toContain(`The data folder ${file} could not be taken`);
    expect(host.stdout()).toBe("");
  });

  it.each([["--port", "99999"], ["--port", "x"], ["--nonsense"]])("refuses %s %s", async (...args) => {
    const host = await spawnPeer(process.execPath, [program, ...args]);
    expect((await host.exited).code).toBe(1);
    expect(host.output()).toContain(args[0]);
  });

  it("ends with the process that it was told to watch", async () => {
    const parent = spawn(process.execPath, ["-e", "setTimeout(() => {}, 1e6)"], { stdio: "ignore" });
    try {
      const host = await startHost(["--parent-pid", String(parent.pid)]);
      parent.kill("SIGKILL");
      expect(await host.exited).toEqual({ code: 0, signal: null });
    } finally {
      parent.kill("SIGKILL");
    }
  });
});

describe("tasks of the headless host", () => {
  it("end with it at SIGTERM, and those that ran come back with the next", async () => {
    const folder = join(dataDir, "restarted");
    const { host, link, tasks, pids } = await hostWithTasks(folder);
    expect(pids.length).toBe(2);
    const window = await openWindow(link);
    await window.call("cluster.stopTask", { taskId: tasks[1]?.id ?? "" });
    window.close();
    expect(await host.stop()).toEqual({ code: 0, signal: null });
    expect(pids.some(lives)).toBe(false);

    const next = await startHost([], folder);
    const again = await openWindow(linkOf(next));
    const isBack = (state: ClusterState) => tasksIn(state)[0]?.state === "running";
    const up = again.next("cluster", isBack);
    const now = await again.call("cluster.get");
    const [first, second] = tasksIn(isBack(now) ? now : await up);
    const { id, colour } = tasks[0] ?? {};
    expect(first).toMatchObject({ id, colour, job: "worker", index: 0 });
    // No graph had variables on it.
    expect(first?.notice).toBeUndefined();
    expect(second).toMatchObject({ id: tasks[1]?.id, state: "stopped" });
    again.close();
    await next.stop();
  });

  it.skipIf(process.platform === "win32")("end also when it is killed", async () => {
    const { host, pids } = await hostWithTasks(join(dataDir, "killed"));
    await host.stop("SIGKILL");
    await until("the tasks are gone", () => !pids.some(lives));
  });
});
