/** Parts that measurements share: their interface, statistics and the table. */

/** Which of the two is wanted to be smaller: a time or a size, or a rate. */
export type Better = "lower" | "higher";

/** The limit of a ratio of ours to theirs, or of ours alone. */
export interface Target {
  readonly better: Better;
  /** To be reached. */
  readonly goal: number;
  /** Required at least: the highest of times, the lowest of rates. */
  readonly limit: number;
  /** "ours" if goal and limit are not ratios, but have the row's unit. */
  readonly of?: "ours";
}

export interface Row {
  readonly what: string;
  readonly unit: string;
  /** Undefined where it could not be measured. */
  readonly ours: number | undefined;
  readonly theirs: number | undefined;
  /** The subject of `theirs`, if not Python. */
  readonly theirName?: string;
  readonly target?: Target | undefined;
  /** The goal where there is nothing to compare with; with a target, more about what was measured. */
  readonly note?: string;
  /** Why there is nothing to measure on this machine, which is no failure. */
  readonly lack?: string;
}

export interface RunContext {
  /** Those of the measurement's lines that are wanted; all unless given. */
  readonly lines: readonly string[] | undefined;
  /** Shows what is being done. */
  progress(text: string): void;
}

/** A measurement: says what it does, and gives rows for the table. */
export interface Measurement {
  readonly name: string;
  /** The parts that can be measured alone, as "portable/mlp". */
  readonly lines?: readonly string[];
  /** A row without ours has failed, unless it says what this machine lacks. */
  run(context: RunContext): Promise<readonly Row[]>;
}

/** The value below which `share` of the values lie, between neighbours in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = (sorted.length - 1) * share;
  const low = sorted[Math.floor(index)] ?? Number.NaN;
  const high = sorted[Math.ceil(index)] ?? low;
  return low + (high - low) * (index - Math.floor(index));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** Whether something was to be measured and could not be. */
export const hasFailed = ({ ours, lack }: Row): boolean => ours === undefined && lack === undefined;

/** Ours as a multiple of theirs. */
function ratio({ ours, theirs }: Row): number | undefined {
  return ours === undefined || theirs === undefined ? undefined : ours / theirs;
}

function reaches(value: number, wanted: number, better: Better): boolean {
  return better === "lower" ? value <= wanted : value >= wanted;
}

/** The ratio of a row and what is wanted of it, as cells. */
function verdict(row: Row): [ratio: string, goal: string, limit: string, reached: string] {
  const { target, theirName, lack } = row;
  const times = ratio(row);
  const text = times === undefined ? "-" : times.toFixed(2);
  const note =
    lack ?? [row.note ?? [], theirName === undefined ? [] : `compared with ${theirName}`].flat().join(", ");
  if (target === undefined) return [text, "", "", note];
  const { better, goal, limit, of } = target;
  const sign = better === "lower" ? "<=" : ">=";
  const value = of === "ours" ? row.ours : times;
  const wanted = (bound: number) =>
    of === "ours" ? `${sign} ${number(bound)} ${row.unit}` : `${sign} ${bound.toFixed(2)}`;
  const reached =
    value === undefined
      ? "failed"
      : reaches(value, goal, better)
        ? "goal"
        : reaches(value, limit, better)
          ? "limit"
          : "missed";
  const last = note === "" ? reached : `${reached} (${note})`;
  return [text, wanted(goal), wanted(limit), last];
}

const HEAD = ["measured", "unit", "Tensordeck", "Python", "ratio", "goal", "limit", "reached"];

function cellsOf(row: Row): string[] {
  return [row.what, row.unit, number(row.ours), number(row.theirs), ...verdict(row)];
}

/** A row in one line, for progress. */
export function rowText(row: Row): string {
  const [what, unit, ours, theirs, times, goal, limit, reached] = cellsOf(row);
  if (row.lack !== undefined) return `${what}: ${row.lack}`;
  const wanted = goal === "" ? reached : `goal ${goal}, limit ${limit}: ${reached}`;
  return `${what}: ${ours} ${unit}, ${row.theirName ?? "Python"} ${theirs} ${unit}, ratio ${times} (${wanted})`;
}

/** The rows as a table of text. */
export function tableText(rows: readonly Row[]): string {
  const all = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...all.map((line) => (line[column] ?? "").length)));
  const text = all.map((line) =>
    line
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        return i < 2 || i === HEAD.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd(),
  );
  text.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return `${text.join("\n")}\n`;
}
