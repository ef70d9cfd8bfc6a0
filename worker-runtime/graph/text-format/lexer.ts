import { TextFormatError } from "./text-format-error.js";

export type TokenKind = "end" | "identifier" | "number" | "string" | "symbol";

const NEWLINE = 10;
const HASH = 35;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BACKSLASH = 92;
const DOT = 46;
const PLUS = 43;
const MINUS = 45;
const UPPER_E = 69;
const LOWER_E = 101;
const BYTE_ORDER_MARK = 0xfeff;

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

function isIdentifierStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95;
}

function isSpace(c: number): boolean {
  return c === 32 || (c >= 9 && c <= 13);
}

/**
 * Splits a text into the tokens of protobuf's text format, one at a time. The current token is `kind` and the text
 * between `start` and `end`; lines and columns are only counted when an error needs them.
 */
export class Lexer {
  kind: TokenKind = "end";
  start = 0;
  end = 0;
  /** End of the token before the current one: where a missing token belongs. */
  previousEnd = 0;

  constructor(readonly text: string) {
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.end = 1;
    this.next();
  }

  /** The current token's text; empty at the end. */
  get token(): string {
    return this.text.slice(this.start, this.end);
  }

  /** Whether the current token is this symbol. */
  isSymbol(symbol: string): boolean {
    return this.kind === "symbol" && this.text[this.start] === symbol;
  }

  /** Consumes the symbol if it is the current token. */
  tryConsume(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.next();
    return true;
  }

  /** An error at the current token, or at a given offset. */
  error(message: string, offset = this.start): TextFormatError {
    let line = 1;
    let lineStart = 0;
    for (let i = this.text.indexOf("\n"); i >= 0 && i < offset; i = this.text.indexOf("\n", i + 1)) {
      line++;
      lineStart = i + 1;
    }
    return new TextFormatError(message, line, offset - lineStart + 1);
  }

  /** How an error message names the current token. */
  describe(): string {
    if (this.kind === "end") return "the end of the text";
    const token = this.token;
    if (this.kind === "string") return `the string ${token.length > 40 ? `${token.slice(0, 40)}…` : token}`;
    return `"${token.length > 40 ? `${token.slice(0, 40)}…` : token}"`;
  }

  /** Moves to the next token. */
  next(): void {
    this.previousEnd = this.end;
    const text = this.text;
    const length = text.length;
    let i = this.end;
    for (;;) {
      const c = text.charCodeAt(i);
      if (isSpace(c)) i++;
      else if (c === HASH) {
        const newline = text.indexOf("\n", i);
        i = newline < 0 ? length : newline + 1;
      } else break;
    }
    this.start = i;
    if (i >= length) {
      this.kind = "end";
      this.end = length;
      return;
    }
    const c = text.charCodeAt(i);
    if (isIdentifierStart(c)) {
      this.kind = "identifier";
      i++;
      while (i < length) {
        const d = text.charCodeAt(i);
        if (!isIdentifierStart(d) && !isDigit(d)) break;
        i++;
      }
      this.end = i;
    } else if (isDigit(c) || (c === DOT && isDigit(text.charCodeAt(i + 1)))) {
      this.kind = "number";
      this.end = this.#endOfNumber(i);
    } else if (c === DOUBLE_QUOTE || c === SINGLE_QUOTE) {
      this.kind = "string";
      this.end = this.#endOfString(i, c);
    } else {
      this.kind = "symbol";
      this.end = i + 1;
    }
  }

  #endOfNumber(start: number): number {
    const text = this.text;
    const hex = /^0[xX]/.test(text.slice(start, start + 2));
    let i = start + 1;
    while (i < text.length) {
      const c = text.charCodeAt(i);
      const before = text.charCodeAt(i - 1);
      const exponentSign = !hex && (c === PLUS || c === MINUS) && (before === UPPER_E || before === LOWER_E);
      if (!isDigit(c) && !isIdentifierStart(c) && c !== DOT && !exponentSign) break;
      i++;
    }
    return i;
  }

  #endOfString(start: number, quote: number): number {
    const text = this.text;
    for (let i = start + 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === quote) return i + 1;
      if (c === BACKSLASH) i++;
      else if (c === NEWLINE) break;
    }
    throw this.error(
      `this string has no closing ${quote === DOUBLE_QUOTE ? "double" : "single"} quote`,
      start,
    );
  }
}
