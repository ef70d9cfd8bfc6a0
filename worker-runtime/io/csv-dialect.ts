import { isNumberText } from "./parse-element.js";

const CANDIDATES = [",", ";", "\t", "|"] as const;
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

/**
 * Detects the delimiter of CSV text: whichever of comma, semicolon, tab and bar occurs equally often in the first
 * lines; of several, the most frequent; a comma if there is none, as in a file with one column.
 */
export function detectDelimiter(sample: string): string {
  let best: string = ",";
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
  return best;
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
