import { ignoringCase, inRanges, not, perlClass, posixClass, unicodeClass } from "./code-point-sets.js";
import { type CodePointTest, type RegexNode, RegexSyntaxError } from "./syntax.js";

/** RE2's own limit for counted repetitions. */
const MAX_REPEAT = 1000;

/** Parentheses may be nested so deep. */
const MAX_DEPTH = 200;

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly swapGreed: boolean;
}

const noFlags: Flags = { ignoreCase: false, multiLine: false, dotAll: false, swapGreed: false };
const flagNames: Readonly<Record<string, keyof Flags>> = {
  i: "ignoreCase",
  m: "multiLine",
  s: "dotAll",
  U: "swapGreed",
};

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const newline = 10;

/** Parses RE2's syntax: Perl's without what needs backtracking (references, lookaround). */
export class RegexParser {
  readonly #pattern: readonly string[];
  #at = 0;
  #depth = 0;
  #groups = 0;
  #flags = noFlags;

  constructor(pattern: string) {
    this.#pattern = [...pattern];
  }

  /** @throws RegexSyntaxError */
  parse(): { readonly root: RegexNode; readonly groups: number } {
    const root = this.#choice();
    if (this.#at < this.#pattern.length) {
      throw new RegexSyntaxError(`unexpected ): ${this.#pattern.join("")}`);
    }
    return { root, groups: this.#groups };
  }

  #peek(ahead = 0): string | undefined {
    return this.#pattern[this.#at + ahead];
  }

  #next(): string {
    const character = this.#pattern[this.#at];
    if (character === undefined) {
      throw new RegexSyntaxError(`missing closing part: ${this.#pattern.join("")}`);
    }
    this.#at += 1;
    return character;
  }

  #skip(text: string): boolean {
    const found = [...text].every((character, index) => this.#peek(index) === character);
    if (found) {
      this.#at += text.length;
    }
    return found;
  }

  #choice(): RegexNode {
    const options: RegexNode[] = [this.#sequence()];
    while (this.#skip("|")) {
      options.push(this.#sequence());
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      if (this.#skip("\\Q")) {
        while (this.#at < this.#pattern.length && !this.#skip("\\E")) {
          parts.push(this.#literal(this.#next()));
        }
        continue;
      }
      const atom = this.#atom();
      if (atom !== undefined) {
        parts.push(this.#repeated(atom));
      }
    }
    return { kind: "sequence", parts };
  }

  #repeated(atom: RegexNode): RegexNode {
    let node = atom;
    for (let count = this.#count(); count !== undefined; count = this.#count()) {
      if (node.kind === "repeat") {
        throw new RegexSyntaxError(`bad repetition operator: ${this.#pattern.join("")}`);
      }
      const lazy = this.#skip("?");
      node = { kind: "repeat", inner: node, ...count, greedy: lazy === this.#flags.swapGreed };
    }
    return node;
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#skip("*")) return { min: 0, max: Infinity };
    if (this.#skip("+")) return { min: 1, max: Infinity };
    if (this.#skip("?")) return { min: 0, max: 1 };
    // A brace that begins no count stands for itself.
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 12).join(""));
    if (match === null) return undefined;
    this.#at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === "" ? Infinity : Number(match[3]);
    if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT) || max < min) {
      throw new RegexSyntaxError(`invalid repetition size: ${match[0]}`);
    }
    return { min, max };
  }

  /** One element of a sequence; undefined for flags that only change what follows. */
  #atom(): RegexNode | undefined {
    const character = this.#next();
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return { kind: "test", test: this.#withCase(this.#bracket()) };
      case ".":
        return { kind: "test", test: this.#flags.dotAll ? () => true : (codePoint) => codePoint !== newline };
      case "^":
        return { kind: "assert", assertion: this.#flags.multiLine ? "line-start" : "text-start" };
      case "$":
        return { kind: "assert", assertion: this.#flags.multiLine ? "line-end" : "text-end" };
      case "*":
      case "+":
      case "?":
        throw new RegexSyntaxError(`no argument for repetition operator: ${character}`);
      case "\\":
        return this.#escape();
      default:
        return this.#literal(character);
    }
  }

  #group(): RegexNode | undefined {
    const outer = this.#flags;
    let index: number | undefined;
    if (this.#skip("?")) {
      if (this.#skip("P<") || (this.#peek() === "<" && this.#peek(1) !== "=" && this.#peek(1) !== "!")) {
        this.#skip("<");
        let name = "";
        while (!this.#skip(">")) {
          name += this.#next();
        }
        if (!/^\w+$/.test(name)) {
          throw new RegexSyntaxError(`invalid named capture group: ${name}`);
        }
        this.#groups += 1;
        index = this.#groups;
      } else if (this.#readFlags() === ")") {
        return undefined;
      }
    } else {
      this.#groups += 1;
      index = this.#groups;
    }
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw new RegexSyntaxError("expression is nested too deeply");
    }
    const inner = this.#choice();
    if (!this.#skip(")")) {
      throw new RegexSyntaxError(`missing ): ${this.#pattern.join("")}`);
    }
    this.#depth -= 1;
    this.#flags = outer;
    return index === undefined ? inner : { kind: "group", index, inner };
  }

  /** Flags after "(?". @returns what ends them, ":" or ")". */
  #readFlags(): string {
    let on = true;
    for (;;) {
      const character = this.#next();
      const flag = flagNames[character];
      if (character === ":" || character === ")") return character;
      if (character === "-" && on) {
        on = false;
      } else if (flag !== undefined) {
        this.#flags = { ...this.#flags, [flag]: on };
      } else {
        throw new RegexSyntaxError(`invalid perl operator: (?${character}`);
      }
    }
  }

  #escape(): RegexNode {
    const character = this.#next();
    switch (character) {
      case "A":
        return { kind: "assert", assertion: "text-start" };
      case "z":
        return { kind: "assert", assertion: "text-end" };
      case "b":
        return { kind: "assert", assertion: "word-edge" };
      case "B":
        return { kind: "assert", assertion: "no-word-edge" };
      default: {
        const test = this.#classEscape(character);
        return test === undefined
          ? this.#literalCode(this.#codeEscape(character))
          : { kind: "test", test: this.#withCase(test) };
      }
    }
  }

  /** The class that \d, \pL and the like stand for. */
  #classEscape(character: string): CodePointTest | undefined {
    if (character !== "p" && character !== "P") {
      return perlClass(character);
    }
    let name = this.#next();
    if (name === "{") {
      name = "";
      while (!this.#skip("}")) {
        name += this.#next();
      }
    }
    const negated = name.startsWith("^");
    const test = unicodeClass(negated ? name.slice(1) : name);
    return negated === (character === "P") ? test : not(test);
  }

  /** The code point that an escape stands for. */
  #codeEscape(character: string): number {
    const control = controls[character];
    if (control !== undefined) return control;
    if (character === "x") {
      let hex = "";
      if (this.#skip("{")) {
        while (!this.#skip("}")) hex += this.#next();
      } else {
        hex = this.#next() + this.#next();
      }
      const value = /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
      if (!(value <= 0x10ffff)) throw new RegexSyntaxError(`invalid escape sequence: \\x${hex}`);
      return value;
    }
    // \1 … \7 alone would be references; with more digits they are octal numbers.
    if (character === "0" || (/[1-7]/.test(character) && /[0-7]/.test(this.#peek() ?? ""))) {
      let octal = character;
      while (octal.length < 3 && /[0-7]/.test(this.#peek() ?? "")) octal += this.#next();
      return Number.parseInt(octal, 8);
    }
    if (/[\p{L}\d]/u.test(character)) throw new RegexSyntaxError(`invalid escape sequence: \\${character}`);
    return character.codePointAt(0) ?? 0;
  }

  #literal(character: string): RegexNode {
    return this.#literalCode(character.codePointAt(0) ?? 0);
  }

  #literalCode(wanted: number): RegexNode {
    return { kind: "test", test: this.#withCase((codePoint) => codePoint === wanted) };
  }

  #withCase(test: CodePointTest): CodePointTest {
    return this.#flags.ignoreCase ? ignoringCase(test) : test;
  }

  /** What follows "[". */
  #bracket(): CodePointTest {
    const negated = this.#skip("^");
    const tests: CodePointTest[] = [];
    for (let first = true; first || !this.#skip("]"); first = false) {
      if (this.#skip("[:")) {
        const inverted = this.#skip("^");
        let name = "";
        while (!this.#skip(":]")) {
          name += this.#next();
        }
        tests.push(inverted ? not(posixClass(name)) : posixClass(name));
        continue;
      }
      const low = this.#bracketElement();
      if (typeof low === "function") {
        tests.push(low);
        continue;
      }
      if (this.#peek() === "-" && this.#peek(1) !== "]" && this.#peek(1) !== undefined) {
        this.#at += 1;
        const high = this.#bracketElement();
        if (typeof high === "function" || high < low) {
          throw new RegexSyntaxError(`invalid character class range: ${this.#pattern.join("")}`);
        }
        tests.push(inRanges([[low, high]]));
      } else {
        tests.push((codePoint) => codePoint === low);
      }
    }
    const any: CodePointTest = (codePoint) => tests.some((test) => test(codePoint));
    return negated ? not(any) : any;
  }

  #bracketElement(): CodePointTest | number {
    const character = this.#next();
    if (character !== "\\") {
      return character.codePointAt(0) ?? 0;
    }
    const escaped = this.#next();
    return this.#classEscape(escaped) ?? this.#codeEscape(escaped);
  }
}
