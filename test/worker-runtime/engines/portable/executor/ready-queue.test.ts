import { expect, test } from "vitest";
import { ReadyQueue } from "../../../../../worker-runtime/engines/portable/executor/ready-queue.js";

test("what came first is taken first, however many have been taken", () => {
  const queue = new ReadyQueue<{ readonly value: number }>();
  const taken: (number | undefined)[] = [];
  for (let value = 0; value < 5000; value += 2) {
    queue.push({ value });
    queue.push({ value: value + 1 });
    taken.push(queue.take()?.value);
  }
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    taken.push(item.value);
  }
  expect(taken).toEqual(Array.from({ length: 5000 }, (_, value) => value));
  queue.push({ value: 1 });
  queue.clear();
  expect(queue.take()).toBeUndefined();
});
