/**
 * Values as the user types them: `3`, `[1, 2.5]`, `[[1, 2], [3, 4]]`, `true`, `nan`, `"words"`, `1+2j`.
 * The parser is independent of dtypes; leaves stay text until they are parsed for a dtype.
 */
import { texts } from "../texts/texts.js";

const words = texts.document.literal;

export interface Leaf {
  readonly text: string;
  readonly quoted: boolean;
}

export interface Literal {
  readonly shape: readonly number[];
  /** In row-major order. */
  readonly leaves: readonly Leaf[];
}

export class LiteralError extends Error {
  override readonly name = "LiteralError";
}

/** @throws LiteralError with the position of the syntax error */
export function parseLiteral(text: string): Literal {
  const reader = new Reader(text.trim());
  const literal = reader.value();
  reader.end();
  return literal;
}

class Reader {
  #at = 0;
  constructor(readonly text: string) {}

  value(): Literal {
    this.#skipSpace();
    if (this.text[this.#at] === "[" || this.text[this.#at] === "(") return this.#list();
    return { shape: [], leaves: [this.#leaf()] };
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.text.length) {
      throw new LiteralError(words.moreText({ rest: this.text.slice(this.#at, this.#at + 12) }));
    }
  }

  #list(): Literal {
    const close = this.text[this.#at] === "[" ? "]" : ")";
    this.#at++;
    const items: Literal[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.text.length) throw new LiteralError(words.openList({ close }));
      if (this.text[this.#at] === close) break;
      items.push(this.value());
      this.#skipSpace();
      const next = this.text[this.#at];
      if (next === ",") this.#at++;
      else if (next !== undefined && next !== close) {
        throw new LiteralError(words.expected({ close, item: items.length }));
      }
    }
    this.#at++;
    const inner = items[0]?.shape ?? [];
    const odd = items.findIndex(({ shape }) => shape.join() !== inner.join());
    if (odd >= 0) {
      throw new LiteralError(
        words.rowsDiffer({ first: inner.join(), item: odd + 1, other: items[odd]?.shape.join() ?? "" }),
      );
    }
    return { shape: [items.length, ...inner], leaves: items.flatMap(({ leaves }) => leaves) };
  }

  #leaf(): Leaf {
    const quote = this.text[this.#at];
    if (quote === '"' || quote === "'") return this.#quoted(quote);
    const start = this.#at;
    while (this.#at < this.text.length && !/[,[\]()]/.test(this.text[this.#at] ?? "")) this.#at++;
    const text = this.text.slice(start, this.#at).trim();
    if (text === "") throw new LiteralError(words.missing);
    return { text, quoted: false };
  }

  #quoted(quote: string): Leaf {
    let text = "";
    for (this.#at++; this.#at < this.text.length; this.#at++) {
      const letter = this.text[this.#at] ?? "";
      if (letter === quote) {
        this.#at++;
        return { text, quoted: true };
      }
      if (letter !== "\\") {
        text += letter;
        continue;
      }
      this.#at++;
      const escaped = this.text[this.#at] ?? "";
      text += { n: "\n", t: "\t", r: "\r", 0: "\0" }[escaped] ?? escaped;
    }
    throw new LiteralError(words.openText({ quote }));
  }

  #skipSpace(): void {
    while (/\s/.test(this.text[this.#at] ?? "")) this.#at++;
  }
}
