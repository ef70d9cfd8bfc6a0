/** Quoting for PowerShell. */
import { problem } from "./problems.js";

/** Characters that PowerShell treats as a single quotation mark; within a literal each is doubled. */
const QUOTES = /['\u2018\u2019\u201a\u201b]/g;

/**
 * Quotes a string as a literal.
 *
 * @throws ProblemError INVALID_ARGUMENT when it holds a line break or another control character.
 */
export function literal(text: string): string {
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)) {
    throw problem("INVALID_ARGUMENT", "A name with a control character cannot be used in a script.", {
      details: JSON.stringify(text),
    });
  }
  return `'${text.replace(QUOTES, "$&$&")}'`;
}

/** `'a', 'b'`, or `@()` for an empty list. */
export function literals(texts: readonly string[]): string {
  return texts.length === 0 ? "@()" : texts.map(literal).join(", ");
}
