/** Words of a POSIX shell. */
import { invalidArgument } from "../../protocol/status.js";

/** A word as a shell reads it back, in single quotes where it needs any. */
export function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command of several words. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/**
 * Splits a command into its words as a shell does, with both kinds of quotes and backslashes; nothing is expanded.
 * @throws TensorFlowError INVALID_ARGUMENT if a quote is not closed.
 */
export function splitShellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < command.length; i++) {
    const char = command[i] ?? "";
    if (quote === "'" && char !== "'") {
      word += char;
    } else if (char === "\\" && i + 1 < command.length) {
      i += 1;
      word = (word ?? "") + (command[i] ?? "");
    } else if (char === quote) {
      quote = "";
    } else if (quote === "" && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") throw invalidArgument(`The quote ${quote} is not closed in: ${command}`);
  return word === undefined ? words : [...words, word];
}
