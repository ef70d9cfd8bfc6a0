import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  addCounts,
  closingLine,
  failureLine,
  readClosingLine,
  runForwarding,
  runTests,
  withNode,
} from "../../build/lib/ci/counted-run.mjs";

test("counts are read from the last line of npm test, and written as such a line", () => {
  for (const line of ["3 passed, 0 failed", "3 passed, 2 failed, 1 skipped"]) {
    expect(closingLine(readClosingLine(`9 passed, 9 failed\n${line}\n`))).toBe(line);
  }
  for (const output of ["", "3 passed, 0 failed\nand then it crashed\n", "3 passed"]) {
    expect(readClosingLine(output)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  }
  expect(
    addCounts(readClosingLine("1 passed, 2 failed"), readClosingLine("3 passed, 0 failed, 4 skipped")),
  ).toEqual({
    passed: 4,
    failed: 2,
    skipped: 4,
  });
});

test("a Node is the first on PATH", () => {
  expect(withNode({ PATH: "/usr/bin" }, "/node/bin")).toEqual({
    PATH: ["/node/bin", "/usr/bin"].join(delimiter),
  });
  expect(withNode({ PATH: "/usr/bin" }, undefined)).toEqual({ PATH: "/usr/bin" });
});

test.skipIf(process.platform === "win32")(
  "a run counts as failed if it ends so without a failed test",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-counted-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (line: string, code: number) => {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "./run.sh" } }));
      writeFileSync(join(folder, "run.sh"), `#!/bin/sh\nprintf '${line}\n'\nexit ${code}\n`);
      chmodSync(join(folder, "run.sh"), 0o755);
      return runTests([], { cwd: folder, env: process.env });
    };
    const outcome = (passed: number, failed: number, failures: readonly string[] = []) => ({
      counts: { passed, failed, skipped: 0 },
      failures,
    });
    const failure = failureLine("test/a.test.ts", "adds", "Error: 3 is not 4\n    at add");
    expect(failure).toBe("FAILED test/a.test.ts > adds: Error: 3 is not 4");
    expect(await run("2 passed, 0 failed", 0)).toEqual(outcome(2, 0));
    expect(await run("2 passed, 1 failed", 1)).toEqual(outcome(2, 1));
    expect(await run("2 passed, 0 failed", 1)).toEqual(outcome(0, 1));
    expect(await run(`${failure}\n2 passed, 1 failed`, 1)).toEqual(outcome(2, 1, [failure]));
    // A run of runs names all failures at its end; elsewhere a test may have printed such a line.
    expect(await run(`${failure}\n== Tests: 3 s\n2 passed, 0 failed`, 0)).toEqual(outcome(2, 0));
  },
);

test.skipIf(process.platform === "win32")(
  "an interruption ends a run with everything that it started",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-counted-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const started = join(folder, "started");
    const interruption = new AbortController();
    const { signal } = interruption;
    // The shell's child has the output open, too, so the run ends only once both have ended.
    const run = runForwarding("/bin/sh", ["-c", `sleep 1000 & touch '${started}'; wait`], { signal });
    await vi.waitFor(() => expect(existsSync(started)).toBe(true));
    interruption.abort(new Error("Interrupted by SIGTERM."));
    await expect(run).rejects.toThrow("Interrupted by SIGTERM.");
    await expect(runForwarding("/bin/true", [], { signal })).rejects.toThrow("Interrupted by SIGTERM.");
  },
);
