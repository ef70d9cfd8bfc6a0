import { describe, expect, it } from "vitest";
import { cardPlace } from "../../../renderer/tour/card-place.js";

const CARD = { width: 340, height: 150 };
const WINDOW = { width: 1440, height: 900 };

describe("the place of the tour's card", () => {
  it("is below its target where there is room, otherwise beside or above it", () => {
    const target = { left: 600, top: 400, width: 140, height: 60 };
    expect(cardPlace(target, CARD, WINDOW)).toEqual({ left: 500, top: 472 });
    expect(cardPlace({ ...target, top: 820 }, CARD, WINDOW)).toEqual({ left: 752, top: 742 });
    const high = { left: 20, top: 300, width: 1400, height: 500 };
    expect(cardPlace(high, CARD, WINDOW)).toEqual({ left: 550, top: 138 });
  });

  it("leaves the canvas' tools free where there is another place", () => {
    const target = { left: 600, top: 400, width: 140, height: 60 };
    const tools = { left: 480, top: 560, width: 300, height: 36 };
    expect(cardPlace(target, CARD, WINDOW, [tools])).toEqual({ left: 752, top: 355 });
    const lower = { left: 500, top: 860, width: 300, height: 36 };
    expect(cardPlace(undefined, CARD, WINDOW, [lower])).toEqual({ left: 1092, top: 742 });
    const everywhere = { left: 0, top: 0, width: 1440, height: 900 };
    expect(cardPlace(target, CARD, WINDOW, [everywhere])).toEqual(cardPlace(target, CARD, WINDOW));
    expect(cardPlace(undefined, CARD, WINDOW, [everywhere])).toEqual(cardPlace(undefined, CARD, WINDOW));
  });

  it("is within the window, also in a small one and without a target", () => {
    const small = { width: 360, height: 225 };
    expect(cardPlace({ left: 0, top: 0, width: 20, height: 20 }, CARD, small)).toEqual({ left: 8, top: 32 });
    expect(cardPlace(undefined, CARD, small)).toEqual({ left: 10, top: 67 });
    // It covers what leaves no room beside it.
    expect(cardPlace({ left: 0, top: 0, width: 360, height: 225 }, CARD, small)).toEqual({
      left: 10,
      top: 67,
    });
  });
});
