import { inRanges, not, perlClass, posixClass, unicodeClass } from "./code-point-sets.js";
import type { PatternReader } from "./pattern-reader.js";
import { type CodePointTest, RegexSyntaxError } from "./syntax.js";

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

const LAST_CODE_POINT = 0x10ffff;

/**
 * The class that \d, \pL and the like stand for; undefined for any other escape.
 * @param character the character after the backslash, already read.
 */
export function readClassEscape(reader: PatternReader, character: string): CodePointTest | undefined {
  if (character !== "p" && character !== "P") {
    return perlClass(character);
  }
  const first = reader.next();
  const name = first === "{" ? reader.until("}") : first;
  const negated = name.startsWith("^");
  const test = unicodeClass(negated ? name.slice(1) : name);
  return negated === (character === "P") ? test : not(test);
}

/**
 * The code point that an escape stands for.
 * @param character the character after the backslash, already read.
 * @throws RegexSyntaxError
 */
export function readCodeEscape(reader: PatternReader, character: string): number {
  const control = controls[character];
  if (control !== undefined) {
    return control;
  }
  if (character === "x") {
    const hex = reader.skip("{") ? reader.until("}") : reader.next() + reader.next();
    const value = /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
    if (!(value <= LAST_CODE_POINT)) {
      throw new RegexSyntaxError(`invalid escape sequence: \\x${hex}`);
    }
    return value;
  }
  // \1 … \7 alone would be references; with more digits they are octal numbers.
  if (character === "0" || (/[1-7]/.test(character) && /[0-7]/.test(reader.peek() ?? ""))) {
    let octal = character;
    while (octal.length < 3 && /[0-7]/.test(reader.peek() ?? "")) {
      octal += reader.next();
    }
    return Number.parseInt(octal, 8);
  }
  if (/[\p{L}\d]/u.test(character)) {
    throw new RegexSyntaxError(`invalid escape sequence: \\${character}`);
  }
  return character.codePointAt(0) ?? 0;
}

/** The class that follows "[", which is already read. @throws RegexSyntaxError */
export function readBracket(reader: PatternReader): CodePointTest {
  const negated = reader.skip("^");
  const tests: CodePointTest[] = [];
  for (let first = true; first || !reader.skip("]"); first = false) {
    if (reader.skip("[:")) {
      const inverted = reader.skip("^");
      const test = posixClass(reader.until(":]"));
      tests.push(inverted ? not(test) : test);
      continue;
    }
    const low = readBracketElement(reader);
    if (typeof low === "function") {
      tests.push(low);
      continue;
    }
    if (reader.peek() === "-" && reader.peek(1) !== "]" && reader.peek(1) !== undefined) {
      reader.next();
      const high = readBracketElement(reader);
      if (typeof high === "function" || high < low) {
        throw new RegexSyntaxError(`invalid character class range: ${reader.pattern}`);
      }
      tests.push(inRanges([[low, high]]));
    } else {
      tests.push((codePoint) => codePoint === low);
    }
  }
  const isListed: CodePointTest = (codePoint) => tests.some((test) => test(codePoint));
  return negated ? not(isListed) : isListed;
}

function readBracketElement(reader: PatternReader): CodePointTest | number {
  const character = reader.next();
  if (character !== "\\") {
    return character.codePointAt(0) ?? 0;
  }
  const escaped = reader.next();
  return readClassEscape(reader, escaped) ?? readCodeEscape(reader, escaped);
}
