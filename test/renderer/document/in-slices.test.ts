import { describe, expect, it } from "vitest";
import { inSlices } from "../../../renderer/document/in-slices.js";
import { atOnce, paused, type Sliced } from "../../../worker-runtime/graph/slices.js";

/** Adds up to a number; every step takes as long as a slice. */
function* sum(count: number): Sliced<number> {
  let total = 0;
  for (let index = 1; index <= count; index++) {
    const ends = performance.now() + 10;
    while (performance.now() < ends);
    total += index;
    yield;
  }
  return total;
}

describe("a computation in slices", () => {
  it("has the result that it has at once, and pauses on its way", async () => {
    let pauses = 0;
    const pause = async () => {
      pauses++;
    };
    expect(await inSlices(sum(4), { pause })).toBe(atOnce(sum(4)));
    expect(pauses).toBe(4);
  });

  it("ends with the reason for which it is no longer wanted", async () => {
    const abort = new AbortController();
    const pause = async () => abort.abort(new Error("enough"));
    await expect(inSlices(sum(4), { pause, signal: abort.signal })).rejects.toThrow("enough");
  });

  it("visits all elements of a list, and may be interrupted on the way", () => {
    const visited: number[] = [];
    const work = paused(Array.from({ length: 1000 }).keys(), (index) => visited.push(index));
    work.next();
    expect(visited.length).toBeLessThan(1000);
    atOnce(work);
    expect(visited).toEqual([...Array.from({ length: 1000 }).keys()]);
  });
});
