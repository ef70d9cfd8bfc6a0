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
      // Not of this kind.
    }
  }
  throw new RegexSyntaxError(`invalid character class range: \\p{${name}}`);
}

/** The code points that are one but for upper and lower case, itself included. */
function caseVariants(codePoint: number): readonly number[] {
  const text = String.fromCodePoint(codePoint);
  return [text, text.toLowerCase(), text.toUpperCase()]
    .filter((variant) => [...variant].length === 1)
    .map((variant) => variant.codePointAt(0) ?? codePoint);
}

/** The same test with upper and lower case taken as one. */
export function ignoringCase(test: CodePointTest): CodePointTest {
  return (codePoint) => caseVariants(codePoint).some(test);
}
