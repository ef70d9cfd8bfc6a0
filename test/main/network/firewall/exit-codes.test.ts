import { expect, test } from "vitest";
import { changeScript } from "../../../../main/network/firewall/windows/change-script.js";
import {
  type ChangeStep,
  changeSteps,
  exitCodes,
  type FailureCause,
  failureCauses,
  failureCode,
  readFailure,
} from "../../../../main/network/firewall/windows/exit-codes.js";

const failures = (Object.keys(changeSteps) as ChangeStep[]).flatMap((step) =>
  (Object.keys(failureCauses) as FailureCause[]).flatMap((cause) =>
    [true, false].map((isUndone) => ({ step, cause, isUndone })),
  ),
);

test("each failure has a code of its own, from which it is read again", () => {
  const codes = failures.map(failureCode);
  expect(new Set([...codes, ...Object.values(exitCodes)]).size).toBe(
    failures.length + Object.values(exitCodes).length,
  );
  expect(codes.map(readFailure)).toEqual(failures);
  for (const code of [...Object.values(exitCodes), 1, -1073741510, 103, 160, 193]) {
    expect(readFailure(code)).toBeUndefined();
  }
});

test("the script computes the same codes", () => {
  const script = changeScript({ title: "a", own: [], former: [], made: [], findBlocking: [] });
  expect(script).toContain("exit ($code + 10 * $step)");
  expect(script).toContain(
    `$code = ${failureCode({ step: "recover", cause: "other", isUndone: true }) - 10}`,
  );
  // A failure before anything is changed, as of the query of the Block rules, has a step, too.
  expect(script).toContain(`$step = ${changeSteps.read.number}\ntry {`);
});
