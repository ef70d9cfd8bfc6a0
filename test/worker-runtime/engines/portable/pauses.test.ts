import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ExclusiveAccess } from "../../../../worker-runtime/engines/portable/exclusive-access.js";
import {
  eachOf,
  mapped,
  type PausingWork,
  withoutPauses,
  withPauses,
} from "../../../../worker-runtime/engines/portable/pauses.js";

/** How often work pauses, and what comes of it. */
function pausesOf<T>(work: PausingWork<T>): { pauses: number; value: T } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = work.next();
    if (done === true) {
      return { pauses, value };
    }
  }
}

test("many items are worked on in order, with a pause after every few", () => {
  const seen: string[] = [];
  const { pauses } = pausesOf(eachOf("abcdefg", (letter, i) => seen.push(`${i}${letter}`), 3));
  expect(seen.join(" ")).toBe("0a 1b 2c 3d 4e 5f 6g");
  expect(pauses).toBe(2);
});

test("few items are worked on without a pause; what is appended meanwhile is worked on, too", () => {
  expect(pausesOf(mapped([1, 2], (item, i) => item * 10 + i))).toEqual({ pauses: 0, value: [10, 21] });
  const growing = [3];
  const grow = (item: number) => {
    if (item > 0) {
      growing.push(item - 1);
    }
  };
  withoutPauses(eachOf(growing, grow, 1));
  expect(growing).toEqual([3, 2, 1, 0]);
});

test("work with pauses lets others have their turns, and ends with the signal's reason", async () => {
  let done = 0;
  const controller = new AbortController();
  const endless = eachOf({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }, () => {
    done += 1;
  });
  const work = withPauses(endless, controller.signal);
  await setImmediate();
  expect(done).toBeGreaterThan(0);
  controller.abort(new Error("enough"));
  await expect(work).rejects.toThrow("enough");
  const before = done;
  await setImmediate();
  expect(done).toBe(before);
});

test("acts on one thing come one after another, those that fail included; without others they are done at once", async () => {
  const access = new ExclusiveAccess();
  expect(access.run(() => 1)).toBe(1);
  const order: string[] = [];
  const act = (name: string, fails = false) =>
    access.run(async () => {
      order.push(`${name} begins`);
      await setImmediate();
      order.push(`${name} ends`);
      if (fails) {
        throw new Error(name);
      }
    });
  const results = await Promise.allSettled([act("a"), act("b", true), act("c")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  await setImmediate();
  expect(access.run(() => 2)).toBe(2);
});
