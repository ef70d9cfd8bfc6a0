import { describe, expect, test } from "vitest";
import {
  MemoryBudget,
  type MemoryEnvironment,
} from "../../../../../worker-runtime/engines/portable/kernels/support/memory-budget.js";

const GB = 1e9;

/** A machine of 10 GB with a heap of 1 GB. */
class FakeMachine implements MemoryEnvironment {
  available = 5 * GB;
  heapUsed = 0.1 * GB;
  garbage = 0;
  collections = 0;
  now = 0;

  availableBytes = () => this.available;
  totalBytes = () => 10 * GB;
  heap = () => ({ usedBytes: this.heapUsed, limitBytes: GB });
  nowMillis = () => this.now;
  collectGarbage = () => {
    this.collections += 1;
    this.available += this.garbage;
    this.heapUsed -= this.garbage;
    this.garbage = 0;
  };
}

describe("the budget of memory", () => {
  test("gives what is there, less a reserve", () => {
    const budget = new MemoryBudget(new FakeMachine());
    expect(budget.hasRoomFor(4.4 * GB)).toBe(true);
    expect(budget.hasRoomFor(4.6 * GB)).toBe(false);
  });

  test("small tensors are always given: nobody asks the system", () => {
    const machine = new FakeMachine();
    machine.available = 0;
    expect(new MemoryBudget(machine).hasRoomFor(1000)).toBe(true);
    expect(machine.collections).toBe(0);
  });

  test("collects garbage before it refuses, but not again and again", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    machine.garbage = GB;
    expect(budget.hasRoomFor(5 * GB)).toBe(true);
    expect(budget.hasRoomFor(9 * GB)).toBe(false);
    expect(machine.collections).toBe(1);
    machine.now = 2000;
    expect(budget.hasRoomFor(9 * GB)).toBe(false);
    expect(machine.collections).toBe(2);
  });

  test("strings count against the heap, which V8 does not survive when it is full", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    expect(budget.hasRoomForStrings(3_000_000)).toBe(true);
    expect(budget.hasRoomForStrings(4_000_000)).toBe(false);
  });
});
