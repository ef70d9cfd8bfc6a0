import { expect, test } from "vitest";
import { KnownParts } from "../../../../../../worker-runtime/engines/portable/transport/receiving/known-parts.js";

/** Texts one after another in one message, with the places of each. */
function message(texts: readonly string[]) {
  const bytes = new Uint8Array(Buffer.from(texts.join(""), "latin1"));
  let end = 0;
  const places = texts.map(({ length }) => {
    const start = end;
    end += length;
    return [start, end] as const;
  });
  return { parts: new KnownParts<string>(bytes), places };
}

test("equal parts are known once one of them was added", () => {
  const { parts, places } = message(["name", "other", "name", "nam", ""]);
  const [name, other, again, shorter, empty] = places as [
    readonly [number, number],
    ...(readonly [number, number])[],
  ];
  expect(parts.get(...name)).toBeUndefined();
  parts.add(...name, "made of name");
  expect(again && parts.get(...again)).toBe("made of name");
  for (const place of [other, shorter, empty]) {
    expect(place && parts.get(...place)).toBeUndefined();
  }
});

test("thousands of parts, each as often as it comes", () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `layer_${i % 7000}/kernel`);
  const { parts, places } = message(texts);
  const known = new Set<string>();
  let unknown = 0;
  for (const [i, [start, end]] of places.entries()) {
    const text = texts[i] ?? "";
    const found = parts.get(start, end);
    if (found === undefined) {
      unknown += Number(known.has(text));
      parts.add(start, end, text);
      known.add(text);
    } else {
      expect(found).toBe(text);
    }
  }
  // A part may be left out where many others have similar hash values.
  expect(unknown).toBeLessThan(200);
});

test("long parts are not kept", () => {
  const { parts, places } = message(["x".repeat(1000), "x".repeat(1000)]);
  const [first, second] = places;
  if (first === undefined || second === undefined) throw new Error("Two parts were written.");
  parts.add(...first, "long");
  expect(parts.get(...second)).toBeUndefined();
});
