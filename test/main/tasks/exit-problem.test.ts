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
