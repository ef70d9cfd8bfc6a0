import { describe, expect, test } from "vitest";
import { environmentWithoutProxies, repositoryRoot, spawnPeer } from "../support/peers.js";

/** Runs `npm test`'s script on fixture files; answers its exit code and the last line that it printed. */
async function npmTest(files: readonly string[], ci: boolean) {
  const { CI: _, ...inherited } = environmentWithoutProxies();
  const run = await spawnPeer(
    process.execPath,
    ["build/test.mjs", "--config", "test/build/fixtures/vitest.config.ts", ...files],
    { cwd: repositoryRoot, env: ci ? { ...inherited, CI: "true" } : inherited },
  );
  const { code } = await run.exited;
  const lines = run.stdout().trimEnd().split("\n");
  return { code, output: run.output(), lastLine: lines.at(-1), lineBefore: lines.at(-2) };
}

describe("npm test ends with a line that counts tests, after one for each failure", () => {
  test("passed, failed and skipped ones; a failure fails it", async () => {
    const { code, lastLine, lineBefore } = await npmTest(["mixed"], false);
    expect(lastLine).toBe("2 passed, 1 failed, 1 skipped");
    expect(lineBefore).toMatch(
      /^FAILED test\/build\/fixtures\/mixed\.fixture\.ts > .*fails.*: AssertionError: /,
    );
    expect(code).not.toBe(0);
  });

  test("a skipped test is no failure, except under CI, where it is named", async () => {
    const local = await npmTest(["skipping"], false);
    expect(local).toMatchObject({ code: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
    const ci = await npmTest(["skipping"], true);
    expect(ci.code).toBe(1);
    expect(ci.lastLine).toBe("1 passed, 0 failed, 1 skipped");
    expect(ci.output).toContain("is skipped");
  });

  test("a run whose tests are all skipped is no failure, except under CI", async () => {
    expect(await npmTest(["absent"], false)).toMatchObject({
      code: 0,
      lastLine: "0 passed, 0 failed, 1 skipped",
    });
    expect(await npmTest(["absent"], true)).toMatchObject({
      code: 1,
      lastLine: "0 passed, 0 failed, 1 skipped",
    });
  });

  test("a file that cannot be collected counts as failed", async () => {
    const { code, lastLine, lineBefore } = await npmTest(["broken"], false);
    expect(lastLine).toBe("0 passed, 1 failed");
    expect(lineBefore).toMatch(/^FAILED test\/build\/fixtures\/broken\.fixture\.ts: /);
    expect(code).not.toBe(0);
  });

  test("no test at all is a failure", async () => {
    const { code, lastLine } = await npmTest(["nothing-has-this-name"], false);
    expect(lastLine).toBe("0 passed, 1 failed");
    expect(code).toBe(1);
  });
});
