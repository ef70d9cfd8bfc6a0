import { expect, test } from "vitest";
import type { RegionMember } from "../../../../../worker-runtime/engines/portable/regions/region-outline.js";
import {
  RuntimeMemory,
  SessionArenas,
} from "../../../../../worker-runtime/engines/portable/regions/runtime-memory.js";
import {
  recordedSizes,
  sizesOfRun,
} from "../../../../../worker-runtime/engines/portable/regions/session-memory.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

function memoryOf(limit: number) {
  const published: number[] = [];
  return {
    memory: new RuntimeMemory(
      () => limit,
      (bytes) => published.push(bytes),
    ),
    published,
  };
}

test("arenas keep an eighth of the limit together, and count", () => {
  const { memory, published } = memoryOf(800);
  const [one, other] = [new SessionArenas(memory), new SessionArenas(memory)];
  expect([one.open(1, 40), other.open(1, 50), other.open(2, 20)]).toEqual([true, true, false]);
  expect(published).toEqual([40, 90]);
  // It has grown as far as it may; runs that are no larger than before still use it.
  expect([one.takes(1, 50), one.takes(1, 51), one.takes(1, 30)]).toEqual([true, false, true]);
  expect(published.at(-1)).toBe(100);
  other.closeAll();
  other.close(1);
  expect(one.takes(1, 100)).toBe(true);
  one.close(1);
  expect(published.at(-1)).toBe(0);
});

test("what a run takes counts until it is given back", () => {
  const { memory, published } = memoryOf(800);
  memory.take(70);
  memory.keepInArena(5);
  memory.give(70);
  expect(published).toEqual([70, 75, 5]);
});

test("a session without an arena may run anything", () => {
  const arenas = new SessionArenas(memoryOf(8).memory);
  expect([arenas.open(1, 2), arenas.takes(1, 1e9)]).toEqual([false, true]);
});

test("the memory of a run is what its nodes compute, and the most that is needed at a time", () => {
  const member = (inputs: readonly number[], output: number) =>
    ({ node: { outputDtypes: ["float32"] }, inputs, outputs: [output] }) as unknown as RegionMember;
  const chain = [member([0], 1), member([1], 2), member([2], 3), member([3], 4)];
  const shapes = [[10], [10], [10], [10], [10]];
  const sizes = recordedSizes({ shapes }, chain, [0], [4]);
  expect(sizes).toEqual({ inputElements: 10, computedBytes: 160, peakBytes: 80 });
  const twice = [new Tensor("float32", [20], new Float32Array(20))];
  expect(sizesOfRun(sizes, twice)).toEqual({ computedBytes: 320, peakBytes: 160 });
  // The first value is an output, too.
  expect(recordedSizes({ shapes }, chain, [0], [1, 4]).peakBytes).toBe(120);
});
