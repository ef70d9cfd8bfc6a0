import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Alignment, aligned, type Direction, distributed } from "../../../renderer/viewport/align.js";
import type { Rect } from "../../../renderer/viewport/rect.js";

const rect = (left: number, top: number, width: number, height: number): Rect => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
const rects = new Map([
  ["a", rect(0, 0, 100, 40)],
  ["b", rect(30, 100, 60, 40)],
  ["c", rect(400, 220, 200, 80)],
]);

describe("aligned", () => {
  const cases: [Alignment, Record<string, { x: number; y: number }>][] = [
    ["left", { b: { x: 0, y: 100 }, c: { x: 0, y: 220 } }],
    ["centre", { a: { x: 250, y: 0 }, b: { x: 270, y: 100 }, c: { x: 200, y: 220 } }],
    ["right", { a: { x: 500, y: 0 }, b: { x: 540, y: 100 } }],
    ["top", { b: { x: 30, y: 0 }, c: { x: 400, y: 0 } }],
    ["middle", { a: { x: 0, y: 130 }, b: { x: 30, y: 130 }, c: { x: 400, y: 110 } }],
    ["bottom", { a: { x: 0, y: 260 }, b: { x: 30, y: 260 } }],
  ];
  it.each(cases)("%s puts the edges or centres in line and moves nothing else", (alignment, expected) => {
    expect(Object.fromEntries(aligned(rects, alignment))).toEqual(expected);
  });
});

describe("distributed", () => {
  it("makes the gaps equal and leaves the outermost where they are", () => {
    expect([...distributed(rects, "across")]).toEqual([["b", { x: 220, y: 100 }]]);
    expect([...distributed(rects, "down")]).toEqual([["b", { x: 30, y: 110 }]]);
  });

  it("never lets any overlap that it spreads", () => {
    const some = fc.array(
      fc.record({
        left: fc.integer({ min: -500, max: 500 }),
        top: fc.integer({ min: -500, max: 500 }),
        width: fc.integer({ min: 1, max: 300 }),
        height: fc.integer({ min: 1, max: 300 }),
      }),
      { minLength: 3, maxLength: 8 },
    );
    fc.assert(
      fc.property(some, fc.constantFrom<Direction>("across", "down"), (made, direction) => {
        const all = new Map(
          made.map(({ left, top, width, height }, index) => [`${index}`, rect(left, top, width, height)]),
        );
        const corners = distributed(all, direction);
        const spans = [...all].map(([id, { left, top, right, bottom }]) => {
          const corner = corners.get(id) ?? { x: left, y: top };
          return direction === "across"
            ? { from: corner.x, to: corner.x + right - left }
            : { from: corner.y, to: corner.y + bottom - top };
        });
        spans.sort((one, other) => one.from - other.from || one.to - other.to);
        for (const [index, { to }] of spans.entries()) {
          const next = spans[index + 1];
          // Places are whole pixels.
          if (next) expect(next.from).toBeGreaterThanOrEqual(to - 1);
        }
      }),
    );
  });
});
