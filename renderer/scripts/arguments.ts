/** The arguments of a script as one line, with the quotes that shells have; pure. */

/** The arguments of a line: divided by spaces, unless they are quoted. */
export function splitArguments(line: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    const next = line[at + 1];
    const isEscaped = character === "\\" && quote !== "'" && (next === '"' || next === "\\" || next === "'");
    if (isEscaped) {
      current = (current ?? "") + next;
      at++;
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      current ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (current !== undefined) found.push(current);
      current = undefined;
    } else current = (current ?? "") + character;
  }
  return current === undefined ? found : [...found, current];
}

/** A line that `splitArguments` divides into the same arguments. */
export function joinArguments(args: readonly string[]): string {
  return args
    .map((arg) => (/^[^\s"'\\]+$/.test(arg) ? arg : `"${arg.replace(/(["\\])/g, "\\$1")}"`))
    .join(" ");
}
