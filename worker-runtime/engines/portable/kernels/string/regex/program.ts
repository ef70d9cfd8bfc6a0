import { type Assertion, type CodePointTest, type RegexNode, RegexSyntaxError } from "./syntax.js";

/** An instruction of the matcher; `next` and the others are indexes in the program. */
export type Instruction =
  | { readonly op: "test"; readonly test: CodePointTest; next: number }
  | { readonly op: "assert"; readonly assertion: Assertion; next: number }
  /** Continues at both indexes; matches from the first one are preferred. */
  | { readonly op: "split"; next: number; other: number }
  | { readonly op: "save"; readonly slot: number; next: number }
  | { readonly op: "match" };

/** Counted repetitions are expanded; a pattern that becomes longer than this is rejected. */
const MAX_INSTRUCTIONS = 20_000;

/** A pattern as a program: it runs from its last instruction. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** Compiles a pattern's tree, from its end to its beginning. @throws RegexSyntaxError if it is too large. */
export function compileProgram(root: RegexNode): Program {
  const instructions: Instruction[] = [];
  const add = (instruction: Instruction): number => {
    if (instructions.length >= MAX_INSTRUCTIONS) {
      throw new RegexSyntaxError("pattern too large - compile failed");
    }
    instructions.push(instruction);
    return instructions.length - 1;
  };
  const split = (preferred: number, other: number, greedy: boolean): number =>
    add(greedy ? { op: "split", next: preferred, other } : { op: "split", next: other, other: preferred });

  /** @returns the index where the node begins if `next` follows it. */
  const emit = (node: RegexNode, next: number): number => {
    switch (node.kind) {
      case "empty":
        return next;
      case "test":
        return add({ op: "test", test: node.test, next });
      case "assert":
        return add({ op: "assert", assertion: node.assertion, next });
      case "sequence":
        return node.parts.reduceRight((following, part) => emit(part, following), next);
      case "choice":
        return node.options
          .map((option) => emit(option, next))
          .reduceRight((other, option) => add({ op: "split", next: option, other }));
      case "group": {
        const end = add({ op: "save", slot: 2 * node.index + 1, next });
        return add({ op: "save", slot: 2 * node.index, next: emit(node.inner, end) });
      }
      case "repeat":
        return emitRepeat(node, next);
    }
  };

  const emitRepeat = (node: RegexNode & { readonly kind: "repeat" }, next: number): number => {
    let start = next;
    if (node.max === Infinity) {
      // A loop: the split is created first; its index is filled in after the body.
      const loop: Instruction & { op: "split" } = { op: "split", next: 0, other: 0 };
      const at = add(loop);
      const body = emit(node.inner, at);
      [loop.next, loop.other] = node.greedy ? [body, next] : [next, body];
      start = at;
    } else {
      for (let count = node.min; count < node.max; count += 1) {
        start = split(emit(node.inner, start), next, node.greedy);
      }
    }
    for (let count = 0; count < node.min; count += 1) {
      start = emit(node.inner, start);
    }
    return start;
  };

  const match = add({ op: "match" });
  const end = add({ op: "save", slot: 1, next: match });
  const start = add({ op: "save", slot: 0, next: emit(root, end) });
  return { instructions, start };
}
