import { describe, expect, it } from "vitest";
import { freePlace, placeOverOthers } from "../../../renderer/canvas/card-place.js";
import { overlap, type Rect } from "../../../renderer/viewport/rect.js";

const canvas = { width: 1000, height: 700 };
const card = { width: 288, height: 150 };
const at = (left: number, top: number): Rect => ({ left, top, right: left + 160, bottom: top + 60 });
const node = at(400, 300);

/** Where the card would be drawn. */
function rectOf(place: ReturnType<typeof freePlace>): Rect {
  const { left = 0, top = 0 } = place ?? {};
  return { left, top, right: left + card.width, bottom: top + card.height };
}

describe("the card about a node", () => {
  it("stands below it where nothing else is", () => {
    expect(freePlace({ node, others: [], canvas, card })).toEqual({ left: 400, top: 372, maxHeight: 320 });
  });

  it("hides no other node and no port: it stands above, right or left of it instead", () => {
    const below = at(400, 400);
    const above = at(400, 200);
    const right = at(620, 300);
    // Ports stand out of the node that is to the right of the card.
    const portsOnly = at(690, 380);
    for (const [others, place] of [
      [[below], { left: 400, top: 138 }],
      [[portsOnly], { left: 400, top: 138 }],
      [[below, above], { left: 572, top: 300 }],
      [[below, above, right], { left: 100, top: 300 }],
    ] as const) {
      const found = freePlace({ node, others, canvas, card });
      expect(found).toMatchObject(place);
      expect(others.some((other) => overlap(other, rectOf(found)))).toBe(false);
    }
  });

  it("stands beyond the others below or above where no place beside it is free, unless that is far away", () => {
    const around = [at(400, 400), at(400, 200), at(620, 300), at(200, 320)];
    const found = freePlace({ node, others: around, canvas, card });
    expect(found).toMatchObject({ left: 400, top: 470 });
    expect(around.some((other) => overlap(other, rectOf(found)))).toBe(false);
    const more = [...around, at(500, 480), at(500, 120)];
    expect(freePlace({ node, others: more, canvas, card })).toBeUndefined();
  });

  it("stays within the canvas", () => {
    const corner = at(830, 630);
    expect(freePlace({ node: corner, others: [], canvas, card })).toMatchObject({ left: 704, top: 468 });
    expect(freePlace({ node, others: [], canvas: { width: 280, height: 700 }, card })).toBeUndefined();
  });

  it("stands over others below it where nothing else tells of it, as high as there is room", () => {
    const others = [at(420, 400)];
    expect(placeOverOthers({ node, others, canvas, card })).toEqual({ left: 400, top: 372, maxHeight: 320 });
    const low = at(400, 600);
    expect(placeOverOthers({ node: low, others, canvas, card })).toEqual({
      ...{ left: 400, bottom: 112, maxHeight: 580 },
    });
    expect(
      placeOverOthers({ node: at(0, 20), others, canvas: { width: 400, height: 120 }, card }),
    ).toBeUndefined();
  });
});
