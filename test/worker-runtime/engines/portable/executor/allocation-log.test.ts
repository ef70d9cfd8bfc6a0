import { expect, test } from "vitest";
import {
  AllocationLog,
  allocatorMemory,
} from "../../../../../worker-runtime/engines/portable/executor/allocation-log.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

test("memory counts once, from when it was made until its last use, whatever tensors share it", () => {
  const log = new AllocationLog();
  const fed = Tensor.of([1, 2]);
  const made = Tensor.of([3, 4, 5]);
  const allocations = log.ran("Neg", [fed], [made], 10, 20);
  expect(allocations).toEqual([{ bytes: 12, fromMillis: 10, untilMillis: 20 }]);
  // A view of the same memory, and what was fed.
  expect(log.ran("Reshape", [made], [made.reshape([3, 1])], 20, 21)).toEqual([]);
  expect(log.ran("Identity", [fed], [fed], 20, 22)).toEqual([]);
  log.ran("Sum", [made.reshape([3, 1]), undefined], [Tensor.of(12)], 30, 40);
  expect(allocations[0]?.untilMillis).toBe(40);
  expect(allocatorMemory(allocations, "cpu", (millis) => BigInt(millis))).toEqual([
    expect.objectContaining({
      ...{ allocatorName: "cpu", peakBytes: 12n },
      allocationRecords: [
        { allocMicros: 10n, allocBytes: 12n },
        { allocMicros: 40n, allocBytes: -12n },
      ],
    }),
  ]);
});

test("constants and variables that are read were there before", () => {
  const log = new AllocationLog();
  expect(log.ran("Const", [], [Tensor.of([1])], 0, 1)).toEqual([]);
  expect(log.ran("ReadVariableOp", [], [Tensor.of([1])], 0, 1)).toEqual([]);
  expect(allocatorMemory([], "cpu", BigInt)).toEqual([]);
});
