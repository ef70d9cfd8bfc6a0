import { beforeEach, describe, expect, it } from "vitest";
import type { LogLine } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import {
  catchUpLog,
  MOST_LINES_PER_TASK,
  mergeLines,
  receiveLog,
  useLogs,
} from "../../../renderer/stores/logs-store.js";
import { setClient } from "../../../renderer/transport/client.js";

const line = (sequence: number): LogLine => ({
  sequence,
  at: sequence,
  level: "info",
  text: `line ${sequence}`,
});
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index));
const sequences = (of: readonly LogLine[] | undefined) => of?.map(({ sequence }) => sequence);

beforeEach(() => useLogs.setState({ lines: new Map() }));

describe("mergeLines", () => {
  it("takes overlapping lines once and keeps the same list where nothing is new", () => {
    const known = lines(0, 3);
    expect(sequences(mergeLines(known, lines(1, 5)))).toEqual([0, 1, 2, 3, 4]);
    expect(mergeLines(known, lines(0, 3))).toBe(known);
  });

  it("drops the oldest beyond what is kept", () => {
    const merged = mergeLines(
      lines(0, MOST_LINES_PER_TASK),
      lines(MOST_LINES_PER_TASK, MOST_LINES_PER_TASK + 2),
    );
    expect(merged.length).toBe(MOST_LINES_PER_TASK);
    expect(merged[0]?.sequence).toBe(2);
  });
});

describe("catchUpLog", () => {
  it("puts lines from before the first event in front of those that came meanwhile", async () => {
    receiveLog("t", lines(3, 5));
    const answer: unknown = lines(0, 6);
    setClient({
      call: async () => answer,
      on: () => () => undefined,
      onConnection: () => () => undefined,
    } as unknown as ApplicationClient);
    await catchUpLog("t");
    receiveLog("t", lines(5, 7));
    expect(sequences(useLogs.getState().lines.get("t"))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
