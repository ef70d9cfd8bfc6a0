import { describe, expect, it } from "vitest";
import { differingKeys, noteChange, rememberedOf } from "../../../renderer/document/differing-keys.js";
import { LayeredMap, MapDraft } from "../../../renderer/document/layered-map.js";
import fc from "../../support/seeded-check.js";

/** Rounds of changes: a value for a key, or undefined to remove it. */
const rounds = fc.array(
  fc.array(fc.tuple(fc.nat(30).map(String), fc.option(fc.nat(5), { nil: undefined })), { maxLength: 6 }),
  { maxLength: 8 },
);
const first = new Map(Array.from({ length: 20 }, (_, index) => [String(index), index % 5]));

const sorted = <V>(map: ReadonlyMap<string, V>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));

describe("a layered map", () => {
  it("has what a copy with the same changes has, and leaves the one before it as it was", () => {
    fc.assert(
      fc.property(rounds, fc.boolean(), (changes, byDraft) => {
        let layered = LayeredMap.of(first);
        const copy = new Map(first);
        for (const round of changes) {
          const before = [...layered];
          const earlier = layered;
          if (byDraft) {
            const draft = new MapDraft(layered);
            for (const [key, value] of round) draft.set(key, value);
            for (const [key] of round) expect(draft.get(key)).toBe(new Map(round).get(key));
            layered = draft.done();
          } else layered = layered.with(round);
          for (const [key, value] of round) {
            if (value === undefined) copy.delete(key);
            else copy.set(key, value);
          }
          expect([...earlier]).toEqual(before);
          expect(sorted(layered)).toEqual(sorted(copy));
          expect(layered.size).toBe(copy.size);
          expect([...layered.keys()].length).toBe(copy.size);
          for (let key = 0; key <= 30; key++) {
            expect(layered.get(String(key))).toBe(copy.get(String(key)));
            expect(layered.has(String(key))).toBe(copy.has(String(key)));
          }
        }
      }),
    );
  });

  it("keeps the order of the map below, with new entries at the end", () => {
    const map = LayeredMap.of(new Map(["a", "b", "c"].map((key) => [key, key])));
    const changed = map.with([
      ["new", "n"],
      ["b", undefined],
      ["a", "A"],
    ]);
    expect([...changed]).toEqual([
      ["a", "A"],
      ["c", "c"],
      ["new", "n"],
    ]);
    expect([...changed.with([["b", "B"]]).values()]).toEqual(["A", "B", "c", "n"]);
  });

  it("is one copy again once it differs in many entries", () => {
    const many = Array.from({ length: 2000 }, (_, index): [string, number] => [`k${index}`, index]);
    const map = LayeredMap.of(first).with(many);
    expect(map.size).toBe(first.size + many.length);
    expect(map.with([["k7", undefined]]).size).toBe(map.size - 1);
  });
});

describe("the keys in which maps differ", () => {
  it("are the same whether it was noted what was changed or both maps are walked through", () => {
    fc.assert(
      fc.property(rounds, (changes) => {
        let last = new Map(first);
        for (const round of changes) {
          const next = new Map(last);
          for (const [key, value] of round) {
            if (value === undefined) next.delete(key);
            else next.set(key, value);
          }
          noteChange(
            last,
            next,
            round.map(([key]) => key),
          );
          last = next;
        }
        const walked = differingKeys(new Map(first), new Map(last)).sort();
        expect(differingKeys(first, last).sort()).toEqual(walked);
      }),
    );
  });

  it("let a result be adapted instead of found anew", () => {
    let whole = 0;
    const sum = rememberedOf<string, number, number>(
      (map) => {
        whole++;
        return [...map.values()].reduce((total, value) => total + value, 0);
      },
      (known, before, after, keys) =>
        keys.reduce((total, key) => total + (after.get(key) ?? 0) - (before.get(key) ?? 0), known),
    );
    const before = new Map(first);
    const total = sum(before);
    const after = new Map(before).set("3", 100);
    noteChange(before, after, ["3"]);
    expect(sum(after)).toBe(total + 97);
    expect(sum(new Map(after))).toBe(total + 97);
    expect(whole).toBe(2);
  });
});
