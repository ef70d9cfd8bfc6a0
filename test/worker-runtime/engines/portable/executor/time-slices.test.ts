import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TimeSlices } from "../../../../../worker-runtime/engines/portable/executor/time-slices.js";

/** Work that takes so many whole slices; resolves when it is done. */
function piecesOf(slices: TimeSlices, name: string, pieces: number, log: string[]): Promise<void> {
  return new Promise((resolve) => {
    let left = pieces;
    slices.run({
      workUntil(deadlineMillis) {
        log.push(name);
        left -= 1;
        while (left > 0 && performance.now() < deadlineMillis) {
          // Uses its slice up.
        }
        if (left === 0) {
          resolve();
        }
        return left > 0;
      },
    });
  });
}

test("work begins at once", () => {
  const log: string[] = [];
  void piecesOf(new TimeSlices(), "a", 1, log);
  expect(log).toEqual(["a"]);
});

test("work that goes on takes turns with other work, and with the event loop", async () => {
  const slices = new TimeSlices();
  const log: string[] = [];
  const both = Promise.all([piecesOf(slices, "a", 4, log), piecesOf(slices, "b", 4, log)]);
  let turns = 0;
  let isDone = false;
  void both.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  expect(log).toHaveLength(8);
  // Neither waits for the end of the other.
  expect(log.lastIndexOf("a")).toBeGreaterThan(log.indexOf("b"));
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("work that begins other work does not fill the stack", async () => {
  const slices = new TimeSlices();
  const depth = 100_000;
  let begun = 0;
  await new Promise<void>((resolve) => {
    const begin = (): void => {
      begun += 1;
      if (begun === depth) {
        resolve();
        return;
      }
      slices.run({
        workUntil() {
          begin();
          return false;
        },
      });
    };
    begin();
  });
  expect(begun).toBe(depth);
});
