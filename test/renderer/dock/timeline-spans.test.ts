import { describe, expect, it } from "vitest";
import { drawnSpans, spansOf } from "../../../renderer/dock/timeline-spans.js";

const span = (startMicros: number, endMicros: number) => ({
  startMicros,
  durationMicros: endMicros - startMicros,
});

describe("spans that are drawn", () => {
  const spans = spansOf([span(0, 10), span(10, 30), span(40, 90), span(95, 100)]);

  it("are those of the part that is shown, with those that reach into it", () => {
    expect(drawnSpans(spans, { from: 20, to: 95 }, 1)).toEqual([
      { index: 1, count: 1, start: 10, end: 30 },
      { index: 2, count: 1, start: 40, end: 90 },
    ]);
  });

  it("are one where several begin in one pixel, of which the longest is named", () => {
    expect(drawnSpans(spans, { from: 0, to: 100 }, 50)).toEqual([
      { index: 2, count: 3, start: 0, end: 90 },
      { index: 3, count: 1, start: 95, end: 100 },
    ]);
  });

  it("are found below a long one that began before", () => {
    const overlapping = spansOf([span(0, 100), span(1, 2), span(60, 70)]);
    expect(drawnSpans(overlapping, { from: 50, to: 80 }, 1).map(({ index }) => index)).toEqual([0, 2]);
  });

  it("are no more than there are pixels, and stand for all", () => {
    const many = spansOf(Array.from({ length: 10_000 }, (_, i) => span(3 * i, 3 * i + 2)));
    const drawn = drawnSpans(many, { from: 0, to: 30_000 }, 300);
    expect(drawn.length).toBeLessThanOrEqual(100);
    expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  });

  it("are none beside all of them", () => {
    expect(drawnSpans(spans, { from: 200, to: 300 }, 1)).toEqual([]);
    expect(drawnSpans(spansOf([]), { from: 0, to: 1 }, 1)).toEqual([]);
  });
});
