import { describe, expect, it } from "vitest";
import { ConnectionLimits } from "../../../main/agent-port/connection-limits.js";

/** How many connections an address may begin and end in a row. */
function inARow(limits: ConnectionLimits, address: string, now: number, paired = false, most = 1000): number {
  for (let count = 0; count < most; count++) {
    if (!limits.begin(address, now)) return count;
    limits.ended(address, paired, now);
  }
  return most;
}

describe("the limits of connections", () => {
  it("let a stranger connect often at first and then once a second", () => {
    const limits = new ConnectionLimits();
    expect(inARow(limits, "a", 0)).toBe(60);
    expect(inARow(limits, "a", 999)).toBe(0);
    expect(inARow(limits, "a", 1000)).toBe(1);
    expect(inARow(limits, "b", 1000)).toBe(60);
    expect(inARow(limits, "a", 1_000_000)).toBe(60);
  });

  it("do not count paired machines", () => {
    const limits = new ConnectionLimits();
    expect(inARow(limits, "a", 0, true)).toBe(1000);
    for (let i = 0; i < 200; i++) limits.begin("stranger", 0);
    // Met before, so all its tunnels may come at once.
    const held = Array.from({ length: 1000 }, () => limits.begin("a", 1000)).filter(Boolean).length;
    expect(held).toBe(512);
  });

  it("leave room for others while one address holds its share", () => {
    const limits = new ConnectionLimits();
    const held = Array.from({ length: 200 }, () => limits.begin("a", 0)).filter(Boolean).length;
    expect(held).toBe(48);
    expect(inARow(limits, "b", 0)).toBe(60);
    for (let i = 0; i < held; i++) limits.ended("a", false, 0);
    expect(limits.begin("a", 0)).toBe(true);
  });

  it("bound what all addresses hold together", () => {
    const limits = new ConnectionLimits();
    const held = Array.from({ length: 500 }, (_, i) => limits.begin(`address ${i}`, 0)).filter(
      Boolean,
    ).length;
    expect(held).toBe(128);
  });

  it("forget addresses that have rested, and take no more than they can remember", () => {
    const limits = new ConnectionLimits();
    for (let i = 0; i < 4096; i++) inARow(limits, `address ${i}`, 0, false, 1);
    expect(limits.begin("one more", 0)).toBe(false);
    expect(limits.begin("one more", 2000)).toBe(true);
  });
});
