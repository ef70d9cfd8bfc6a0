import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MachineSample, Samples, TaskSample } from "../../../main/api/samples.js";
import { SampleFeed } from "../../../main/cluster/sample-feed.js";

const ofMachine = (at: number): MachineSample => ({
  at,
  cpuPercent: 1,
  memoryUsedBytes: 1,
  receivedBytesPerSecond: 0,
  sentBytesPerSecond: 0,
  gpus: [],
});
const ofTask = (at: number): TaskSample => ({ at, cpuPercent: 1, memoryBytes: 1 });

let told: Samples[];
let feed: SampleFeed;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  feed = new SampleFeed((samples) => told.push(samples));
});
afterEach(() => {
  feed.dispose();
  vi.useRealTimers();
});

describe("what is measured", () => {
  it("at different moments of a second is one event", () => {
    feed.addMachine("pc", ofMachine(1));
    vi.advanceTimersByTime(400);
    feed.addTasks(new Map([["a", ofTask(2)]]));
    expect(told).toEqual([]);
    vi.advanceTimersByTime(600);
    expect(told).toEqual([{ machines: { pc: ofMachine(1) }, tasks: { a: ofTask(2) } }]);
    // Where nothing is measured nothing is sent.
    vi.advanceTimersByTime(10_000);
    expect(told).toHaveLength(1);
  });

  it("twice in that time is sent twice", () => {
    feed.addTasks(new Map([["a", ofTask(1)]]));
    feed.addTasks(
      new Map([
        ["a", ofTask(2)],
        ["b", ofTask(2)],
      ]),
    );
    vi.advanceTimersByTime(1000);
    expect(told.map(({ tasks }) => tasks)).toEqual([{ a: ofTask(1) }, { a: ofTask(2), b: ofTask(2) }]);
  });

  it("last is known until the machine or the task is gone", () => {
    feed.addMachine("pc", ofMachine(1));
    feed.addMachine("pc", ofMachine(2));
    feed.addTasks(new Map([["a", ofTask(1)]]));
    expect(feed.newest.machines.get("pc")?.at).toBe(2);
    feed.keep(new Set(["pc"]), new Set());
    expect([feed.newest.machines.size, feed.newest.tasks.size]).toEqual([1, 0]);
  });
});
