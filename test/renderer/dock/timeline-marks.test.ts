import { describe, expect, it } from "vitest";
import { slicedTimeline } from "../../../renderer/dock/lanes.js";
import { markAt, marksOf, microsAt, slicedScene, xOf } from "../../../renderer/dock/timeline-marks.js";
import { moved, within, zoomed } from "../../../renderer/dock/timeline-window.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";

const WIDTH = 1024;
const WHOLE = { from: 0, to: 1000 };
const ran = (node: string, device: string, startMicros: number, durationMicros: number) => ({
  ...{ node, device, startMicros, durationMicros, outputBytes: 0 },
});
const sent = (tensor: string, startMicros: number) => ({
  ...{ tensor, fromDevice: "one", toDevice: "two", startMicros, durationMicros: 200, timed: true },
});
const layTimeline = (...events: Parameters<typeof slicedTimeline>) => atOnce(slicedTimeline(...events));
const scene = atOnce(
  slicedScene(
    layTimeline(
      [ran("a", "one", 0, 400), ran("b", "one", 100, 200), ran("c", "two", 600, 400)],
      [sent("a:0", 400)],
    ),
  ),
);

describe("marks of a timeline", () => {
  it("have one row for each of the nodes that run at once", () => {
    const { bars } = marksOf(scene, WHOLE, WIDTH);
    expect(bars.map(({ bar, x, width }) => [bar.node, x, width])).toEqual([
      ["a", 8, 399],
      ["b", 108, 199],
      ["c", 608, 399],
    ]);
    const [a, b, c] = bars.map(({ y }) => y);
    expect(b).toBeGreaterThan(a ?? 0);
    expect(c).toBeGreaterThan(b ?? 0);
  });

  it("are found under the pointer", () => {
    const marks = marksOf(scene, WHOLE, WIDTH);
    const [first] = marks.bars;
    const [arrow] = marks.arrows;
    if (!first || !arrow) throw new Error("Nothing is drawn.");
    expect(markAt(marks, first.x + 1, first.y + 1)).toBe(first);
    expect(markAt(marks, 500, arrow.middleY)).toBe(arrow);
    expect(markAt(marks, 900, first.y + 1)).toBeUndefined();
  });

  it("are left out outside of what is shown", () => {
    const marks = marksOf(scene, { from: 620, to: 720 }, WIDTH);
    expect(marks.bars.map(({ bar }) => bar.node)).toEqual(["c"]);
    expect(marks.arrows).toEqual([]);
  });

  it("stay few with very many events", () => {
    const nodes = Array.from({ length: 50_000 }, (_, i) => ran(`n${i}`, "one", 2 * i, 1));
    const transfers = Array.from({ length: 50_000 }, (_, i) => ({ ...sent(`n${i}:0`, 2 * i) }));
    const timeline = layTimeline([...nodes, ran("z", "two", 0, 1)], transfers);
    const { bars, arrows } = marksOf(
      atOnce(slicedScene(timeline)),
      { from: 0, to: timeline.endMicros },
      WIDTH,
    );
    expect(bars.length).toBeLessThan(WIDTH);
    expect(arrows.length).toBeLessThan(WIDTH);
    expect(arrows.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
  });
});

describe("the part of a step that is shown", () => {
  it("keeps the time at the pointer where it is when it is zoomed", () => {
    const closer = zoomed(WHOLE, microsAt(300, WHOLE, WIDTH), 4);
    expect(closer.to - closer.from).toBeCloseTo(250);
    expect(xOf(microsAt(300, WHOLE, WIDTH), closer, WIDTH)).toBeCloseTo(300);
  });

  it("stays within the step", () => {
    expect(within(moved({ from: 100, to: 200 }, -150), 1000)).toEqual({ from: 0, to: 100 });
    expect(within(moved({ from: 800, to: 900 }, 500), 1000)).toEqual({ from: 900, to: 1000 });
    expect(within(zoomed(WHOLE, 500, 0.1), 1000)).toEqual(WHOLE);
  });
});
