/** Prints the output of several tasks as one log, each line with its task in front. */
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import type { LogLine } from "../../api/cluster.js";

/** Colours of the 256-colour palette, readable on light and on dark ground. */
const colours = [33, 172, 35, 170, 136, 99, 37, 203];

export interface TerminalOptions {
  readonly tasks: readonly TaskName[];
  readonly timestamps: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether the outputs show colours. */
  readonly colours: boolean;
}

export class Terminal {
  readonly #options: TerminalOptions;
  readonly #prefixes: ReadonlyMap<string, string>;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const names = options.tasks.map(shortTaskText);
    const width = Math.max(0, ...names.map((name) => name.length));
    this.#prefixes = new Map(
      names.map((name, index) => {
        const text = `${name.padEnd(width)} | `;
        const colour = colours[index % colours.length];
        return [name, options.colours ? `\u001b[38;5;${colour}m${text}\u001b[0m` : text];
      }),
    );
  }

  /** A line of a task. The only task of a job is printed as if it ran in the terminal itself. */
  line(task: TaskName, { at, text }: LogLine, stream: "stdout" | "stderr"): void {
    const { tasks, timestamps, out, err } = this.#options;
    const prefix = tasks.length > 1 ? (this.#prefixes.get(shortTaskText(task)) ?? "") : "";
    const time = timestamps ? `${timeText(at)} ` : "";
    (stream === "stdout" ? out : err)(`${time}${prefix}${text}\n`);
  }

  /** Prints a message of Tensordeck itself. */
  notice(text: string): void {
    this.#options.err(`tensordeck: ${text}\n`);
  }
}

/** "14:02:13.482", local time. */
function timeText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const millis = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}
