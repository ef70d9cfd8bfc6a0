/**
 * Text from other machines, fit to be shown: without what moves the cursor of a terminal, turns the direction in which its
 * neighbours are read or takes no room, so that it cannot pretend to be something else.
 */

const LONGEST_NAME = 100;
/** As long as the longest line of a log, or an explanation with the last lines of one. */
const LONGEST_TEXT = 32_768;

/** Controls and formats, private-use and unassigned code points, separators of lines and paragraphs. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const UNPRINTABLE_IN_LINES = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu;

/** What stands on one line: a name, a version. Cut where it is too long; may come out empty. */
export function printableName(text: string, longest = LONGEST_NAME): string {
  return text.slice(0, longest).replace(UNPRINTABLE, "").trim();
}

/** What may have several lines and tabs: an explanation, a line of a log, a script to look at. */
export function printableText(text: string, longest = LONGEST_TEXT): string {
  return text.slice(0, longest).replace(UNPRINTABLE_IN_LINES, "");
}
