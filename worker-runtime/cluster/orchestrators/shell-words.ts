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
 * Splits a command into its words as a shell does, with both kinds of quotes and backslashes; nothing is expanded, and
 * operators are words.
 * @throws TensorFlowError INVALID_ARGUMENT if a quote is not closed.
 */
export function splitShellWords(command: string): string[] {
  return new ShellReader(command, /\s/, /$^/).commands.flat();
}

/**
 * The simple commands of a shell script or a command line, each as its words without quotes and comments. Nothing is
 * expanded: a variable stays as it is written.
 * @throws TensorFlowError INVALID_ARGUMENT if a quote is not closed.
 */
export function shellCommands(script: string): string[][] {
  return new ShellReader(script, /[^\S\n]/, /[\n;&|(){}]/).commands;
}

class ShellReader {
  readonly commands: string[][] = [];
  #words: string[] = [];
  #word: string | undefined;
  #quote = "";

  constructor(text: string, blank: RegExp, separator: RegExp) {
    for (let i = 0; i < text.length; i++) {
      const char = text[i] ?? "";
      const next = text[i + 1];
      if (char === "\\" && next !== undefined && this.#isEscaped(next)) {
        i += 1;
        // A line that ends in a backslash goes on.
        if (next !== "\n") this.#add(next);
      } else if (this.#quote !== "") {
        if (char === this.#quote) this.#quote = "";
        else this.#add(char);
      } else if (char === "'" || char === '"') {
        this.#quote = char;
        this.#add("");
      } else if (blank.test(char)) {
        this.#endWord();
      } else if (separator.test(char) && !this.#isInWord(char)) {
        this.#endCommand();
      } else if (char === "#" && this.#word === undefined && separator.test("\n")) {
        while (i + 1 < text.length && text[i + 1] !== "\n") i += 1;
      } else {
        this.#add(char);
      }
    }
    if (this.#quote !== "") throw invalidArgument(`The quote ${this.#quote} is not closed in: ${text}`);
    this.#endCommand();
  }

  /** In double quotes a backslash is itself before all but these; in single ones always. */
  #isEscaped(next: string): boolean {
    return this.#quote === "" || (this.#quote === '"' && /["\\$`\n]/.test(next));
  }

  /** Braces group commands only as words of their own: `${name}` and JSON without quotes are words. */
  #isInWord(char: string): boolean {
    return (char === "{" || char === "}") && this.#word !== undefined;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? "") + text;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
  }
}
