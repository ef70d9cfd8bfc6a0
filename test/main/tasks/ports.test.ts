import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PortLocks, type PortLocksOptions } from "../../../main/tasks/port-locks.js";
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

  describe.skipIf(process.platform === "win32")(
    "with a folder for locks that another account could have made",
    () => {
      const account = process.getuid?.() ?? 0;
      let own: string;
      let warnings: string[];
      const locksIn = (folder: string, options: PortLocksOptions = {}) =>
        new PortLocks(folder, { warn: (text) => warnings.push(text), ...options });
      beforeEach(async () => {
        own = await mkdtemp(join(folder, "of-a-test-"));
        warnings = [];
      });
      afterEach(() => rm(own, { recursive: true }));

      it("make it for the account alone, and take it back where it was open to others", async () => {
        const folder = join(own, "locks");
        expect(await locksIn(folder).take(FIRST_PORT)).toBe(true);
        expect((await stat(folder)).mode & 0o777).toBe(0o700);
        await chmod(folder, 0o777);
        expect(await locksIn(folder).take(FIRST_PORT + 1)).toBe(true);
        expect((await stat(folder)).mode & 0o777).toBe(0o700);
        expect(warnings).toEqual([]);
      });

      it("are given without a lock where it is another account's, and it is said once", async () => {
        // As that of a process that lives for ever.
        await writeFile(join(own, String(FIRST_PORT)), "1");
        const locks = locksIn(own, { account: account + 1 });
        expect(await locks.take(FIRST_PORT)).toBe(true);
        expect(await locks.take(FIRST_PORT + 1)).toBe(true);
        await locks.release(FIRST_PORT);
        expect(await readdir(own)).toEqual([String(FIRST_PORT)]);
        expect(warnings).toEqual([
          expect.stringContaining(`${own} belongs to another account. Until that is removed`),
        ]);
      });

      it("do not follow a link in its place, to read or to remove what is there", async () => {
        const elsewhere = join(own, "elsewhere");
        await mkdir(elsewhere);
        await writeFile(
          join(elsewhere, String(FIRST_PORT)),
          String(spawnSync(process.execPath, ["-e", ""]).pid),
        );
        await symlink(elsewhere, join(own, "locks"));
        const locks = locksIn(join(own, "locks"));
        expect(await locks.take(FIRST_PORT)).toBe(true);
        expect(await locks.take(FIRST_PORT + 1)).toBe(true);
        await locks.release(FIRST_PORT);
        expect(await readdir(elsewhere)).toEqual([String(FIRST_PORT)]);
        expect(warnings).toEqual([expect.stringContaining("is not a folder")]);
      });

      it("are given where no folder can be made", async () => {
        expect(await locksIn(join(own, "none", "locks")).take(FIRST_PORT)).toBe(true);
        expect(warnings).toEqual([expect.stringContaining("cannot be used: ENOENT")]);
      });
    },
  );

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
