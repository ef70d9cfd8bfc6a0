import { describe, expect, it } from "vitest";
import { BOX_HEIGHT, boxSize } from "../../../renderer/document/node-size.js";

/** The border and the padding on both sides of a title. */
const SIDES = 18;

describe("the size of a closed scope", () => {
  // Measured in DejaVu Sans Bold of 15 pixels, the widest of the fonts that are common.
  it.each([
    ["expanded_conv", 130.2],
    ["bn_Conv1_1", 99.1],
    ["Conv1", 52.2],
    ["block_16_expand", 143],
  ])("has room for %s in one line", (title, measured) => {
    const { width, height, lines } = boxSize(title, "");
    expect(width).toBeGreaterThanOrEqual(measured + SIDES);
    expect({ height, lines }).toEqual({ height: BOX_HEIGHT, lines: 1 });
  });

  it("has more lines for a title that is too long for one", () => {
    const one = boxSize("average_pooling", "");
    const two = boxSize("global_average_pooling2d", "");
    expect([one.lines, two.lines]).toEqual([1, 2]);
    expect(two.height).toBeGreaterThan(one.height);
    expect(two.width).toBeLessThan(2 * one.width);
  });

  it("breaks a word that is longer than a line, and is of limited height", () => {
    expect(boxSize("Sparsesoftmaxcrossentropywithlogits", "").lines).toBe(2);
    expect(boxSize("an_".repeat(60), "").lines).toBe(3);
  });

  it("has room for the number of repetitions", () => {
    expect(boxSize("expanded_conv", "×12").width).toBeGreaterThan(boxSize("expanded_conv", "").width);
  });
});
