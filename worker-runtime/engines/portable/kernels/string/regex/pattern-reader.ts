import { RegexSyntaxError } from "./syntax.js";

/** Reads the characters (whole code points) of a pattern from its start to its end. */
export class PatternReader {
  /** The whole pattern, for error messages. */
  readonly pattern: string;
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
    this.#characters = [...pattern];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** The character `ahead` positions after the next one; undefined beyond the end. */
  peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead];
  }

  /** The next `length` characters, fewer at the end. */
  peekText(length: number): string {
    return this.#characters.slice(this.#at, this.#at + length).join("");
  }

  /** Consumes a character. @throws RegexSyntaxError at the end. */
  next(): string {
    const character = this.peek();
    if (character === undefined) {
      throw new RegexSyntaxError(`missing closing part: ${this.pattern}`);
    }
    this.#at += 1;
    return character;
  }

  /** Consumes an ASCII text if it comes next. @returns whether it did. */
  skip(text: string): boolean {
    for (let i = 0; i < text.length; i += 1) {
      if (this.peek(i) !== text[i]) {
        return false;
      }
    }
    this.#at += text.length;
    return true;
  }

  /** Consumes all characters up to and including a text. @throws RegexSyntaxError if it does not occur. */
  until(end: string): string {
    let taken = "";
    while (!this.skip(end)) {
      taken += this.next();
    }
    return taken;
  }
}
