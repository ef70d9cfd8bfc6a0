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

  /** The character that comes after `ahead` others; undefined behind the end. */
  peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead];
  }

  /** The next so many characters, fewer at the end. */
  peekText(length: number): string {
    return this.#characters.slice(this.#at, this.#at + length).join("");
  }

  /** Takes a character. @throws RegexSyntaxError at the end. */
  next(): string {
    const character = this.peek();
    if (character === undefined) {
      throw new RegexSyntaxError(`missing closing part: ${this.pattern}`);
    }
    this.#at += 1;
    return character;
  }

  /** Takes a text of ASCII characters where it comes next. @returns whether it did. */
  skip(text: string): boolean {
    for (let i = 0; i < text.length; i += 1) {
      if (this.peek(i) !== text[i]) {
        return false;
      }
    }
    this.#at += text.length;
    return true;
  }

  /** Takes all characters up to a text, and the text. @throws RegexSyntaxError where it never comes. */
  until(end: string): string {
    let taken = "";
    while (!this.skip(end)) {
      taken += this.next();
    }
    return taken;
  }
}
