import { describe, expect, test } from "vitest";
import {
  MemoryBudget,
  type MemoryEnvironment,
} from "../../../../../worker-runtime/engines/portable/kernels/support/memory-budget.js";

const GB = 1e9;

/** A machine of 10 GB with a heap of 1 GB. */
class FakeMachine implements MemoryEnvironment {
  available = 5 * GB;
  resident = GB;
  heapUsed = 0.1 * GB;
  garbage = 0;
  collections = 0;
  now = 0;

  availableBytes = () => this.available;
  totalBytes = () => 10 * GB;
  /** Bytes that another thread is granted between a check here and its end. */
  elsewhere = 0;
  reserved = 0;
  residentBytes = () => {
    this.reserved = 0;
    return this.resident;
  };
  reserve = (bytes: number) => {
    this.reserved = bytes;
    return this.resident + this.elsewhere + bytes;
  };
  heap = () => ({ usedBytes: this.heapUsed, limitBytes: GB });
  nowMillis = () => this.now;
  collectGarbage = () => {
    this.collections += 1;
    this.available += this.garbage;
    this.resident -= this.garbage;
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

  test("counts what other threads are granted at the same moment", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(3 * GB);
    expect(budget.hasRoomFor(1.5 * GB)).toBe(true);
    expect(machine.reserved).toBe(1.5 * GB);
    machine.elsewhere = GB;
    expect(budget.hasRoomFor(1.5 * GB)).toBe(false);
    expect(machine.reserved).toBe(0);
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

  test("small tensors are looked at when they come to as much as a large one, and all of them when it is full", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(GB);
    const given = Array.from({ length: 20 }, () => budget.hasRoomFor(2 ** 17));
    expect(given.indexOf(false)).toBe(7);
    expect(given.slice(7)).not.toContain(true);
    machine.resident -= 2 ** 21;
    expect(budget.hasRoomFor(2 ** 17)).toBe(true);
  });

  test("a full process has some room for what takes things away", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(GB);
    expect(budget.hasRoomFor(2 ** 21)).toBe(false);
    expect(budget.hasRoomFor(1000)).toBe(true);
    machine.resident += 2 ** 24;
    expect(budget.hasRoomFor(2 ** 21)).toBe(false);
    expect(budget.hasRoomFor(1000)).toBe(false);
  });

  test("the process has so much and no more, whatever the machine could give", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    expect(budget.defaultResidentLimit()).toBe(5 * GB);
    expect(budget.hasRoomFor(3 * GB)).toBe(true);
    budget.limitResident(2 * GB);
    expect(budget.hasRoomFor(0.9 * GB)).toBe(true);
    expect(budget.hasRoomFor(1.1 * GB)).toBe(false);
    expect(budget.refusal(1.1 * GB)).toBe(
      "; this task has 954 MiB of tensors and messages, and may have 1908 MiB (--max_resident_mb)",
    );
    expect(budget.refusal(0.9 * GB)).toBe("");
  });

  test("what is here already may be beyond the limit", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(2 * GB);
    expect(budget.hasRoomNow(0)).toBe(true);
    machine.resident = 3 * GB;
    expect(budget.hasRoomNow(0)).toBe(false);
    machine.garbage = 2 * GB;
    budget.letGo();
    expect(budget.hasRoomNow(0)).toBe(true);
  });

  test("an idle task collects what is worth it: much that was made since, in a small heap", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    machine.heapUsed = 0.05 * GB;
    budget.collectWhenIdle();
    expect(machine.collections).toBe(1);
    machine.resident += 0.1 * GB;
    budget.collectWhenIdle();
    expect(machine.collections).toBe(1);
    machine.resident += 0.1 * GB;
    budget.collectWhenIdle();
    expect(machine.collections).toBe(2);
    machine.resident += GB;
    machine.heapUsed = 0.1 * GB;
    budget.collectWhenIdle();
    expect(machine.collections).toBe(2);
  });

  test("garbage of a step that ended is collected at once, whenever the last collection was", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(2 * GB);
    machine.resident = 2 * GB;
    expect(budget.hasRoomFor(GB)).toBe(false);
    machine.garbage = GB;
    expect(budget.hasRoomFor(GB)).toBe(false);
    expect(machine.collections).toBe(1);
    budget.letGo();
    expect(budget.hasRoomFor(GB)).toBe(true);
    expect(machine.collections).toBe(2);
  });

  test("a step that makes garbage all the time is never refused for it", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    budget.limitResident(2 * GB);
    for (let i = 0; i < 20; i += 1) {
      expect(budget.hasRoomFor(0.3 * GB)).toBe(true);
      machine.resident += 0.3 * GB;
      machine.available -= 0.3 * GB;
      machine.garbage += 0.3 * GB;
    }
    expect(machine.collections).toBeLessThan(10);
  });

  test("strings count against the heap, which V8 does not survive when it is full", () => {
    const machine = new FakeMachine();
    const budget = new MemoryBudget(machine);
    expect(budget.hasRoomForStrings(3_000_000)).toBe(true);
    expect(budget.hasRoomForStrings(4_000_000)).toBe(false);
  });
});
