import { describe, expect, test } from "vitest";
import {
  aborted,
  asTensorFlowError,
  cancelledBy,
  messageWithoutTask,
  PayloadKey,
  StatusCode,
  statusCodeName,
  statusCodeOf,
  TensorFlowError,
} from "../../../worker-runtime/protocol/status.js";

describe("TensorFlowError", () => {
  test("knows the task that a master names in the message", () => {
    const error = aborted("From /job:worker/replica:0/task:1:\nGraph handle is not found");
    expect(error).toMatchObject({ code: 10, codeName: "ABORTED", task: "/job:worker/replica:0/task:1" });
    expect(messageWithoutTask(error.message)).toBe("Graph handle is not found");
  });

  test("has no task where the message only speaks of one", () => {
    expect(aborted("Sent to /job:worker/task:1: nothing").task).toBeUndefined();
    expect(aborted("a", { task: "/job:ps/replica:0/task:0" }).task).toBe("/job:ps/replica:0/task:0");
  });

  test("says whether it only follows from another error", () => {
    const payloads = new Map([[PayloadKey.DERIVED_STATUS, new Uint8Array(0)]]);
    expect(aborted("a", { payloads }).isDerived).toBe(true);
    expect(aborted("a").isDerived).toBe(false);
  });

  test("numbers that are no code are UNKNOWN", () => {
    expect(statusCodeOf(77)).toBe(StatusCode.UNKNOWN);
    expect(statusCodeName(77)).toBe("UNKNOWN");
    expect(statusCodeName(16)).toBe("UNAUTHENTICATED");
  });

  test("anything thrown becomes one; aborts are CANCELLED", () => {
    const own = aborted("a");
    expect(asTensorFlowError(own)).toBe(own);
    expect(asTensorFlowError(new DOMException("stop", "AbortError")).codeName).toBe("CANCELLED");
    expect(asTensorFlowError("x")).toBeInstanceOf(TensorFlowError);
    expect(cancelledBy(own, "The step")).toBe(own);
    expect(cancelledBy(undefined, "The step").message).toBe("The step was cancelled.");
  });
});
