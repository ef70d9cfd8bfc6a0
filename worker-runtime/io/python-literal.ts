/** A value of the Python literals used in headers of .npy files. Tuples and lists are both arrays. */
export type PythonLiteral =
  | string
  | number
  | boolean
  | null
  | readonly PythonLiteral[]
  | ReadonlyMap<string, PythonLiteral>;

/** Deeper than any header; prevents a malicious file from exhausting the stack. */
const MAX_DEPTH = 32;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

class LiteralParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): PythonLiteral {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("the end");
    return value;
  }

  #fail(expected: string): never {
    const found = this.#text.slice(this.#at, this.#at + 12);
    throw new SyntaxError(
      `expected ${expected} at character ${this.#at + 1}, found ${found === "" ? "the end" : JSON.stringify(found)}`,
    );
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  /** Consumes `token` if it comes next. */
  #take(token: string): boolean {
    this.#space();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #value(depth: number): PythonLiteral {
    if (depth > MAX_DEPTH) this.#fail("less nesting");
    this.#space();
    const next = this.#text[this.#at];
    if (next === "'" || next === '"') return this.#string(next);
    if (this.#take("{")) return this.#dictionary(depth);
    if (this.#take("(")) return this.#sequence(")", depth);
    if (this.#take("[")) return this.#sequence("]", depth);
    if (this.#take("True")) return true;
    if (this.#take("False")) return false;
    if (this.#take("None")) return null;
    // Python 2 wrote long integers as 3L.
    const number = /^[+-]?\d+(?=L?)/.exec(this.#text.slice(this.#at, this.#at + 24))?.[0];
    if (number === undefined) this.#fail("a value");
    this.#at += number.length;
    if (this.#text[this.#at] === "L") this.#at += 1;
    return Number(number);
  }

  #string(quote: string): string {
    let result = "";
    this.#at += 1;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) this.#fail("the end of a string");
      this.#at += 1;
      if (char === quote) return result;
      if (char === "\\") {
        const escaped = ESCAPES[this.#text[this.#at] ?? ""];
        if (escaped === undefined) this.#fail("a known escape");
        result += escaped;
        this.#at += 1;
      } else {
        result += char;
      }
    }
  }

  #sequence(end: string, depth: number): PythonLiteral[] {
    const items: PythonLiteral[] = [];
    while (!this.#take(end)) {
      items.push(this.#value(depth + 1));
      if (!this.#take(",")) {
        if (this.#take(end)) return items;
        this.#fail(`"," or "${end}"`);
      }
    }
    return items;
  }

  #dictionary(depth: number): ReadonlyMap<string, PythonLiteral> {
    const entries = new Map<string, PythonLiteral>();
    while (!this.#take("}")) {
      const key = this.#value(depth + 1);
      if (typeof key !== "string") this.#fail("a string as key");
      if (!this.#take(":")) this.#fail('":"');
      entries.set(key, this.#value(depth + 1));
      if (!this.#take(",")) {
        if (this.#take("}")) return entries;
        this.#fail('"," or "}"');
      }
    }
    return entries;
  }
}

/**
 * Parses strings, integers, True, False, None, tuples, lists and dictionaries with string keys; evaluates nothing.
 * @throws SyntaxError with what was expected and where
 */
export function parsePythonLiteral(text: string): PythonLiteral {
  return new LiteralParser(text).whole();
}
