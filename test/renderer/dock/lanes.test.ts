import { describe, expect, it } from "vitest";
import type { NodeRun, Transfer } from "../../../main/api/runs.js";
import { slicedTimeline, tickMicros, tickText } from "../../../renderer/dock/lanes.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";

const layTimeline = (nodes: readonly NodeRun[], transfers: readonly Transfer[]) =>
  atOnce(slicedTimeline(nodes, transfers));
const node = (name: string, device: string, startMicros: number, durationMicros: number): NodeRun => ({
  node: name,
  device,
  startMicros,
  durationMicros,
  outputBytes: 0,
});

describe("a timeline", () => {
  it("puts nodes that overlap into rows and sums the time in which any of them ran", () => {
    const { lanes, endMicros } = layTimeline(
      [node("b", "d0", 5, 10), node("a", "d0", 0, 10), node("c", "d0", 15, 5), node("late", "d0", 30, 1)],
      [],
    );
    expect(lanes).toHaveLength(1);
    expect(lanes[0]?.bars.map((bar) => [bar.node, bar.row])).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 0],
      ["late", 0],
    ]);
    expect(lanes[0]?.rows).toBe(2);
    expect(lanes[0]?.busyMicros).toBe(21);
    expect(endMicros).toBe(31);
  });

  it("orders devices by number and gives a lane to one that only sent or received", () => {
    const transfer = {
      tensor: "x:0",
      fromDevice: "/task:10",
      toDevice: "/task:2",
      startMicros: 0,
      durationMicros: 50,
      bytes: 4,
      timed: true,
    };
    const { lanes, endMicros } = layTimeline([node("a", "/task:2", 0, 1)], [transfer]);
    expect(lanes.map(({ device }) => device)).toEqual(["/task:2", "/task:10"]);
    expect(lanes[1]?.rows).toBe(1);
    expect(endMicros).toBe(50);
  });

  it("has an end even without anything in it", () => expect(layTimeline([], []).endMicros).toBe(1));
});

describe("ticks", () => {
  it.each([
    [12_000, 12, 1000, "12 ms"],
    [1_720, 10, 200, "1.72 ms"],
    [90, 10, 10, "90 µs"],
    [4_000_000, 8, 500_000, "4000 ms"],
  ])("an end of %d µs in about %d parts: every %d µs", (end, wanted, tick, text) => {
    expect(tickMicros(end, wanted)).toBe(tick);
    expect(tickText(end, tick)).toBe(text);
  });
});
