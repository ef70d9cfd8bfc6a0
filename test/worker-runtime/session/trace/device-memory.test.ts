import { expect, test } from "vitest";
import { NodeExecStats } from "../../../../protos/generated/tensorflow/step_stats.js";
import { deviceMemory } from "../../../../worker-runtime/session/trace/device-memory.js";

const CPU = "/job:worker/replica:0/task:0/device:CPU:0";

/** A node that allocated and freed at times after its start, on a clock that is 1,000 µs ahead. */
function record(device: string, startMicros: number, changes: readonly (readonly [number, number])[]) {
  const stats = NodeExecStats.fromPartial({
    allStartMicros: BigInt(startMicros + 1000),
    memory: [
      {
        allocatorName: "cpu",
        allocationRecords: changes.map(([micros, bytes]) => ({
          allocMicros: BigInt(startMicros + 1000 + micros),
          allocBytes: BigInt(bytes),
        })),
      },
    ],
  });
  return { device, stats, startMicros, durationMicros: 10 };
}

test("what is held is the sum of all allocations of a device until then, by the aligned clock", () => {
  const memory = deviceMemory(
    [
      record(CPU, 5000, [
        [0, 100],
        [50, -100],
      ]),
      record(CPU, 5020, [
        [0, 30],
        [30, -30],
      ]),
      record(CPU.replace("task:0", "task:1"), 5000, [[5, 7]]),
    ],
    5000,
  );
  expect(memory).toEqual([
    {
      ...{ device: CPU, allocator: "cpu", peakBytes: 130, peakMicros: 20 },
      points: [
        { micros: 0, bytes: 100 },
        { micros: 20, bytes: 130 },
        { micros: 50, bytes: 100 },
        { micros: 50, bytes: 0 },
      ],
    },
    expect.objectContaining({ peakBytes: 7, points: [{ micros: 5, bytes: 7 }] }),
  ]);
});

test("of many changes the highest of neighbours are kept, and the last", () => {
  const changes = Array.from({ length: 5000 }, (_, i) => [i, i % 2 === 0 ? 2 : -1] as const);
  const [memory] = deviceMemory([record(CPU, 0, changes)], 0);
  expect(memory?.points.length).toBeLessThanOrEqual(512);
  expect(memory?.peakBytes).toBe(2501);
  expect(Math.max(...(memory?.points ?? []).map(({ bytes }) => bytes))).toBe(2501);
  expect(memory?.points.at(-1)).toEqual({ micros: 4999, bytes: 2500 });
});

test("nothing is held where nothing was recorded", () => {
  expect(deviceMemory([record(CPU, 0, [])], 0)).toEqual([]);
});
