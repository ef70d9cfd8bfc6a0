import { expect, test } from "vitest";
import { LogRing } from "../../../main/tasks/log-ring.js";

test("a task that says much in long lines takes no more memory than one that says it in short ones", () => {
  const ring = new LogRing();
  for (let i = 0; i < 5000; i++) ring.append("info", `${i} ${"x".repeat(20_000)}`);
  const kept = ring.after(-1);
  expect(kept.at(-1)?.text.startsWith("4999 ")).toBe(true);
  expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(9 << 20);
  expect(kept.length).toBeGreaterThan(500);
  expect(kept.map(({ sequence }) => sequence)).toEqual(kept.map((_, i) => 5000 - kept.length + i));
});

test("short lines are kept by their number", () => {
  const ring = new LogRing(10);
  for (let i = 0; i < 25; i++) ring.append("info", String(i));
  expect(ring.after(-1).map(({ text }) => Number(text))).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  expect(ring.after(22).map(({ sequence }) => sequence)).toEqual([23, 24]);
});
