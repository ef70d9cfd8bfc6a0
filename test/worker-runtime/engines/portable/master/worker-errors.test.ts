import { expect, test } from "vitest";
import { combinedError } from "../../../../../worker-runtime/engines/portable/master/worker-errors.js";
import {
  aborted,
  cancelled,
  invalidArgument,
  PayloadKey,
  StatusCode,
} from "../../../../../worker-runtime/protocol/status.js";

const PS = "/job:ps/replica:0/task:0";
const WORKER = "/job:worker/replica:0/task:1";
const derived = { payloads: new Map([[PayloadKey.DERIVED_STATUS, new Uint8Array(0)]]) };

test("a root error comes with its task before its text, and keeps its code and payloads", () => {
  const payloads = new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, new Uint8Array(0)]]);
  const error = combinedError([{ task: WORKER, error: aborted("no such session", { payloads }) }]);
  expect(error).toMatchObject({
    code: StatusCode.ABORTED,
    message: `From ${WORKER}:\nno such session`,
    task: WORKER,
  });
  expect(error.payloads).toBe(payloads);
});

test("errors that follow from another one are left out, whichever came first", () => {
  const error = combinedError([
    { task: PS, error: aborted("Stopping remaining executors.", derived) },
    { task: WORKER, error: invalidArgument("bad") },
  ]);
  expect(error.message).toBe(`From ${WORKER}:\nbad`);
});

test("a call that was cancelled after a failure says nothing", () => {
  const error = combinedError(
    [
      { task: WORKER, error: invalidArgument("bad") },
      { task: PS, error: cancelled("RunGraph was cancelled") },
    ],
    true,
  );
  expect(error).toMatchObject({ code: StatusCode.INVALID_ARGUMENT, message: `From ${WORKER}:\nbad` });
});

test("an error that was passed on with a tensor is its sender's, whichever came first", () => {
  const failures = [
    { task: PS, error: invalidArgument("bad\n\t [[{{node x}}]]\n\t [[x_S1]]") },
    { task: WORKER, error: invalidArgument("bad\n\t [[{{node x}}]]") },
  ];
  const message = `From ${WORKER}:\nbad\n\t [[{{node x}}]]`;
  expect(combinedError(failures, true).message).toBe(message);
  expect(combinedError([...failures].reverse(), true).message).toBe(message);
  expect(combinedError([failures[1], failures[1]].flatMap((one) => one ?? [])).message).toBe(message);
});

test("where all are derived the first is the error", () => {
  const error = combinedError([{ task: PS, error: aborted("stopped", derived) }]);
  expect(error.isDerived).toBe(true);
});

test("several roots are listed, with the code of the first", () => {
  const error = combinedError([
    { task: WORKER, error: invalidArgument("bad") },
    { task: PS, error: aborted("gone") },
  ]);
  expect(error.code).toBe(StatusCode.INVALID_ARGUMENT);
  expect(error.message).toBe(
    `\n=====================\nINVALID_ARGUMENT: From ${WORKER}:\nbad\nABORTED: From ${PS}:\ngone\n=====================\n`,
  );
});
