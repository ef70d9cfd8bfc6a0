/** Splits the output of a script into lines. */
import { StringDecoder } from "node:string_decoder";

/** A line that is longer is passed on in pieces: a script that never ends one must not fill the memory. */
const MOST_CHARACTERS = 8192;
/** How often a line that is drawn again and again, like a progress bar, is passed on. */
const REDRAWN_MILLIS = 1000;

/**
 * One stream of a process. A carriage return ends a line that the next one replaces on a terminal (tqdm, pip): of
 * these one in a second is passed on, and the last.
 */
export class OutputLines {
  readonly #onLine: (text: string) => void;
  readonly #now: () => number;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #redrawn: string | undefined;
  #redrawnAt = Number.NEGATIVE_INFINITY;

  constructor(onLine: (text: string) => void, now: () => number = () => performance.now()) {
    this.#onLine = onLine;
    this.#now = now;
  }

  push(bytes: Buffer): void {
    this.#take(this.#decoder.write(bytes));
  }

  /** The stream has ended. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
    this.#flushRedrawn();
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split(/(\r?\n|\r(?!\n))/);
    this.#rest = parts.pop() ?? "";
    // A carriage return at the end may be the first half of a line break.
    const last = parts.at(-1);
    if (last === "\r" && this.#rest === "") this.#rest = parts.splice(-2).join("");
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const line = parts[i] ?? "";
      if (parts[i + 1] === "\r") this.#redraw(line);
      else this.#line(line);
    }
    while (this.#rest.length > MOST_CHARACTERS) {
      this.#line(this.#rest.slice(0, MOST_CHARACTERS));
      this.#rest = this.#rest.slice(MOST_CHARACTERS);
    }
  }

  #line(text: string): void {
    // On a terminal it would be replaced by what is drawn over it.
    if (text === "") this.#flushRedrawn();
    this.#redrawn = undefined;
    const kept = text.trimEnd();
    if (kept !== "") this.#onLine(kept);
  }

  #redraw(text: string): void {
    if (text.trim() === "") return;
    this.#redrawn = text.trimEnd();
    if (this.#now() - this.#redrawnAt < REDRAWN_MILLIS) return;
    this.#redrawnAt = this.#now();
    this.#flushRedrawn();
  }

  #flushRedrawn(): void {
    if (this.#redrawn !== undefined) this.#onLine(this.#redrawn);
    this.#redrawn = undefined;
  }
}
