/** True for the code points that one step of a pattern consumes. */
export type CodePointTest = (codePoint: number) => boolean;

/** A zero-width assertion: see the pattern syntax for ^, $, \A, \z, \b and \B. */
export type Assertion = "text-start" | "text-end" | "line-start" | "line-end" | "word-edge" | "no-word-edge";

/** A pattern as a tree. */
export type RegexNode =
  | { readonly kind: "empty" }
  | { readonly kind: "test"; readonly test: CodePointTest }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly options: readonly RegexNode[] }
  | { readonly kind: "group"; readonly index: number; readonly inner: RegexNode }
  | {
      readonly kind: "repeat";
      readonly inner: RegexNode;
      readonly min: number;
      /** Infinity for no limit. */
      readonly max: number;
      readonly greedy: boolean;
    };

/** Thrown for an invalid pattern. */
export class RegexSyntaxError extends Error {
  override readonly name = "RegexSyntaxError";
}
