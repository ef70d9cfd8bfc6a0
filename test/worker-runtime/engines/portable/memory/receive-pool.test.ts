import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ReceivePool } from "../../../../../worker-runtime/engines/portable/memory/receive-pool.js";

const MIB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("memory that was given back serves messages of about its size, the last one first", () => {
  const pool = new ReceivePool();
  const [first, second] = [pool.allocate(4 * MIB), pool.allocate(4 * MIB)];
  pool.giveBack(first);
  pool.giveBack(second);
  expect(pool.reuse(5 * MIB)).toBeUndefined();
  expect(pool.reuse(2 * MIB)).toBeUndefined();
  expect(pool.reuse(3 * MIB)).toBe(second);
  expect(pool.reuse(4 * MIB)).toBe(first);
  expect(pool.reuse(4 * MIB)).toBeUndefined();
  expect(pool.idleBytes).toBe(0);
});

test("only large memory of its own comes back", () => {
  const pool = new ReceivePool();
  expect(pool.owns(pool.allocate(MIB / 8))).toBe(true);
  expect(pool.owns(pool.allocate(MIB / 8 - 1))).toBe(false);
  expect(pool.owns(new ArrayBuffer(MIB))).toBe(false);
});

test("no more than a quarter of a GiB is kept idle", () => {
  const pool = new ReceivePool();
  const large = pool.allocate(200 * MIB);
  pool.giveBack(large);
  pool.giveBack(pool.allocate(100 * MIB));
  expect(pool.idleBytes).toBe(200 * MIB);
  pool.clear();
  expect(pool.reuse(200 * MIB)).toBeUndefined();
});

test("memory that no message uses is dropped after a while", () => {
  const pool = new ReceivePool();
  pool.giveBack(pool.allocate(MIB));
  vi.advanceTimersByTime(5000);
  pool.giveBack(pool.allocate(2 * MIB));
  vi.advanceTimersByTime(6000);
  expect(pool.idleBytes).toBe(2 * MIB);
  vi.advanceTimersByTime(10_000);
  expect(pool.idleBytes).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
