import { describe, expect, it } from "vitest";
import type { FeedContents } from "../../../main/api/feeds.js";
import { feedMismatch, imageShapeOf } from "../../../renderer/document/feed-fit.js";
import { EMPTY_RUN_CONFIG } from "../../../renderer/document/model.js";
import { node, type } from "./graphs.js";

const placeholder = (shape: readonly number[], dtype: Parameters<typeof type>[0] = "float32") =>
  node("x", "Placeholder", [], {
    dtype: type(dtype),
    shape: {
      value: {
        $case: "shape",
        value: { dim: shape.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false },
      },
    },
  });
const contents = (...arrays: FeedContents["arrays"]): FeedContents => ({ arrays, columns: [] });
const images = contents({ dtype: "uint8", shape: [100, 28, 28] });

describe("a file for a placeholder", () => {
  const mismatch = (shape: readonly number[], held: FeedContents, feed: object = {}) =>
    feedMismatch(placeholder(shape), { kind: "file", path: "x.npz", ...feed }, held, {
      ...EMPTY_RUN_CONFIG.batches,
      size: 10,
    });

  it("fits in its shape, as a column, or in batches", () => {
    expect(mismatch([-1, 28, 28], images)).toBeUndefined();
    expect(mismatch([-1, 784], images)).toBeUndefined();
    expect(mismatch([-1, 28, 28, 1], images, { batched: true })).toBeUndefined();
    expect(mismatch([100, 1], contents({ dtype: "float64", shape: [100] }))).toBeUndefined();
    expect(mismatch([-1], contents({ dtype: "float64", shape: [100, 1] }))).toBeUndefined();
    expect(mismatch([10, 28, 28], images, { batched: true })).toBeUndefined();
    expect(mismatch([10], { arrays: [], columns: ["a"] })).toBeUndefined();
  });

  it("that does not fit says so with both shapes", () => {
    expect(mismatch([-1, 783], images)).toBe("It has shape [100, 28, 28], but x takes [?, 783].");
    expect(mismatch([32, 28, 28], images, { batched: true })).toBe(
      "It has shape [100, 28, 28] in batches of 10, but x takes [32, 28, 28].",
    );
    expect(mismatch([], contents({ dtype: "float32", shape: [] }), { batched: true })).toContain("no rows");
    expect(mismatch([-1], contents({ dtype: "string", shape: [3] }))).toBe(
      "It holds string, but x takes float32.",
    );
  });

  it("has one array, or names the one to take", () => {
    const two = contents(
      { name: "x", dtype: "uint8", shape: [5] },
      { name: "y", dtype: "uint8", shape: [6] },
    );
    expect(mismatch([6], two)).toBe("It holds several arrays. Choose one of x, y.");
    expect(mismatch([6], two, { column: "z" })).toBe("It holds no array z. Choose one of x, y.");
    expect(mismatch([6], two, { column: "y" })).toBeUndefined();
  });
});

describe("images for a placeholder", () => {
  it("are told by its shape", () => {
    expect(imageShapeOf(placeholder([-1, 224, 224, 3]))).toEqual({
      batch: -1,
      height: 224,
      width: 224,
      channels: 3,
    });
    expect(imageShapeOf(placeholder([28, 28, 1]))).toMatchObject({ batch: undefined, channels: 1 });
    for (const shape of [
      [1, 3, 224, 224],
      [28, 28],
      [-1, 28, 28, -1],
    ]) {
      expect(imageShapeOf(placeholder(shape))).toBeUndefined();
    }
    expect(imageShapeOf(placeholder([1, 8, 8, 3], "string"))).toBeUndefined();
  });
});
