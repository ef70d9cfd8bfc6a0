import { isWord } from "./code-point-sets.js";
import { RegexParser } from "./parser.js";
import { compileProgram, type Program } from "./program.js";
import type { Assertion } from "./syntax.js";

/** Begin and end of the match, then of each group, as indexes in the text; -1 for a group that took no part. */
export type Match = readonly number[];

/** Where a match must lie. */
type Anchor = "anywhere" | "whole";

/** Threads of one step, in order of preference. */
class ThreadList {
  readonly #seen: Uint32Array;
  #step = 0;
  readonly threads: { readonly at: number; readonly captures: readonly number[] }[] = [];

  constructor(size: number) {
    this.#seen = new Uint32Array(size);
  }

  /** Begins a new step. */
  clear(): void {
    this.#step += 1;
    this.threads.length = 0;
  }

  /** True the first time that a step reaches an instruction. */
  enter(at: number): boolean {
    const fresh = this.#seen[at] !== this.#step;
    this.#seen[at] = this.#step;
    return fresh;
  }
}

/**
 * A pattern in RE2's syntax. Matching time is proportional to text length times pattern length for every pattern: all
 * alternatives are followed at once (Pike's algorithm). Of several matches, the one that Perl would find is returned.
 *
 * Not re2js (2.10), which is three to four times as fast on most patterns and takes twice as long for nested repetitions:
 * it rejects a name that two groups have, which TensorFlow accepts, and its patterns match bytes that are not valid UTF-8.
 * Neither has `\\C`.
 */
export class Regex {
  readonly #program: Program;
  readonly groups: number;

  /** @throws RegexSyntaxError */
  constructor(pattern: string) {
    const { root, groups } = new RegexParser(pattern).parse();
    this.#program = compileProgram(root);
    this.groups = groups;
  }

  /** True if the whole text matches. @param text code points; nothing matches numbers beyond these. */
  matchesWhole(text: readonly number[]): boolean {
    return this.#run(text, 0, "whole") !== undefined;
  }

  /** The first match that begins at `from` or later. @param text code points. */
  find(text: readonly number[], from = 0): Match | undefined {
    return this.#run(text, from, "anywhere");
  }

  #run(text: readonly number[], from: number, anchor: Anchor): Match | undefined {
    const { instructions, start } = this.#program;
    let current = new ThreadList(instructions.length);
    let following = new ThreadList(instructions.length);
    const noCaptures = new Array<number>(2 * (this.groups + 1)).fill(-1);
    let found: readonly number[] | undefined;
    current.clear();
    for (let index = from; ; index += 1) {
      if (found === undefined && (anchor === "anywhere" || index === from)) {
        this.#follow(current, start, noCaptures, text, index);
      }
      if (current.threads.length === 0 && (found !== undefined || anchor === "whole")) {
        return found;
      }
      following.clear();
      const codePoint = text[index];
      for (const { at, captures } of current.threads) {
        const instruction = instructions[at];
        if (instruction?.op === "match") {
          if (anchor === "whole" && index < text.length) {
            continue;
          }
          found = captures;
          // The remaining threads have a lower preference.
          break;
        }
        const isCodePoint = codePoint !== undefined && codePoint <= LAST_CODE_POINT;
        if (instruction?.op === "test" && isCodePoint && instruction.test(codePoint)) {
          this.#follow(following, instruction.next, captures, text, index + 1);
        }
      }
      if (codePoint === undefined) {
        return found;
      }
      [current, following] = [following, current];
    }
  }

  /** Adds the threads that an instruction reaches without consuming a code point. */
  #follow(
    list: ThreadList,
    first: number,
    firstCaptures: readonly number[],
    text: readonly number[],
    index: number,
  ): void {
    const stack: { at: number; captures: readonly number[] }[] = [{ at: first, captures: firstCaptures }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { at, captures } = top;
      if (!list.enter(at)) {
        continue;
      }
      const instruction = this.#program.instructions[at];
      switch (instruction?.op) {
        case "split":
          stack.push({ at: instruction.other, captures }, { at: instruction.next, captures });
          break;
        case "save": {
          const saved = captures.slice();
          saved[instruction.slot] = index;
          stack.push({ at: instruction.next, captures: saved });
          break;
        }
        case "assert":
          if (holds(instruction.assertion, text, index)) {
            stack.push({ at: instruction.next, captures });
          }
          break;
        default:
          list.threads.push(top);
      }
    }
  }
}

const newline = 10;
const LAST_CODE_POINT = 0x10ffff;

function holds(assertion: Assertion, text: readonly number[], index: number): boolean {
  const before = text[index - 1];
  const after = text[index];
  const edge = (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after));
  switch (assertion) {
    case "text-start":
      return index === 0;
    case "text-end":
      return index === text.length;
    case "line-start":
      return before === undefined || before === newline;
    case "line-end":
      return after === undefined || after === newline;
    case "word-edge":
      return edge;
    case "no-word-edge":
      return !edge;
  }
}
