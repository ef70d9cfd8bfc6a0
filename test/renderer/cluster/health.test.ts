import { describe, expect, it } from "vitest";
import { offlineText, trafficText } from "../../../renderer/cluster/health.js";
import { machineOf } from "../support/cluster-states.js";

const sending = (machines: Readonly<Record<string, number>>) =>
  new Map(
    Object.entries(machines).map(([id, sentBytesPerSecond]) => [
      id,
      [{ sentBytesPerSecond: 1 }, { sentBytesPerSecond }],
    ]),
  );

describe("the status bar's words on machines", () => {
  it("name one paired machine that is away and count several", () => {
    const away = { kind: "paired", presence: "offline" } as const;
    expect(offlineText([machineOf("a"), machineOf("b", { kind: "paired" })])).toBeUndefined();
    expect(offlineText([machineOf("a"), machineOf("b", away)])).toBe("b offline");
    expect(offlineText([machineOf("b", away), machineOf("c", away)])).toBe("2 machines offline");
    expect(offlineText([machineOf("d", { kind: "discovered", presence: "offline" })])).toBeUndefined();
  });

  it("add up what machines send once there are two to add", () => {
    expect(trafficText(sending({ a: 5e6 }))).toBeUndefined();
    expect(trafficText(sending({ a: 5e6, b: 33e6 }))).toBe("38 MB/s sent");
  });
});
