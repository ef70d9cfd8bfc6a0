import { describe, expect, it } from "vitest";
import { slicedSort } from "../../../renderer/document/sliced-sort.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";

const byKey = (one: { readonly key: number }, other: { readonly key: number }) => one.key - other.key;
/** Keys in no order, many of them equal. */
const mixed = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: (index * 7919) % 101, index }));

describe("a list sorted in slices", () => {
  it.each([0, 1, 511, 512, 513, 3000])("of %d elements is as a stable sort has it", (count) => {
    const list = mixed(count);
    expect(atOnce(slicedSort(list, byKey))).toEqual(list.toSorted(byKey));
  });

  it("is left as it was, and yields meanwhile", () => {
    const list = mixed(5000);
    const before = [...list];
    let yields = 0;
    const work = slicedSort(list, byKey);
    for (let step = work.next(); !step.done; step = work.next()) yields++;
    expect(yields).toBeGreaterThan(50);
    expect(list).toEqual(before);
  });
});
