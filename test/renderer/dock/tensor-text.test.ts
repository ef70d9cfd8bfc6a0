import { describe, expect, it } from "vitest";
import type { TensorPreview } from "../../../main/api/runs.js";
import { gridShape, parseRowSlice, previewText, rowLabel } from "../../../renderer/dock/tensor-text.js";

function tensor(shape: number[], values: string[], dtype = "float32"): TensorPreview {
  return { name: "t:0", dtype, shape, values, elementCount: shape.reduce((a, b) => a * b, 1), byteLength: 0 };
}

describe("previewText", () => {
  it("writes a scalar as itself and strings in quotes", () => {
    expect(previewText(tensor([], ["11.0"]))).toBe("11.0");
    expect(previewText(tensor([], ['say "hi"'], "string"))).toBe('"say \\"hi\\""');
  });

  it("keeps a string on one line and the bytes of a blob as they are written", () => {
    expect(previewText(tensor([2], ["a\nb\tc", String.raw`\xff\x00`], "string"))).toBe(
      String.raw`["a\nb\tc", "\xff\x00"]`,
    );
  });

  it("says how many elements are left out", () => {
    const values = Array.from({ length: 1000 }, (_, index) => String(index));
    expect(previewText(tensor([1000], values))).toMatch(/^\[0, 1, .*11, … 988 more\]$/);
    expect(previewText(tensor([0], []))).toBe("[]");
  });
});

describe("a tensor as a grid", () => {
  it("runs its last dimension across and the others down", () => {
    expect(gridShape([])).toEqual({ rows: 1, columns: 1 });
    expect(gridShape([3])).toEqual({ rows: 1, columns: 3 });
    expect(gridShape([1000])).toEqual({ rows: 100, columns: 10 });
    expect(gridShape([2, 3, 4])).toEqual({ rows: 6, columns: 4 });
    expect(gridShape([0, 4])).toEqual({ rows: 0, columns: 4 });
  });

  it("labels a row with the indices before the last", () => {
    expect(rowLabel([2, 3, 4], 4, 4)).toBe("1,1");
    expect(rowLabel([1000], 7, 10)).toBe("70");
  });
});

describe("parseRowSlice", () => {
  it.each([
    ["", { from: 0, to: 10 }],
    ["3", { from: 3, to: 4 }],
    ["2:5", { from: 2, to: 5 }],
    ["[:4]", { from: 0, to: 4 }],
    ["-3:", { from: 7, to: 10 }],
    ["-1", { from: 9, to: 10 }],
    ["8:99", { from: 8, to: 10 }],
    ["5:5", undefined],
    ["12", undefined],
    ["a", undefined],
    ["1:2:3", undefined],
  ])("%j of 10 rows is %j", (text, slice) => {
    expect(parseRowSlice(text, 10)).toEqual(slice);
  });
});
