import { describe, expect, it } from "vitest";
import type { Machine } from "../../../main/api/cluster.js";
import { offlineText, trafficText } from "../../../renderer/cluster/health.js";
import { machineOf } from "../support/cluster-states.js";

const sending = (name: string, sentBytesPerSecond: number, more: Partial<Machine> = {}): Machine =>
  machineOf(name, {
    metrics: [{ at: 0, cpuPercent: 0, memoryUsedBytes: 0, receivedBytesPerSecond: 0, sentBytesPerSecond }],
    ...more,
  });

describe("the status bar's words on machines", () => {
  it("name one paired machine that is away and count several", () => {
    const away = { kind: "paired", presence: "offline" } as const;
    expect(offlineText([machineOf("a"), machineOf("b", { kind: "paired" })])).toBeUndefined();
    expect(offlineText([machineOf("a"), machineOf("b", away)])).toBe("b offline");
    expect(offlineText([machineOf("b", away), machineOf("c", away)])).toBe("2 machines offline");
    expect(offlineText([machineOf("d", { kind: "discovered", presence: "offline" })])).toBeUndefined();
  });

  it("add up what machines send once there are two to add", () => {
    expect(trafficText([sending("a", 5e6)])).toBeUndefined();
    expect(trafficText([sending("a", 5e6), sending("b", 33e6)])).toBe("38 MB/s sent");
    expect(trafficText([sending("a", 5e6), sending("b", 1, { presence: "offline" })])).toBeUndefined();
  });
});
