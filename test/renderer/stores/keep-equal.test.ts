import fc from "fast-check";
import { expect, it } from "vitest";
import { keepEqual } from "../../../renderer/stores/keep-equal.js";

it("answers the value as it is now, whatever it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, now) => {
      expect(keepEqual(before, now)).toEqual(now);
    }),
  );
});

it("is the same object where nothing changed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(keepEqual(value, structuredClone(value))).toBe(value);
    }),
  );
});

it("keeps the parts that did not change", () => {
  const before = {
    machines: [
      { id: "a", tasks: [{ id: "t" }] },
      { id: "b", tasks: [] },
    ],
    access: "secure",
  };
  const now = structuredClone(before);
  Object.assign(now.machines[1] ?? {}, { name: "pi" });
  const kept = keepEqual(before, now);
  expect(kept).toEqual(now);
  expect(kept).not.toBe(before);
  expect(kept.machines[0]).toBe(before.machines[0]);
  expect(kept.machines[1]?.tasks).toBe(before.machines[1]?.tasks);
});

it("notices what is gone", () => {
  expect(keepEqual({ a: 1, b: undefined }, { a: 1 })).toStrictEqual({ a: 1 });
  expect(keepEqual([1, 2], [1])).toEqual([1]);
});
