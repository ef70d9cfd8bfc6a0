import { expect, it } from "vitest";
import { quantity } from "../../../main/kubernetes/pod-metrics.js";

it.each([
  ["250m", 0.25],
  ["2", 2],
  ["1500000000n", 1.5],
  ["128Mi", 128 * 2 ** 20],
  ["1.5Gi", 1.5 * 2 ** 30],
  ["129e6", 129e6],
  ["64k", 64_000],
])("reads the quantity %s", (text, value) => {
  expect(quantity(text)).toBeCloseTo(value, 9);
});

it.each(["", "Mi", "1 Gi", "12Q"])("knows that %j is no quantity", (text) => {
  expect(quantity(text)).toBeNaN();
});
