import { invalidArgument } from "../protocol/status.js";

/** A flag of a command. Underscores and dashes in names are the same: --job_name is --job-name. */
export interface FlagSpec {
  /** With underscores, as TensorFlow's flags have them. */
  readonly name: string;
  /** The name of its value in the help, "HOST:PORT"; absent for an on/off flag. */
  readonly value?: string;
  /** One letter: "o" for -o. */
  readonly short?: string;
  /** One sentence. */
  readonly help: string;
  /** May be given more than once. */
  readonly repeated?: boolean;
}

export interface CommandSpec {
  /** "tensordeck worker". */
  readonly name: string;
  /** One sentence: what it does. */
  readonly summary: string;
  /** The positional arguments in the usage line, "FILE"; if absent, positional arguments are refused. */
  readonly positionals?: string;
  readonly flags: readonly FlagSpec[];
  /** Paragraphs and examples at the end of the help, printed verbatim. */
  readonly notes?: string;
}

export class ParsedArgs {
  constructor(
    private readonly values: ReadonlyMap<string, readonly string[]>,
    readonly positionals: readonly string[],
  ) {}

  /** True when an on/off flag is on. */
  has(name: string): boolean {
    return this.all(name).at(-1) === "true";
  }

  /** The value that was given last; undefined when the flag was not given. */
  get(name: string): string | undefined {
    return this.all(name).at(-1);
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  /**
   * A whole number.
   * @throws TensorFlowError INVALID_ARGUMENT when it is not one, or outside min and max.
   */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.get(name);
    if (text === undefined) {
      return undefined;
    }
    const value = Number(text);
    if (text.trim() === "" || !Number.isInteger(value) || value < min || value > max) {
      throw invalidArgument(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
    }
    return value;
  }
}

export const helpFlag: FlagSpec = { name: "help", help: "Show this and exit." };

/**
 * Reads `--flag=value`, `--flag value`, `--switch`, `--no-switch` and positional arguments; `--` ends the flags.
 * @throws TensorFlowError INVALID_ARGUMENT for an unknown flag (naming the nearest), a missing or needless value, or
 *   positional arguments where there are none.
 */
export function parseArgs(command: CommandSpec, args: readonly string[]): ParsedArgs {
  const flags = new Map([...command.flags, helpFlag].map((flag) => [flag.name, flag]));
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--") {
      positionals.push(...args.slice(i + 1));
      break;
    }
    if (arg === "-h") {
      values.set("help", ["true"]);
      continue;
    }
    const short = /^-[a-z]$/.test(arg) ? command.flags.find((flag) => flag.short === arg[1]) : undefined;
    if (short === undefined && !arg.startsWith("--")) {
      positionals.push(arg);
      continue;
    }
    const equals = arg.indexOf("=");
    const given = short?.name ?? (equals === -1 ? arg.slice(2) : arg.slice(2, equals));
    let value = equals === -1 ? undefined : arg.slice(equals + 1);
    const name = given.replaceAll("-", "_");
    const positive = name.startsWith("no_") ? flags.get(name.slice(3)) : undefined;
    const flag = flags.get(name) ?? (positive?.value === undefined ? positive : undefined);
    if (flag === undefined) {
      throw invalidArgument(unknownFlagText(command, given, [...flags.keys()]));
    }
    if (flag.value === undefined) {
      value = switchValue(flag, value, name !== flag.name);
    } else if (value === undefined) {
      i += 1;
      value = args[i];
      if (value === undefined || (value.startsWith("--") && value.length > 2)) {
        throw invalidArgument(`--${flag.name} needs a value: --${flag.name} ${flag.value}.`);
      }
    }
    const before = values.get(flag.name) ?? [];
    values.set(flag.name, flag.repeated === true ? [...before, value] : [value]);
  }
  const help = values.get("help")?.at(-1) === "true";
  if (command.positionals === undefined && positionals.length > 0 && !help) {
    throw invalidArgument(
      `${command.name} takes flags only, but was given "${positionals[0]}". See ${command.name} --help.`,
    );
  }
  return new ParsedArgs(values, positionals);
}

function switchValue(flag: FlagSpec, value: string | undefined, negated: boolean): string {
  if (value !== undefined && value !== "true" && value !== "false") {
    throw invalidArgument(`--${flag.name} takes no value, but was given "${value}".`);
  }
  return String((value ?? "true") === "true" ? !negated : negated);
}

function unknownFlagText(command: CommandSpec, given: string, names: readonly string[]): string {
  const near = nearest(given.replaceAll("-", "_"), names);
  const hint = near === undefined ? "" : ` Did you mean --${near}?`;
  return `${command.name} has no flag --${given}.${hint} See ${command.name} --help.`;
}

/** The name that is closest to what was typed, if one is close at all: at most a third of the letters differ. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(typed, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best !== undefined && least <= Math.max(2, Math.floor(best.length / 3)) ? best : undefined;
}

/** Levenshtein's distance: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const HELP_WIDTH = 96;

/** The help of a command: usage, summary, flags in two columns, notes. */
export function helpText(command: CommandSpec): string {
  const flags = [...command.flags, helpFlag];
  const labels = flags.map(({ name, value, short }) => {
    const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return `  ${names}${value === undefined ? "" : ` ${value}`}`;
  });
  const column = Math.min(34, Math.max(...labels.map((label) => label.length)) + 2);
  const lines = [
    `usage: ${command.name} [flags]${command.positionals === undefined ? "" : ` ${command.positionals}`}`,
    "",
    ...wrap(command.summary, HELP_WIDTH),
    "",
    "flags:",
  ];
  flags.forEach((flag, i) => {
    const label = labels[i] ?? "";
    const help = wrap(flag.help, HELP_WIDTH - column);
    if (label.length + 2 > column) {
      lines.push(label);
    } else {
      lines.push(label.padEnd(column) + (help.shift() ?? ""));
    }
    lines.push(...help.map((line) => " ".repeat(column) + line));
  });
  if (command.notes !== undefined) {
    lines.push("", command.notes.trim());
  }
  return `${lines.join("\n")}\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
