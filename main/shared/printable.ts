/**
 * Makes text from other machines safe to display: removes characters that move the cursor of a terminal, change the
 * reading direction or have no width, so that it cannot pretend to be something else.
 */

const LONGEST_NAME = 100;
/** The longest line of a log, or an explanation with the last lines of one. */
const LONGEST_TEXT = 32_768;

/** Controls and formats, private-use and unassigned code points, separators of lines and paragraphs. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const UNPRINTABLE_IN_LINES = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu;

/** Text of one line, such as a name or a version. Truncated if too long; the result may be empty. */
export function printableName(text: string, longest = LONGEST_NAME): string {
  return text.slice(0, longest).replace(UNPRINTABLE, "").trim();
}

/** Text that may have several lines and tabs: an explanation, a line of a log, a script to review. */
export function printableText(text: string, longest = LONGEST_TEXT): string {
  return text.slice(0, longest).replace(UNPRINTABLE_IN_LINES, "");
}
