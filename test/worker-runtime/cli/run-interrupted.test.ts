import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compiledProgram } from "../../../worker-runtime/engines/package-root.js";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-interrupted-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a run that is still reading its graph, from a pipe that never has anything",
  async (signal) => {
    const pipe = join(folder, `${signal}.pb`);
    execFileSync("mkfifo", [pipe]);
    const child = spawn(process.execPath, [compiledProgram(), "run", pipe], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      const [line] = await once(createInterface(child.stderr), "line");
      expect(line).toContain(`Reading ${pipe}`);
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([null, signal]);
    } finally {
      child.kill("SIGKILL");
    }
  },
);
