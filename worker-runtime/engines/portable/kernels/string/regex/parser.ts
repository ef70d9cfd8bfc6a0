import { ignoringCase } from "./code-point-sets.js";
import { readBracket, readClassEscape, readCodeEscape } from "./escapes.js";
import { PatternReader } from "./pattern-reader.js";
import { type CodePointTest, type RegexNode, RegexSyntaxError } from "./syntax.js";

/** RE2's limit for counted repetitions. */
const MAX_REPEAT = 1000;

/** "{2}", "{2,}" or "{2,3}". As in RE2, numbers with ten digits or leading zeros make it literal text. */
const COUNT = /^\{(0|[1-9]\d{0,8})(,(0|[1-9]\d{0,8})?)?\}/;
const MAX_COUNT_LENGTH = "{999999999,999999999}".length;

/** The maximum nesting depth of parentheses. */
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

const newline = 10;

/** Parses RE2's syntax: Perl's without what needs backtracking (references, lookaround). */
export class RegexParser {
  readonly #reader: PatternReader;
  #depth = 0;
  #groups = 0;
  #flags = noFlags;

  constructor(pattern: string) {
    this.#reader = new PatternReader(pattern);
  }

  /** @throws RegexSyntaxError */
  parse(): { readonly root: RegexNode; readonly groups: number } {
    const root = this.#choice();
    if (!this.#reader.isAtEnd) {
      throw new RegexSyntaxError(`unexpected ): ${this.#reader.pattern}`);
    }
    return { root, groups: this.#groups };
  }

  #choice(): RegexNode {
    const options: RegexNode[] = [this.#sequence()];
    while (this.#reader.skip("|")) {
      options.push(this.#sequence());
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (
      let next = this.#reader.peek();
      next !== undefined && next !== "|" && next !== ")";
      next = this.#reader.peek()
    ) {
      if (this.#reader.skip("\\Q")) {
        while (!this.#reader.isAtEnd && !this.#reader.skip("\\E")) {
          parts.push(this.#literal(this.#reader.next()));
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
        throw new RegexSyntaxError(`bad repetition operator: ${this.#reader.pattern}`);
      }
      const lazy = this.#reader.skip("?");
      node = { kind: "repeat", inner: node, ...count, greedy: lazy === this.#flags.swapGreed };
    }
    return node;
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#reader.skip("*")) return { min: 0, max: Infinity };
    if (this.#reader.skip("+")) return { min: 1, max: Infinity };
    if (this.#reader.skip("?")) return { min: 0, max: 1 };
    // A brace that does not begin a count is a literal.
    const match = COUNT.exec(this.#reader.peekText(MAX_COUNT_LENGTH));
    if (match === null) return undefined;
    this.#reader.skip(match[0]);
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === undefined ? Infinity : Number(match[3]);
    if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT) || max < min) {
      throw new RegexSyntaxError(`invalid repetition size: ${match[0]}`);
    }
    return { min, max };
  }

  /** One element of a sequence; undefined for flags that only change what follows. */
  #atom(): RegexNode | undefined {
    const character = this.#reader.next();
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return { kind: "test", test: this.#withCase(readBracket(this.#reader)) };
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
    if (this.#reader.skip("?")) {
      if (
        this.#reader.skip("P<") ||
        (this.#reader.peek() === "<" && this.#reader.peek(1) !== "=" && this.#reader.peek(1) !== "!")
      ) {
        this.#reader.skip("<");
        const name = this.#reader.until(">");
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
    if (!this.#reader.skip(")")) {
      throw new RegexSyntaxError(`missing ): ${this.#reader.pattern}`);
    }
    this.#depth -= 1;
    this.#flags = outer;
    return index === undefined ? inner : { kind: "group", index, inner };
  }

  /** Flags after "(?". @returns what ends them, ":" or ")". */
  #readFlags(): string {
    let on = true;
    for (;;) {
      const character = this.#reader.next();
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
    const character = this.#reader.next();
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
        const test = readClassEscape(this.#reader, character);
        return test === undefined
          ? this.#literalCode(readCodeEscape(this.#reader, character))
          : { kind: "test", test: this.#withCase(test) };
      }
    }
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
}
