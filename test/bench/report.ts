/** What measurements have in common: statistics and the table. */

/** Which of the two is wanted to be smaller: a time or a size, or a rate. */
export type Better = "lower" | "higher";

export interface Row {
  readonly what: string;
  readonly unit: string;
  /** Undefined where it could not be measured. */
  readonly ours: number | undefined;
  readonly theirs: number | undefined;
  readonly better: Better;
  /** A fixed goal where there is nothing to compare with. */
  readonly goal?: string;
}

/** A measurement: says what it does, and gives rows for the table. */
export interface Measurement {
  readonly name: string;
  run(): Promise<readonly Row[]>;
}

/** The value below which `share` of the values lie, between neighbours in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** How many times better ours is: above 1 means faster or smaller. */
export function ratio({ ours, theirs, better }: Row): number | undefined {
  if (ours === undefined || theirs === undefined) return undefined;
  return better === "lower" ? theirs / ours : ours / theirs;
}

/** The rows as a table of text. */
export function tableText(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const times = ratio(row);
    const verdict = times === undefined ? (row.goal ?? "") : `${times.toFixed(2)}x`;
    return [row.what, row.unit, number(row.ours), number(row.theirs), verdict];
  });
  const all = [["measured", "unit", "Tensordeck", "Python", "better by"], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((line) => (line[column] ?? "").length)));
  const text = all.map((line) =>
    line
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  text.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return `${text.join("\n")}\n`;
}
