import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PortLocks } from "../../../main/tasks/port-locks.js";
import { isPortFree, Ports } from "../../../main/tasks/ports.js";
import { FIRST_TASK_PORT as FIRST_PORT } from "../../../main/tasks/task-ports.js";

describe("ports", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-locks-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("start at 2222, skip used ones, and are never given twice", async () => {
    const used = new Set([FIRST_PORT, FIRST_PORT + 2]);
    const ports = new Ports(async (port) => !used.has(port), new PortLocks(folder));
    const taken = await Promise.all([ports.take(), ports.take(), ports.take()]);
    expect(taken.sort()).toEqual([FIRST_PORT + 1, FIRST_PORT + 3, FIRST_PORT + 4]);
    await ports.release(FIRST_PORT + 3);
    expect(await ports.take(FIRST_PORT + 3)).toBe(FIRST_PORT + 3);
    expect(await ports.take(FIRST_PORT + 3)).toBe(FIRST_PORT + 5);
    await ports.releaseAll();
    expect(await readdir(folder)).toEqual([]);
  });

  it("are taken exactly where that is asked for, or it is said who has them", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, () => resolve()));
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no port");
    const ports = new Ports(isPortFree, new PortLocks(folder));
    try {
      const error = await ports.takeExactly(address.port).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        problem: { code: "FAILED_PRECONDITION", reason: expect.stringContaining(`process ${process.pid}`) },
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await ports.takeExactly(address.port)).toBe(address.port);
    await expect(ports.takeExactly(address.port)).rejects.toMatchObject({
      problem: { reason: expect.stringContaining("Another task") },
    });
    await ports.releaseAll();
  });

  it("that another application has given out are skipped for as long as it lives", async () => {
    // The parent of this process lives; a child that has ended does not.
    const ended = spawnSync(process.execPath, ["-e", ""]).pid;
    await writeFile(join(folder, String(FIRST_PORT)), String(process.ppid));
    await writeFile(join(folder, String(FIRST_PORT + 1)), String(ended));
    const ports = new Ports(async () => true, new PortLocks(folder));
    expect(await ports.take()).toBe(FIRST_PORT + 1);
    await ports.releaseAll();
    expect(await readdir(folder)).toEqual([String(FIRST_PORT)]);
  });

  it.each(["127.0.0.1", "0.0.0.0", "::"])("are seen to be in use on %s", async (host) => {
    const server = createServer();
    const listening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(0, host, () => resolve(true));
    });
    const address = server.address();
    if (!listening || typeof address !== "object" || !address) return;
    expect(await isPortFree(address.port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(address.port)).toBe(true);
  });
});
