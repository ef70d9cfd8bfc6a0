import { describe, expect, test } from "vitest";
import { Regex } from "../../../../../../worker-runtime/engines/portable/kernels/string/regex/regex.js";
import { RegexSyntaxError } from "../../../../../../worker-runtime/engines/portable/kernels/string/regex/syntax.js";
import fc from "../../../../../support/seeded-check.js";

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

  test("count in braces as RE2 does; other braces stand for themselves", () => {
    const matches = (pattern: string, text: string) => new Regex(pattern).matchesWhole(codePoints(text));
    expect(matches("a{2}", "aa")).toBe(true);
    expect(matches("a{2,}", "aaa")).toBe(true);
    expect(matches("a{1,2}", "aaa")).toBe(false);
    for (const text of ["a{02}", "a{2,03}", "a{1234567890}", "a{2"]) {
      expect(matches(text, text)).toBe(true);
    }
    for (const pattern of ["a{1001}", "a{2,1}", "a{999999999}"]) {
      expect(() => new Regex(pattern)).toThrow("invalid repetition size");
    }
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
