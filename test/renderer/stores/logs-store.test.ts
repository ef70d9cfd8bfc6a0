import { beforeEach, describe, expect, it } from "vitest";
import type { LogLine } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { deferred } from "../../../main/shared/deferred.js";
import { MOST_LINES_PER_TASK } from "../../../renderer/stores/kept-logs.js";
import { catchUpLog, receiveLog, useLogs } from "../../../renderer/stores/logs-store.js";
import { setClient } from "../../../renderer/transport/client.js";

const line = (sequence: number): LogLine => ({
  sequence,
  at: sequence,
  level: "info",
  text: `line ${sequence}`,
});
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index));
const known = () =>
  useLogs
    .getState()
    .lines.get("t")
    ?.map(({ sequence }) => sequence);

/** The requests to the application, and its answers. */
let asked: number[];
let answer: (afterSequence: number) => Promise<readonly LogLine[]>;

beforeEach(() => {
  useLogs.setState({ lines: new Map(), early: new Map() });
  asked = [];
  answer = async (after) => lines(after + 1, 6);
  setClient({
    call: async (_: string, { afterSequence }: { afterSequence: number }) => {
      asked.push(afterSequence);
      return await answer(afterSequence);
    },
  } as unknown as ApplicationClient);
});

describe("the log of a task", () => {
  it("takes each line once, in the order in which it was written", async () => {
    await receiveLog("t", lines(0, 3));
    await receiveLog("t", lines(1, 5));
    expect(known()).toEqual([0, 1, 2, 3, 4]);
    expect(asked).toEqual([]);
  });

  it("asks for the lines before those that come first", async () => {
    await receiveLog("t", lines(3, 5));
    expect(known()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(asked).toEqual([-1]);
  });

  it("asks after a connection for what was missed, and for nothing else", async () => {
    await receiveLog("t", lines(0, 4));
    await catchUpLog("t");
    expect(known()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(asked).toEqual([3]);
  });

  it("waits with what comes until the lines before it are there", async () => {
    const answered = deferred<readonly LogLine[]>();
    answer = () => answered.promise;
    const caughtUp = catchUpLog("t");
    await receiveLog("t", lines(3, 8));
    expect(known()).toBeUndefined();
    answered.resolve(lines(0, 5));
    await caughtUp;
    expect(known()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(asked).toEqual([-1]);
  });

  it("goes on after a gap that the application has no lines for", async () => {
    answer = async () => [];
    await receiveLog("t", lines(3, 5));
    await receiveLog("t", lines(5, 6));
    expect(known()).toEqual([3, 4, 5]);
    expect(asked).toEqual([-1]);
  });

  it("asks again where the question failed", async () => {
    answer = () => Promise.reject(new Error("away"));
    await expect(receiveLog("t", lines(3, 5))).rejects.toThrow("away");
    expect(known()).toBeUndefined();
    answer = async () => lines(0, 5);
    await receiveLog("t", lines(5, 6));
    expect(known()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("drops the oldest beyond what is kept", async () => {
    await receiveLog("t", lines(0, MOST_LINES_PER_TASK));
    await receiveLog("t", lines(MOST_LINES_PER_TASK, MOST_LINES_PER_TASK + 2));
    expect(known()).toHaveLength(MOST_LINES_PER_TASK);
    expect(known()?.[0]).toBe(2);
  });
});
