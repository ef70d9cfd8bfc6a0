import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Regex } from "../../../../../../worker-runtime/engines/portable/kernels/string/regex/regex.js";
import { RegexSyntaxError } from "../../../../../../worker-runtime/engines/portable/kernels/string/regex/syntax.js";

const codePoints = (text: string) => Array.from(text, (one) => one.codePointAt(0) ?? 0);

describe("regular expressions", () => {
  test("take no more time for patterns that others choke on", () => {
    const text = codePoints("a".repeat(3000));
    for (const pattern of ["(a+)+b", "(a|a)*b", "(a*)*b", "(.*)*x", "(a?){20}a{20}b"]) {
      expect(new Regex(pattern).matchesWhole(text)).toBe(false);
    }
  });

  test("that would become too large are refused", () => {
    expect(() => new Regex("((a{1000}){1000}){1000}")).toThrow(RegexSyntaxError);
    expect(() => new Regex("(".repeat(10_000))).toThrow(RegexSyntaxError);
  });

  test("find what JavaScript finds, where both have the same syntax", () => {
    const atom = fc.constantFrom("a", "b", "[ab]", "[^a]", "(a)", "(b|ab)", "(?:a|b)", "\\b", "^", "$");
    const counted = fc
      .tuple(atom, fc.constantFrom("", "", "*", "+", "?", "*?", "+?", "{1,2}"))
      .map(([one, count]) =>
        // Nothing is counted that takes nothing in: RE2 and JavaScript differ in what they make of it.
        /^[\^$\\]/.test(one) ? one : one + count,
      );
    const pattern = fc.array(counted, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        const wanted = new RegExp(source).exec(subject);
        const found = new Regex(source).find(codePoints(subject));
        expect(found?.slice(0, 2)).toEqual(
          wanted === null ? undefined : [wanted.index, wanted.index + wanted[0].length],
        );
      }),
      { numRuns: 500 },
    );
  });
});
