import { expect, it } from "vitest";
import { typedRow } from "../../../renderer/ui/use-type-ahead.js";

const names = ["digits.keras", "Mixed.meta", "mlp.meta", "models", "seed.pbtxt"];

it("the row is the first one from the chosen on whose name begins with what was typed", () => {
  expect(typedRow(names, 0, "mlp")).toBe(2);
  expect(typedRow(names, 2, "mlp")).toBe(2);
  expect(typedRow(names, 4, "DI")).toBe(0);
  expect(typedRow(names, 0, "mlq")).toBe(-1);
  expect(typedRow([], 0, "a")).toBe(-1);
});

it("one key again and again goes through the names that begin with it", () => {
  expect([typedRow(names, 0, "m"), typedRow(names, 1, "mm"), typedRow(names, 2, "mmm")]).toEqual([1, 2, 3]);
  expect(typedRow(names, 3, "mmmm")).toBe(1);
});
