import { invalidArgument, resourceExhausted } from "../protocol/status.js";

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Ctrl+Z, with which DOS ends a text. */
const END_OF_TEXT = "\u001a";

/** True if the only field of a line is no value. */
const isNoValue = (field: string) => field.replace(END_OF_TEXT, "").trim() === "";

/** A field in progress is looked through again with each piece of text, and a quote that is never closed makes one of all. */
const MAX_FIELD_CHARACTERS = 8 * 2 ** 20;

/** Receives a row's fields. The array is reused for the next row. `line`, where the row begins, counts from 1. */
export type RowSink = (fields: readonly string[], line: number) => void;

/**
 * Splits CSV text into rows of fields, RFC 4180: fields may be quoted, and may then contain delimiters, line ends and
 * doubled quotes. Lines end with CRLF, LF or CR. Blank lines are skipped. Where the delimiter is a blank, several count as
 * one. Text comes in pieces of any size.
 */
export class CsvScanner {
  readonly #delimiter: number;
  readonly #row: RowSink;
  readonly #name: string;
  #rest = "";
  #fields: string[] = [];
  #line: number;
  #rowLine: number;
  /** The row has a quoted field, so that it is none that is skipped. */
  #hasQuotes = false;
  /** Whether a delimiter came last: one more field follows, empty if the text ends here. */
  #afterDelimiter = false;

  /** @param line that of the first row, from 1 */
  constructor(delimiter: string, name: string, row: RowSink, line = 1) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#line = line;
    this.#rowLine = line;
    this.#name = name;
    this.#row = row;
  }

  /**
   * Processes the next piece. Text after its last complete field is kept for the next call.
   * @throws TensorFlowError INVALID_ARGUMENT for a misplaced quote; RESOURCE_EXHAUSTED for a field of more than 8 Mi characters
   */
  write(text: string): void {
    this.#scan(this.#rest === "" ? text : this.#rest + text, false);
  }

  /** Ends the text. @throws TensorFlowError INVALID_ARGUMENT if a quote is still open */
  end(): void {
    this.#scan(this.#rest, true);
    if (this.#fields.length > 0) this.#endRow();
  }

  #scan(text: string, last: boolean): void {
    const delimiter = this.#delimiter;
    const length = text.length;
    let at = 0;
    while (at < length) {
      if (delimiter === SPACE) {
        while (text.charCodeAt(at) === SPACE) at += 1;
        if (at === length) break;
        const first = text.charCodeAt(at);
        if ((first === LF || first === CR) && this.#fields.length > 0) {
          if (first === CR && at + 1 === length && !last) break;
          at = this.#afterField(text, at);
          continue;
        }
      }
      if (text.charCodeAt(at) === QUOTE) {
        const next = this.#quotedField(text, at, last);
        if (next < 0) break;
        at = next;
        continue;
      }
      let end = at;
      let code = -1;
      for (; end < length; end += 1) {
        code = text.charCodeAt(end);
        if (code === delimiter || code === LF || code === CR) break;
      }
      if (end === length) {
        if (!last) break;
        code = -1;
      }
      // A CR at the end of a piece may be half of a CRLF.
      if (code === CR && end + 1 === length && !last) break;
      this.#fields.push(text.slice(at, end));
      at = this.#afterField(text, end);
    }
    this.#rest = last ? "" : text.slice(at);
    if (this.#rest.length > MAX_FIELD_CHARACTERS) {
      throw resourceExhausted(
        `"${this.#name}", line ${this.#line}: a field has more than ${MAX_FIELD_CHARACTERS} characters, the most that ` +
          "is read. Is the file a table, is its delimiter one of , ; tab and |, and is each quote closed?",
      );
    }
  }

  /** Reads a quoted field that begins at `start`; returns -1 if it is incomplete. */
  #quotedField(text: string, start: number, last: boolean): number {
    let from = start + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote < 0 || (quote + 1 === text.length && !last)) {
        if (last) {
          throw invalidArgument(
            `"${this.#name}", line ${this.#line}: a quote is opened here and never closed.`,
          );
        }
        return -1;
      }
      if (text.charCodeAt(quote + 1) === QUOTE) {
        from = quote + 2;
        continue;
      }
      const end = quote + 1;
      const code = text.charCodeAt(end);
      if (end < text.length && code !== this.#delimiter && code !== LF && code !== CR) {
        throw invalidArgument(
          `"${this.#name}", line ${this.#line}: a quoted field is followed by ${JSON.stringify(text.charAt(end))}. ` +
            'A quote inside a quoted field is written twice ("").',
        );
      }
      if (code === CR && end + 1 === text.length && !last) return -1;
      const content = text.slice(start + 1, quote);
      this.#hasQuotes = true;
      this.#fields.push(content.includes('"') ? content.replaceAll('""', '"') : content);
      for (let at = text.indexOf("\n", start); at >= 0 && at < quote; at = text.indexOf("\n", at + 1)) {
        this.#line += 1;
      }
      return this.#afterField(text, end);
    }
  }

  /** Consumes the delimiter or line end at `end`. */
  #afterField(text: string, end: number): number {
    const code = end < text.length ? text.charCodeAt(end) : LF;
    if (code === this.#delimiter) {
      this.#afterDelimiter = code !== SPACE;
      return end + 1;
    }
    this.#afterDelimiter = false;
    this.#endRow();
    this.#line += 1;
    this.#rowLine = this.#line;
    return code === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
  }

  #endRow(): void {
    if (this.#afterDelimiter) this.#fields.push("");
    this.#afterDelimiter = false;
    const fields = this.#fields;
    const isEmpty = fields.length === 1 && !this.#hasQuotes && isNoValue(fields[0] ?? "");
    if (!isEmpty) this.#row(fields, this.#rowLine);
    this.#hasQuotes = false;
    fields.length = 0;
  }
}
