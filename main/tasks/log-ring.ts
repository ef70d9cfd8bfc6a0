import type { LogLine } from "../api/cluster.js";

/** The output of a task, newest last; of a very talkative task only the last lines are kept. */
export const LOG_CAPACITY_LINES = 5000;
/** Some libraries print whole graphs in one line; nobody reads more of it in a log. */
const MAX_LINE_CHARACTERS = 8192;
/** Limit on the memory of one task's lines, however long they are. */
const MAX_CHARACTERS = 4 << 20;

export class LogRing {
  readonly #capacity: number;
  #lines: LogLine[] = [];
  #characters = 0;
  #nextSequence = 0;

  constructor(capacity = LOG_CAPACITY_LINES) {
    this.#capacity = capacity;
  }

  append(level: LogLine["level"], text: string, at = Date.now()): LogLine {
    const short = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)} …` : text;
    const line = { sequence: this.#nextSequence++, at, level, text: short };
    this.#lines.push(line);
    this.#characters += short.length;
    // Dropping in blocks keeps an append cheap on average.
    if (this.#lines.length >= this.#capacity * 2) this.#keepFrom(this.#lines.length - this.#capacity);
    if (this.#characters >= MAX_CHARACTERS * 2) this.#keepFrom(this.#firstWithin(MAX_CHARACTERS));
    return line;
  }

  /** The lines after a sequence number; -1 for all stored lines. */
  after(sequence: number): LogLine[] {
    return this.#lines.slice(-this.#capacity).filter((line) => line.sequence > sequence);
  }

  last(count: number): LogLine[] {
    return count === 0 ? [] : this.#lines.slice(-count);
  }

  #keepFrom(first: number): void {
    this.#lines = this.#lines.slice(first);
    this.#characters = this.#lines.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Index of the first of the newest lines that have at most the given number of characters. */
  #firstWithin(characters: number): number {
    let held = 0;
    return (
      this.#lines.findLastIndex(({ text }) => {
        held += text.length;
        return held > characters;
      }) + 1
    );
  }
}

/** "2026-01-31 12:00:00.000000: W tensorflow/…", "W0000 00:00:1700000000.123456  4242 file.cc:12] …" */
const tensorFlowLevel = /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: ([IWEF])|([IWEF])\d{4} [\d:. ]+) /;

/** The level of a line as TensorFlow's loggers mark it; lines of other origin count as information. */
export function levelOfLine(text: string): LogLine["level"] {
  const match = tensorFlowLevel.exec(text);
  const letter = match?.[1] ?? match?.[2];
  if (letter === "W") return "warning";
  return letter === "E" || letter === "F" ? "error" : "info";
}
