import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkSelection,
  gridOf,
  isWhole,
  parseSelection,
  type Selection,
  selectionShape,
  selectionText,
  wholeOf,
} from "../../../worker-runtime/protocol/selection.js";

const parsed = (text: string, shape: readonly number[]): Selection => {
  const selection = parseSelection(text, shape);
  if (typeof selection === "string") throw new Error(selection);
  return selection;
};

describe("parseSelection", () => {
  it.each([
    ["", [4, 5], "[:, :]"],
    ["2", [4, 5], "[2, :]"],
    ["[-1, 1:3]", [4, 5], "[3, 1:3]"],
    ["..., 0", [4, 5, 6], "[:, :, 0]"],
    ["1, ..., ::2", [4, 5, 6], "[1, :, ::2]"],
    ["1:99", [4], "[1:]"],
    ["-3:-1", [4], "[1:3]"],
    ["3:1", [4], "[3:3]"],
    ["0,", [4, 5], "[0, :]"],
    ["", [], "[]"],
  ])("%j of %j is %s", (text, shape, written) => {
    expect(selectionText(parsed(text, shape), shape)).toBe(written);
  });

  it.each([
    ["4", [4], /not within the 4/],
    ["-5", [4], /not within the 4/],
    ["0, 0", [4], /has 1 dimensions, not 2/],
    ["..., ...", [4], /Only one/],
    ["x", [4], /neither an index nor a range/],
    ["::-1", [4], /at least 1/],
    ["1:2:3:4", [4], /neither/],
  ])("%j of %j is refused", (text, shape, why) => {
    expect(parseSelection(text, shape)).toMatch(why);
  });

  it("reads back what selectionText writes", () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 });
    const cases = shapes.chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        parts: fc.tuple(
          ...shape.map((size) =>
            fc.oneof(
              fc.integer({ min: 0, max: size - 1 }),
              fc.record({
                from: fc.integer({ min: 0, max: size }),
                to: fc.constant(size),
                step: fc.integer({ min: 1, max: 3 }),
              }),
            ),
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(cases, ({ shape, parts }) => {
        expect(parsed(selectionText(parts, shape), shape)).toEqual(parts);
      }),
    );
  });
});

describe("gridOf", () => {
  it("runs the last kept dimension across and the others down", () => {
    const grid = gridOf([2, 3, 4], wholeOf([2, 3, 4]));
    expect([grid.rows, grid.columns, grid.columnAxis, grid.rowAxes]).toEqual([6, 4, 2, [0, 1]]);
    expect([grid.offsetOfRow(4), grid.columnStride, grid.indicesOf(4, 3)]).toEqual([16, 1, [1, 1, 3]]);
  });

  it("runs any other kept dimension across", () => {
    const grid = gridOf([2, 3, 4], parsed("1, ::2, 1:", [2, 3, 4]), 1);
    expect([grid.rows, grid.columns]).toEqual([3, 2]);
    expect(grid.indicesOf(2, 1)).toEqual([1, 2, 3]);
  });

  it("lays a scalar and an empty tensor out", () => {
    expect(gridOf([], [])).toMatchObject({ rows: 1, columns: 1, columnAxis: undefined });
    expect(gridOf([0, 4], wholeOf([0, 4]))).toMatchObject({ rows: 0, columns: 4 });
  });

  it("refuses what does not fit the tensor", () => {
    expect(() => checkSelection([0], [2, 3])).toThrow("1 dimensions does not fit a tensor of 2");
    expect(() => checkSelection([2, 0], [2, 3])).toThrow("Dimension 0 has 2 indices; 2 is not within them.");
    expect(() => checkSelection([{ from: 0, to: 3, step: 1 }], [2])).toThrow("Dimension 0");
    expect(() => gridOf([2, 3], [0, { from: 0, to: 3, step: 1 }], 0)).toThrow("cannot run across");
  });
});

it("isWhole", () => {
  expect(isWhole(wholeOf([2, 3]), [2, 3])).toBe(true);
  expect(isWhole(parsed("0", [1]), [1])).toBe(false);
  expect(isWhole(parsed("::2", [3]), [3])).toBe(false);
  expect(selectionShape(parsed("::2", [3]))).toEqual([2]);
});
