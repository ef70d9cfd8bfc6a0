import { isNumberText } from "./parse-element.js";

const CANDIDATES = [",", ";", "\t", "|"] as const;
/** Several of them count as one. */
export const BLANK = " ";
const SAMPLE_LINES = 20;

/** The number of unquoted delimiters in each line. */
function countsPerLine(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let count = 0;
  let quoted = false;
  let begun = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (!quoted && (char === "\n" || char === "\r")) {
      if (begun) counts.push(count);
      if (counts.length >= SAMPLE_LINES) return counts;
      count = 0;
      begun = false;
      continue;
    }
    begun = true;
    if (!quoted && char === delimiter) count += 1;
  }
  if (begun) counts.push(count);
  return counts;
}

/** Fields of a line with blanks between them, whose quotes hold blanks. */
function blankSeparated(line: string): string[] {
  return line.match(/"[^"]*"|\S+/g) ?? [];
}

/** True if the first lines are numbers with blanks between them, below a header of words at most. */
function isBlankSeparated(sample: string): boolean {
  const lines = sample.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  const rows = lines.slice(lines.length > 1 ? 1 : 0, SAMPLE_LINES).map(blankSeparated);
  const width = rows[0]?.length ?? 0;
  return (
    width > 1 &&
    rows.every(
      (row) =>
        row.length === width &&
        row.some(isNumberText) &&
        row.every((field) => isNumberText(field) || field.startsWith('"') || field === "NA"),
    )
  );
}

/**
 * Detects the delimiter of CSV text: whichever of comma, semicolon, tab and bar occurs equally often in the first
 * lines; of several, the most frequent. If there is none, a blank between numbers, else a comma, as in a file with one column.
 */
export function detectDelimiter(sample: string): string {
  let best: string | undefined;
  let bestScore = 0;
  for (const delimiter of CANDIDATES) {
    const counts = countsPerLine(sample, delimiter);
    const first = counts[0] ?? 0;
    if (first === 0) continue;
    const alike = counts.filter((count) => count === first).length / counts.length;
    // Equal counts weigh more than frequency: decimal commas are also frequent.
    const score = alike * 1000 + Math.min(first, 100);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best ?? (isBlankSeparated(sample) ? BLANK : ",");
}

/** How a table is written, and what stands above its rows. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Where the rows begin: characters, and the line, from 1. */
  readonly start: number;
  readonly line: number;
  /** The names of the columns in a comment above the rows, as numpy.savetxt writes them. */
  readonly header: readonly string[] | undefined;
}

/**
 * Finds the delimiter, Excel's `sep=;` in the first line, and comments above the rows (lines that begin with #, before a
 * row with a number).
 *
 * @param sample the beginning of the text
 * @param given the delimiter, if it is known
 */
export function detectDialect(sample: string, given?: string): CsvDialect {
  const [separator = "", chosen] = /^sep=([^\r\n])(?:\r\n|\n|\r)/i.exec(sample) ?? [];
  const top = { start: separator.length, line: separator === "" ? 1 : 2 };
  const { start, line, comment } = skipComments(sample, top.start, top.line);
  const rows = sample.slice(start);
  const delimiter = given ?? chosen ?? detectDelimiter(rows);
  const [first = ""] = rows.split(/[\r\n]/, 1);
  const values = fieldsOf(first, delimiter);
  if (comment === undefined || !values.some(isNumberText)) {
    return {
      delimiter: given ?? chosen ?? detectDelimiter(sample.slice(top.start)),
      header: undefined,
      ...top,
    };
  }
  const names = fieldsOf(comment.replace(/^#+\s*/, ""), delimiter);
  return { delimiter, start, line, header: names.length === values.length ? names : undefined };
}

/** The place behind the comments that begin at `start`, and the last of them; a column may be named # as well. */
function skipComments(sample: string, start: number, line: number) {
  const comment = /#(?![,;\t|])[^\r\n]*(?:\r\n|\n|\r)/y;
  comment.lastIndex = start;
  let last: string | undefined;
  let end = start;
  let lines = line;
  for (let found = comment.exec(sample); found; found = comment.exec(sample)) {
    [last] = found;
    end = comment.lastIndex;
    lines += 1;
  }
  return { start: end, line: lines, comment: last };
}

function fieldsOf(line: string, delimiter: string): string[] {
  const fields = delimiter === BLANK ? blankSeparated(line) : line.split(delimiter);
  return fields.map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
}

/**
 * Whether the first row names the columns: if none of its fields is a number, and either numbers are expected or the
 * second row has some. Rows of words only are ambiguous and count as values.
 */
export function looksLikeHeader(
  first: readonly string[],
  second: readonly string[] | undefined,
  numbersWanted: boolean,
): boolean {
  if (first.some(isNumberText) || first.every((field) => field.trim() === "")) return false;
  return numbersWanted || (second?.some(isNumberText) ?? false);
}
