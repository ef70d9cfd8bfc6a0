/** Isolated tasks in a real network namespace: who reaches them, whom they reach, and how they end. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Isolation } from "../../../../main/tasks/isolation/isolation.js";
import {
  findNamespaceCommand,
  type NamespaceSupport,
} from "../../../../main/tasks/isolation/namespace-command.js";
import type { LaunchRequest, LaunchTask, TaskExit, TaskProcess } from "../../../../main/tasks/launcher.js";
import { findProgram } from "../../../../worker-runtime/programs/find-program.js";
import { peerMissing } from "../../../support/peers.js";
import { freePort } from "../../../support/processes.js";
import { dial, readSome, silenced } from "../../cluster/tunnel/support/clients.js";

/** Listens on all addresses, as TensorFlow does; "dial PORT" has it say something there and pass on the answer. */
const TASK = `
  const { connect, createServer } = require("node:net");
  createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const text = String(bytes);
      if (!text.startsWith("dial ")) return socket.write("task: " + text);
      const inner = connect({ port: Number(text.slice(5)), host: "localhost" }, () => inner.write("from inside"));
      inner.on("error", (error) => socket.write(error.code)).on("data", (answer) => socket.write(answer));
    });
  }).listen(Number(process.argv[1]), "::", () => console.log("up"));
  process.on("disconnect", () => process.exit(0));
`;

/** Where a wildcard listener of this machine answers and the application's, on 127.0.0.1, does not. */
const OTHER_ADDRESS = "127.0.0.2";

const launch: LaunchTask = ({ plan, commandPrefix = [] }) => {
  const [program = "", ...args] = [...commandPrefix, process.execPath, "-e", TASK, String(plan.port)];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const exited = new Promise<TaskExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const task: TaskProcess = {
    get pid() {
      return child.pid;
    },
    ready: new Promise((resolve, reject) => {
      child.stdout?.once("data", () => resolve());
      void exited.then(() => reject(new Error("It ended.")));
    }),
    exited,
    notice: async () => undefined,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
  task.ready.catch(() => undefined);
  return task;
};

function request(port: number, isolate = true): LaunchRequest {
  return {
    engine: "tensorflow",
    plan: { cluster: {}, job: "worker", index: 0, port, gpu: "none", isolate, mayBeExposed: true },
    onLine: () => undefined,
  };
}

const tasks: TaskProcess[] = [];
const isolations: Isolation[] = [];

function isolation(
  carry: (port: number, client: Socket) => boolean = () => false,
  namespaces?: () => Promise<NamespaceSupport>,
): Isolation {
  const made = new Isolation({ carry, ...(namespaces && { namespaces }) });
  isolations.push(made);
  return made;
}

async function start(made: Isolation, port: number, isolate = true): Promise<TaskProcess> {
  const task = made.launcher(launch)(request(port, isolate));
  tasks.push(task);
  await task.ready;
  return task;
}

async function ask(port: number, text: string, host?: string): Promise<string> {
  const client = await dial(port, host);
  client.write(text);
  try {
    return await readSome(client);
  } finally {
    client.destroy();
  }
}

afterEach(async () => {
  await Promise.all(tasks.splice(0).map((task) => task.stop()));
  await Promise.all(isolations.splice(0).map((made) => made.close()));
});

test("where it cannot be done, that is said in words", async () => {
  for (const platform of ["darwin", "win32"] as const) {
    expect(await findNamespaceCommand(platform)).toEqual({
      ok: false,
      reason: "Only Linux can run a task in its own network namespace.",
    });
  }
});

describe("a task that was to be isolated", () => {
  test("runs as it is where that is not possible, and the reason is kept", async () => {
    const made = isolation(undefined, async () => ({ ok: false, reason: "It is forbidden." }));
    const port = await freePort();
    const task = await start(made, port);
    expect(task.isolated).toBe(false);
    expect(await made.available()).toEqual({ ok: false, reason: "It is forbidden." });
    expect(await ask(port, "hello", OTHER_ADDRESS)).toBe("task: hello");
  });

  test("does not run where that is not possible and the network is not to reach it", async () => {
    const made = isolation(undefined, async () => ({ ok: false, reason: "It is forbidden." }));
    const asked = request(await freePort());
    const process = made.launcher(launch)({ ...asked, plan: { ...asked.plan, mayBeExposed: false } });
    await expect(process.ready).rejects.toMatchObject({
      problem: { code: "PERMISSION_DENIED", reason: expect.stringContaining("It is forbidden.") },
    });
    expect(await process.exited).toEqual({ code: null, signal: null });
    const open = request(await freePort(), false);
    expect(() => made.launcher(launch)({ ...open, plan: { ...open.plan, mayBeExposed: false } })).toThrow(
      "The network would reach the task, which its machine does not allow.",
    );
  });

  test.skipIf(process.platform === "win32")(
    "runs as it is where the namespace turns out to be of no use",
    async () => {
      const failing = findProgram("false") ?? "";
      const command = { make: [failing], enter: () => [failing] };
      const made = isolation(undefined, async () => ({ ok: true, command }));
      const port = await freePort();
      expect((await start(made, port)).isolated).toBe(false);
      expect(await made.available()).toEqual({
        ok: false,
        reason: "No network namespace could be created for the tasks.",
      });
    },
  );
});

describe.skipIf(peerMissing("namespaces"))("an isolated task", () => {
  test("needs no root where users may make namespaces", async () => {
    const support = await findNamespaceCommand("linux", false);
    expect(support.ok && support.command.make).toContain("--user");
    const made = isolation(undefined, async () => support);
    const [port, neighbour] = [await freePort(), await freePort()];
    const tasks = await Promise.all([start(made, port), start(made, neighbour)]);
    expect(tasks.map(({ isolated }) => isolated)).toEqual([true, true]);
    expect(await ask(port, "hello")).toBe("task: hello");
    expect(await ask(port, `dial ${neighbour}`)).toBe("task: from inside");
    await expect(dial(port, OTHER_ADDRESS)).rejects.toThrow("ECONNREFUSED");
  });

  test("ends when its namespace is gone, and starts again in a new one", async () => {
    const made = isolation();
    const port = await freePort();
    const task = await start(made, port);
    // Closing ends the namespace under the task, as its being killed would.
    await made.close();
    expect(await task.exited).toEqual({ code: null, signal: "SIGKILL" });
    await start(made, port);
    expect(await ask(port, "again")).toBe("task: again");
  });

  test("is reached by programs of this machine at its port, and by nobody at another address", async () => {
    const made = isolation();
    expect(await made.available()).toEqual({ ok: true });
    const port = await freePort();
    const task = await start(made, port);
    expect(task.isolated).toBe(true);
    expect(await ask(port, "hello")).toBe("task: hello");
    expect(await ask(port, "hello", "::1")).toBe("task: hello");
    await expect(dial(port, OTHER_ADDRESS)).rejects.toThrow("ECONNREFUSED");

    const open = await freePort();
    const plain = await start(made, open, false);
    expect(plain.isolated).toBeFalsy();
    expect(await ask(open, "hello", OTHER_ADDRESS)).toBe("task: hello");
  });

  test("is reached by the tunnels of other machines without a detour", async () => {
    const made = isolation();
    const port = await freePort();
    await start(made, port);
    const socket = await made.connectTask(port);
    socket.write("tunnel");
    expect(await readSome(socket)).toBe("task: tunnel");
    socket.destroy();
    await expect(made.connectTask(await freePort())).rejects.toThrow("ECONNREFUSED");
  });

  test("reaches isolated tasks, tasks that are not isolated, and those behind tunnels; nothing else", async () => {
    const carried: number[] = [];
    const made = isolation((port, client) => {
      if (port !== far) return false;
      carried.push(port);
      client.end("from far away");
      return true;
    });
    const [port, neighbour, open, far, private_] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    await made.setTunnelPorts([far]);
    await Promise.all([start(made, port), start(made, neighbour), start(made, open, false)]);
    const listener = createServer((socket) => socket.end("private"));
    await new Promise<void>((resolve) => listener.listen(private_, "127.0.0.1", resolve));

    expect(await ask(port, `dial ${far}`)).toBe("from far away");
    expect(carried).toEqual([far]);
    expect(await ask(port, `dial ${private_}`)).toBe("ECONNREFUSED");
    for (const other of [neighbour, open]) expect(await ask(port, `dial ${other}`)).toBe("task: from inside");

    await made.setTunnelPorts([]);
    expect(await ask(port, `dial ${far}`)).toBe("ECONNREFUSED");
    listener.close();
  });

  test("has a process that is seen, measured and ended like any other", async () => {
    const made = isolation();
    const port = await freePort();
    const task = await start(made, port);
    expect(existsSync(`/proc/${task.pid}/stat`)).toBe(true);
    const client = await dial(port);
    client.write("x");
    await readSome(client);
    const gone = silenced(client);
    await task.stop();
    await gone;
    client.destroy();
    expect(await task.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(existsSync(`/proc/${task.pid}`)).toBe(false);
    await expect(dial(port)).rejects.toThrow("ECONNREFUSED");

    // The namespace went with the last task; the next one gets a new one at the same port.
    await start(made, port);
    expect(await ask(port, "again")).toBe("task: again");
  });

  test("can be stopped before it has begun", async () => {
    const made = isolation();
    const task = made.launcher(launch)(request(await freePort()));
    tasks.push(task);
    await task.stop();
    await expect(task.ready).rejects.toThrow();
    expect(await task.exited).toEqual({ code: null, signal: null });
  });

  test("fails to start where a program has its port", async () => {
    const made = isolation();
    const listener = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => listener.listen(port, "127.0.0.1", resolve));
    const task = made.launcher(launch)(request(port));
    tasks.push(task);
    await expect(task.ready).rejects.toThrow(`Port ${port} cannot be listened on`);
    expect(await task.exited).toEqual({ code: null, signal: null });
    listener.close();
  });
});
