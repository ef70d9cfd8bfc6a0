import { type CodePointTest, RegexSyntaxError } from "./syntax.js";

/** First and last code points of ranges. */
type Ranges = readonly (readonly [number, number])[];

const code = (text: string) => text.charCodeAt(0);
const digits: Ranges = [[code("0"), code("9")]];
const lower: Ranges = [[code("a"), code("z")]];
const upper: Ranges = [[code("A"), code("Z")]];
const spaces: Ranges = [
  [9, 10],
  [12, 13],
  [32, 32],
];
const word: Ranges = [...digits, ...lower, ...upper, [code("_"), code("_")]];

const posixClasses: Readonly<Record<string, Ranges>> = {
  alnum: [...digits, ...lower, ...upper],
  alpha: [...lower, ...upper],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: digits,
  graph: [[33, 126]],
  lower,
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper,
  word,
  xdigit: [...digits, [code("a"), code("f")], [code("A"), code("F")]],
};

/** A test for any of the ranges. */
export function inRanges(ranges: Ranges): CodePointTest {
  return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

export function not(test: CodePointTest): CodePointTest {
  return (codePoint) => !test(codePoint);
}

export const isWord: CodePointTest = inRanges(word);

/** The test of \d, \s, \w and their opposites; undefined for other letters. */
export function perlClass(letter: string): CodePointTest | undefined {
  const ranges = { d: digits, s: spaces, w: word }[letter.toLowerCase()];
  if (ranges === undefined) {
    return undefined;
  }
  const test = inRanges(ranges);
  return letter === letter.toLowerCase() ? test : not(test);
}

/** The test of [:name:]. @throws RegexSyntaxError */
export function posixClass(name: string): CodePointTest {
  const ranges = posixClasses[name];
  if (ranges === undefined) {
    throw new RegexSyntaxError(`invalid character class range: [:${name}:]`);
  }
  return inRanges(ranges);
}

/** The test of \p{name}: a general category or a script. @throws RegexSyntaxError */
export function unicodeClass(name: string): CodePointTest {
  for (const property of [name, `Script=${name}`]) {
    try {
      const pattern = new RegExp(`^\\p{${property}}$`, "u");
      return (codePoint) => pattern.test(String.fromCodePoint(codePoint));
    } catch {
      // Not a property of this kind.
    }
  }
  throw new RegexSyntaxError(`invalid character class range: \\p{${name}}`);
}

/** Letters of which more than two differ only in case (Unicode's CaseFolding.txt): JavaScript's conversions miss some. */
const manyCases = [
  "Kk\u212a",
  "Ss\u017f",
  "\u00c5\u00e5\u212b",
  "\u1e9e\u00df",
  "\u0392\u03b2\u03d0",
  "\u0395\u03b5\u03f5",
  "\u0398\u03b8\u03d1\u03f4",
  "\u0399\u03b9\u0345\u1fbe",
  "\u039a\u03ba\u03f0",
  "\u039c\u03bc\u00b5",
  "\u03a0\u03c0\u03d6",
  "\u03a1\u03c1\u03f1",
  "\u03a3\u03c3\u03c2",
  "\u03a6\u03c6\u03d5",
  "\u03a9\u03c9\u2126",
  "\u1e60\u1e61\u1e9b",
  "\u01c4\u01c5\u01c6",
  "\u01c7\u01c8\u01c9",
  "\u01ca\u01cb\u01cc",
  "\u01f1\u01f2\u01f3",
];

/** Without its dot it is no case of "i", as in RE2. */
const DOTLESS_I = "\u0131";

/** The case variants of a code point, including itself. */
function caseVariants(codePoint: number): readonly number[] {
  const text = String.fromCodePoint(codePoint);
  const known = manyCases.find((letters) => letters.includes(text));
  const variants = known === undefined ? [text, text.toLowerCase(), text.toUpperCase()] : [...known];
  return text === DOTLESS_I
    ? [codePoint]
    : variants
        .filter((variant) => [...variant].length === 1)
        .map((variant) => variant.codePointAt(0) ?? codePoint);
}

/** The same test, ignoring case. */
export function ignoringCase(test: CodePointTest): CodePointTest {
  return (codePoint) => caseVariants(codePoint).some(test);
}
