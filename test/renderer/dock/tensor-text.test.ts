import { describe, expect, it } from "vitest";
import type { TensorPreview } from "../../../main/api/runs.js";
import { previewText } from "../../../renderer/dock/tensor-text.js";

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
