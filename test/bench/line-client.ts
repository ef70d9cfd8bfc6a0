import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { environmentWithoutProxies } from "../support/processes.js";

/** How long a child may take to end once nothing more is asked. */
const EXIT_MILLIS = 5_000;
const KEPT_ERROR_CHARACTERS = 4_000;

/** A child process that writes one line of JSON for every line that it reads. It never outlives this process. */
export class LineClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #exited: Promise<void>;
  readonly #kill = () => this.#child.kill("SIGKILL");
  #errors = "";
  #hasExited = false;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { env: environmentWithoutProxies(), stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-KEPT_ERROR_CHARACTERS);
    });
    // That it has ended is seen when its output does.
    this.#child.stdin.on("error", () => undefined);
    this.#exited = new Promise((resolve) => {
      const exited = () => {
        this.#hasExited = true;
        process.off("exit", this.#kill);
        resolve();
      };
      this.#child.once("close", exited);
      this.#child.once("error", exited);
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    process.on("exit", this.#kill);
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Asks, and waits for the answer. @throws Error as `next`. */
  ask(request: unknown, deadlineMillis: number): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.next(deadlineMillis);
  }

  /**
   * The next line of the child.
   * @throws Error if it ends, with what it wrote to its standard error, or does not answer in time: it is ended then.
   */
  async next(deadlineMillis: number): Promise<Record<string, unknown>> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#kill();
    }, deadlineMillis);
    try {
      const { value, done } = await this.#lines.next();
      if (done === true) {
        await this.#exited;
        throw new Error(
          isLate
            ? `The client did not answer within ${deadlineMillis / 1000} s.`
            : `The client ended:\n${this.#errors}`,
        );
      }
      return JSON.parse(value) as Record<string, unknown>;
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(this.#kill, EXIT_MILLIS);
    await this.#exited;
    clearTimeout(timer);
  }
}
