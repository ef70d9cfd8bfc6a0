import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StateEvents, withoutMeasurements } from "../../../main/cluster/state-events.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the events of the cluster's state", () => {
  it("come at once for news, a moment later for more news, and once a second for measurements", () => {
    let told = 0;
    const events = new StateEvents(() => told++);
    events.changed("a");
    expect(told).toBe(1);
    events.changed("b");
    events.changed("c");
    expect(told).toBe(1);
    vi.advanceTimersByTime(50);
    expect(told).toBe(2);
    for (let i = 0; i < 19; i++) {
      vi.advanceTimersByTime(50);
      events.changed("c");
    }
    expect(told).toBe(2);
    vi.advanceTimersByTime(50);
    expect(told).toBe(3);
    events.changed("c");
    events.changed("d");
    vi.advanceTimersByTime(50);
    expect(told).toBe(4);
    vi.advanceTimersByTime(5000);
    expect(told).toBe(4);
  });

  it("end with the service", () => {
    let told = 0;
    const events = new StateEvents(() => told++);
    events.changed("a");
    events.changed("b");
    events.dispose();
    vi.advanceTimersByTime(5000);
    expect(told).toBe(1);
  });

  it("count as news whatever is no measurement", () => {
    const state = (cpuPercent: number, name: string) => ({
      machines: [{ name, metrics: [{ cpuPercent }], gpus: [{ usedBytes: cpuPercent }], tasks: [] }],
    });
    expect(withoutMeasurements(state(1, "a"))).toBe(withoutMeasurements(state(2, "a")));
    expect(withoutMeasurements(state(1, "a"))).not.toBe(withoutMeasurements(state(1, "b")));
  });
});
