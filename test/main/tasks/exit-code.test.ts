import { expect, test } from "vitest";
import { codeOfExit, exitOfCode } from "../../../main/tasks/exit-code.js";

test("an end by a signal has the code that a shell gives it", () => {
  const codes = ["SIGABRT", "SIGKILL", "SIGSEGV", "SIGTERM"].map((signal) =>
    codeOfExit({ code: null, signal }),
  );
  expect(codes).toEqual([134, 137, 139, 143]);
  for (const code of [0, 1, 3, 127, 128, ...codes, 255]) expect(codeOfExit(exitOfCode(code))).toBe(code);
});

test("an end of which nothing is known has failed", () => {
  expect(codeOfExit({ code: null, signal: null })).toBe(1);
  expect(codeOfExit({ code: null, signal: "SIGNOTHING" })).toBe(1);
});
