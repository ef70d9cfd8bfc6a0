import { didYouMean } from "../graph/similar-names.js";
import type { DType } from "../protocol/dtype.js";
import { invalidArgument, notFound } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { type ColumnBuilder, columnBuilder } from "./column-builder.js";
import { BLANK, detectDialect, looksLikeHeader } from "./csv-dialect.js";
import { CsvScanner } from "./csv-scanner.js";
import { ElementError, isBoolText, isNumberText, isWholeText } from "./parse-element.js";
import { textEncoding } from "./text-encoding.js";

export interface CsvOptions {
  /** The name in the header or the 0-based index of the column to read; defaults to all columns. */
  readonly column?: string | number | undefined;
  /** Several columns instead, in this order: their values have shape [rows, columns]. */
  readonly columns?: readonly (string | number)[] | undefined;
  /** Defaults to the first of bool, int64, float32 and string that fits all values. */
  readonly dtype?: DType | undefined;
  /** Defaults to the one detected from the first lines. */
  readonly delimiter?: string | undefined;
  /** Whether the first row names the columns; by default detected from the first two rows. */
  readonly header?: boolean | undefined;
  /** Names the file in errors. */
  readonly name?: string | undefined;
}

const SAMPLE_CHARACTERS = 64 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;

/** Texts by which programs mark a missing value. */
const MISSING = new Set(["", "na", "n/a", "#n/a", "null", "none"]);

/** Collects texts until their common dtype is known. */
class UntypedBuilder implements ColumnBuilder {
  readonly #texts: string[] = [];

  push(text: string): void {
    this.#texts.push(text);
  }

  get length(): number {
    return this.#texts.length;
  }

  get dtype(): DType {
    if (this.#texts.every(isWholeText)) return "int64";
    if (this.#texts.every(isNumberText)) return "float32";
    return this.#texts.every(isBoolText) ? "bool" : "string";
  }

  finish(): ReturnType<ColumnBuilder["finish"]> {
    const builder = columnBuilder(this.dtype);
    for (const text of this.#texts) builder.push(text);
    return builder.finish();
  }
}

/** Reads CSV in pieces: call `write` for each, then `end`. */
class CsvReader {
  readonly #options: CsvOptions;
  readonly #name: string;
  readonly #values: ColumnBuilder;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #scanner: CsvScanner | undefined;
  #sample = "";
  #first: { readonly fields: readonly string[]; readonly line: number } | undefined;
  /** Known from the second row on; from the first, if it stands in a comment above. */
  #header: readonly string[] | undefined;
  #isBlankSeparated = false;
  /** Rows without any value since the last one with values: spreadsheets end tables with such. */
  #emptyRows: number[] = [];
  #decided = false;
  #columns: readonly number[] = [];
  #width = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#name = options.name ?? "data.csv";
    try {
      this.#values = options.dtype === undefined ? new UntypedBuilder() : columnBuilder(options.dtype);
    } catch (error) {
      throw error instanceof ElementError ? invalidArgument(`${error.message}.`) : error;
    }
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#text(this.#decode(bytes, true));
  }

  end(): Tensor {
    this.#text(this.#decode(new Uint8Array(0), false));
    this.#scannerOf().end();
    this.#decide(undefined);
    const { column, columns: several, dtype } = this.#options;
    const data = this.#values;
    const chosen = dtype ?? (data instanceof UntypedBuilder ? data.dtype : "string");
    const columns = this.#columns.length;
    const rows = data.length / columns;
    const isVector = several === undefined && (column !== undefined || columns === 1);
    const shape = isVector ? [rows] : [rows, columns];
    return new Tensor(chosen, shape, data.finish());
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    this.#decoder ??= new TextDecoder(textEncoding(bytes), { fatal: true });
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch (error) {
      throw invalidArgument(`"${this.#name}" is not text in UTF-8. Save it as CSV in UTF-8.`, {
        cause: error,
      });
    }
  }

  #text(text: string): void {
    if (this.#scanner === undefined) {
      this.#sample += text;
      if (this.#sample.length >= SAMPLE_CHARACTERS) this.#scannerOf();
    } else {
      this.#scanner.write(text);
    }
  }

  #scannerOf(): CsvScanner {
    if (this.#scanner === undefined) {
      const { delimiter, start, line, header } = detectDialect(this.#sample, this.#options.delimiter);
      this.#isBlankSeparated = delimiter === BLANK;
      this.#header = header;
      this.#scanner = new CsvScanner(delimiter, this.#name, (fields, at) => this.#row(fields, at), line);
      const rows = this.#sample.slice(start);
      this.#sample = "";
      this.#scanner.write(rows);
    }
    return this.#scanner;
  }

  #row(fields: readonly string[], line: number): void {
    if (this.#decided) {
      this.#take(fields, line);
    } else if (this.#first === undefined) {
      this.#first = { fields: [...fields], line };
    } else {
      this.#decide(fields);
      this.#take(fields, line);
    }
  }

  /** Decides whether there is a header, using the second row if any, and handles the first row accordingly. */
  #decide(second: readonly string[] | undefined): void {
    if (this.#decided) return;
    const first = this.#first;
    if (first === undefined) throw invalidArgument(`"${this.#name}" is empty: it has no rows.`);
    this.#decided = true;
    const { column, columns, dtype, header } = this.#options;
    const wanted = columns ?? (column === undefined ? undefined : [column]);
    this.#width = first.fields.length;
    const named = wanted?.some(
      (one) => typeof one === "string" && first.fields.some((field) => field.trim() === one.trim()),
    );
    const numbers = dtype !== undefined && dtype !== "string";
    const isAbove = this.#header !== undefined;
    if (!isAbove && (header ?? (named === true || looksLikeHeader(first.fields, second, numbers)))) {
      this.#header = headerOf(first.fields, second, this.#isBlankSeparated);
      this.#width = this.#header.length;
    }
    this.#columns =
      wanted?.map((one) => this.#columnIndex(one)) ??
      Array.from({ length: this.#width }, (_, index) => index);
    if (isAbove || this.#header === undefined) this.#take(first.fields, first.line);
  }

  #columnIndex(column: string | number): number {
    const names = this.#header;
    const named = typeof column === "string" ? (names?.indexOf(column.trim()) ?? -1) : -1;
    if (named >= 0) return named;
    const index = typeof column === "number" ? column : /^\d+$/.test(column) ? Number(column) : -1;
    if (Number.isInteger(index) && index >= 0 && index < this.#width) return index;
    const columns =
      names === undefined
        ? `It has no header; its columns are numbered 0 to ${this.#width - 1}.`
        : `Its columns are ${names.map((name) => JSON.stringify(name)).join(", ")}.`;
    const similar = typeof column === "string" && names !== undefined ? didYouMean(column, names) : "";
    throw notFound(`"${this.#name}" has no column ${JSON.stringify(column)}. ${columns}${similar}`);
  }

  #take(fields: readonly string[], line: number): void {
    if (fields.length !== this.#width) {
      throw invalidArgument(
        `"${this.#name}", line ${line}: ${fields.length} fields, but the first row has ${this.#width}.`,
      );
    }
    if (fields.length > 1 && fields.every((field) => field.trim() === "")) {
      this.#emptyRows.push(line);
      return;
    }
    const empty = this.#emptyRows.splice(0);
    for (const earlier of empty) this.#push([], earlier);
    this.#push(fields, line);
  }

  #push(fields: readonly string[], line: number): void {
    for (const index of this.#columns) {
      const text = fields[index] ?? "";
      try {
        this.#values.push(text);
      } catch (error) {
        if (!(error instanceof ElementError)) throw error;
        const reason = MISSING.has(text.trim().toLowerCase()) ? "the value is missing" : error.message;
        const name = this.#header?.[index];
        const where = name === undefined ? `column ${index}` : `column ${JSON.stringify(name)}`;
        throw invalidArgument(`"${this.#name}", line ${line}, ${where}: ${reason}.`, { cause: error });
      }
    }
  }
}

/** The names in a row; R's write.table leaves out that of the first column, which has the rows' own names. */
function headerOf(
  row: readonly string[],
  next: readonly string[] | undefined,
  isBlankSeparated: boolean,
): readonly string[] {
  const names = row.map((field) => field.trim());
  return isBlankSeparated && next?.length === names.length + 1 ? ["", ...names] : names;
}

/**
 * Reads CSV (RFC 4180; comma, semicolon, tab, bar or blanks; UTF-8 or UTF-16, with or without a byte order mark) as Excel,
 * numpy.savetxt, pandas and R write it: with `sep=;` or comments above the rows, and rows without values at the end.
 * @returns one column as shape [rows]; all columns as [rows, columns], or [rows] if there is only one
 * @throws TensorFlowError INVALID_ARGUMENT with line and column if a value is missing or not of the dtype;
 *   NOT_FOUND with the list of columns if the requested one does not exist
 */
export function readCsv(bytes: Uint8Array, options: CsvOptions = {}): Tensor {
  const reader = new CsvReader(options);
  // In pieces, because strings are limited to 512 MB.
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    reader.write(bytes.subarray(start, start + PIECE_BYTES));
  }
  return reader.end();
}

/** Like `readCsv`, for a stream: the whole text is never in memory. Errors of the stream are propagated. */
export async function readCsvStream(
  chunks: AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): Promise<Tensor> {
  const reader = new CsvReader(options);
  for await (const chunk of chunks) reader.write(chunk);
  return reader.end();
}

/**
 * The names of a table's columns, or their numbers if it has no header.
 * @param head the beginning of the file; its last line may be incomplete
 * @throws TensorFlowError INVALID_ARGUMENT if it has no rows or is no text
 */
export function csvColumns(head: Uint8Array, name = "data.csv"): string[] {
  const text = new TextDecoder(textEncoding(head)).decode(head);
  const { delimiter, start, header } = detectDialect(text);
  if (header !== undefined) return [...header];
  const rows: string[][] = [];
  const scanner = new CsvScanner(delimiter, name, (fields) => {
    if (rows.length < 2) rows.push([...fields]);
  });
  scanner.write(text.slice(start));
  if (rows.length < 2) scanner.end();
  const [first, second] = rows;
  if (first === undefined) throw invalidArgument(`"${name}" is empty: it has no rows.`);
  if (!looksLikeHeader(first, second, true)) return first.map((_, index) => String(index));
  return [...headerOf(first, second, delimiter === BLANK)];
}
