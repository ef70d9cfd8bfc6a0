import { describe, expect, it } from "vitest";
import { ConnectionLimits } from "../../../../main/peers/port/connection-limits.js";

let made = 0;

/** Begins a handshake; its key where it is admitted. */
function begin(limits: ConnectionLimits, address: string, now: number): string | undefined {
  const key = `connection ${made++}`;
  return limits.begin(key, address, now).admitted ? key : undefined;
}

/** How many connections an address may begin and end in a row. */
function inARow(limits: ConnectionLimits, address: string, now: number, paired = false, most = 1000): number {
  for (let count = 0; count < most; count++) {
    const key = begin(limits, address, now);
    if (key === undefined) return count;
    limits.ended(key, paired, now);
  }
  return most;
}

/** How many of so many handshakes an address may have under way. */
function atOnce(limits: ConnectionLimits, address: string, now: number, count: number): string[] {
  return Array.from({ length: count }, () => begin(limits, address, now)).filter((key) => key !== undefined);
}

describe("the limits of connections", () => {
  it("let an unpaired machine connect often at first and then once a second", () => {
    const limits = new ConnectionLimits();
    expect(inARow(limits, "a", 0)).toBe(60);
    expect(inARow(limits, "a", 999)).toBe(0);
    expect(inARow(limits, "a", 1000)).toBe(1);
    expect(inARow(limits, "b", 1000)).toBe(60);
    expect(inARow(limits, "a", 1_000_000)).toBe(60);
  });

  it("do not count paired machines, and remember where they are from one life to the next", () => {
    const limits = new ConnectionLimits();
    expect(inARow(limits, "a", 0, true)).toBe(1000);
    expect(atOnce(limits, "a", 1000, 1000)).toHaveLength(512);
    const afterRestart = new ConnectionLimits((address) => address === "a");
    expect(inARow(afterRestart, "a", 0)).toBe(1000);
  });

  it("reserve the slots of paired machines, no matter how many unpaired ones connect", () => {
    const limits = new ConnectionLimits((address) => address === "paired");
    const held = atOnce(limits, "paired", 0, 20);
    for (let round = 0; round < 15; round++)
      for (let index = 0; index < 40; index++) {
        const { evicted } = limits.begin(`${round} ${index}`, `unpaired ${index}`, round);
        expect(held.filter((key) => evicted.includes(key))).toEqual([]);
      }
    expect(atOnce(limits, "paired", 20, 1000)).toHaveLength(492);
  });

  it("leave room for others while one address holds its share", () => {
    const limits = new ConnectionLimits();
    const held = atOnce(limits, "a", 0, 200);
    expect(held).toHaveLength(48);
    expect(inARow(limits, "b", 0)).toBe(60);
    for (const key of held) limits.ended(key, false, 0);
    expect(begin(limits, "a", 0)).toBeDefined();
  });

  it("limit the connections of all unpaired machines: the oldest one of the address with the most is closed for a new one", () => {
    const limits = new ConnectionLimits();
    const [first] = atOnce(limits, "greedy", 0, 40);
    const modest = Array.from({ length: 88 }, (_, i) => begin(limits, `address ${i}`, 0));
    expect(limits.begin("new", "newcomer", 1)).toEqual({ admitted: true, evicted: [first] });
    expect(modest).toHaveLength(88);
  });

  it("give handshakes less time while many are under way", () => {
    const limits = new ConnectionLimits();
    const slow = begin(limits, "slow", 0);
    expect(limits.begin("patient", "other", 5000).evicted).toEqual([]);
    for (let i = 0; i < 70; i++) begin(limits, `address ${i}`, 5000);
    const { evicted } = limits.begin("next", "another", 5001);
    expect(evicted).toEqual([]);
    expect(slow).toBeDefined();
    expect(limits.begin("later", "another", 7001).evicted).toContain("patient");
  });

  it("forget addresses that have rested, and take newcomers however many there were", () => {
    const limits = new ConnectionLimits();
    for (let i = 0; i < 5000; i++) expect(inARow(limits, `address ${i}`, 0, false, 1)).toBe(1);
    expect(begin(limits, "one more", 2000)).toBeDefined();
  });
});
