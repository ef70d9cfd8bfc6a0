import { describe, expect, test } from "vitest";
import type { LogLine } from "../../../main/api/cluster.js";
import { exitProblem, startProblem } from "../../../main/tasks/exit-problem.js";

const lines = (...texts: string[]) =>
  texts.map((text, sequence): LogLine => ({ sequence, at: 0, level: "error", text }));

describe("a task that could not start", () => {
  const problem = { code: "UNAVAILABLE" as const, message: "The worker ended with code 127." };
  const started = (...texts: string[]) =>
    startProblem("worker/0", problem, { code: 127, signal: null }, lines(...texts));

  test("names the library that the system lacks, and the package that has it", () => {
    const output =
      "/opt/Tensordeck/resources/node/node: error while loading shared libraries: libatomic.so.1: cannot open shared " +
      "object file: No such file or directory";
    expect(started(output)).toMatchObject({
      message: "worker/0 could not start: The worker ended with code 127.",
      reason: "Its program needs libatomic.so.1, which this system lacks.",
      remedy: expect.stringContaining("apt-get install libatomic1"),
      details: output,
    });
  });

  test("names a library without a known package, too", () => {
    expect(
      started("node: error while loading shared libraries: libx.so.9: cannot open shared object"),
    ).toMatchObject({
      reason: "Its program needs libx.so.9, which this system lacks.",
      remedy: "Install the library, then start the task again.",
    });
  });

  test("says nothing of libraries otherwise", () => {
    expect(started("something else")).not.toHaveProperty("reason");
  });
});

test("a task that ended by a signal says what that means", () => {
  const problem = exitProblem("ps/0", { code: null, signal: "SIGKILL" }, []);
  expect(problem).toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    message: "ps/0 ended unexpectedly (signal SIGKILL).",
    reason: expect.stringContaining("memory ran out"),
  });
});

test.each([
  [0xc0000005, "0xC0000005", "invalid memory"],
  [0xc0000409, "0xC0000409", "fatal error"],
  [0xc000001d, "0xC000001D", "instructions"],
  [0xc0000135, "0xC0000135", "library that TensorFlow needs is missing"],
])("a task that crashed on Windows with %d", (code, shown, reason) => {
  expect(exitProblem("ps/0", { code, signal: null }, [])).toMatchObject({
    message: `ps/0 ended unexpectedly (exit code ${shown}).`,
    reason: expect.stringContaining(reason),
  });
});

test("an ordinary exit code has no reason", () => {
  const problem = exitProblem("ps/0", { code: 3, signal: null }, []);
  expect(problem.message).toBe("ps/0 ended unexpectedly (exit code 3).");
  expect(problem).not.toHaveProperty("reason");
});
