import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { inBackground } from "../faults.js";
import { startProgram } from "../programs/run-program.js";
import { statusCodeOf, TensorFlowError, unavailable } from "../protocol/status.js";
import { type LogLine, LogReader } from "./log-lines.js";
import { absoluteVariables } from "./own-variables.js";
import { compiledProgram, nodeCommand } from "./package-root.js";
import { START_FLAGS } from "./portable/v8-flags.js";
import { type WorkerMessage, workerMessageSchema } from "./worker-messages.js";

/** How long a worker may take to end by itself. */
const STOP_GRACE_MILLIS = 2_000;
/** Devices are made, and refused, within the first lines. */
const FIRST_LINES = 400;
const LAST_WORDS = 5;

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface WorkerProcessOptions {
  /** Flags of `tensordeck worker`. */
  readonly args: readonly string[];
  /** The content of the worker's standard input. */
  readonly input: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  /** Working folder, to which relative file names in graphs belong. */
  readonly cwd: string;
  /** The beginning of the command line: a program that becomes the worker, with its flags. Empty for none. */
  readonly commandPrefix: readonly string[];
  readonly onLog: ((line: LogLine) => void) | undefined;
}

type Serving = Extract<WorkerMessage, { kind: "serving" }>;

/** A `tensordeck worker` as a child of this process. The IPC channel between the two closes, and the child ends, with this one. */
export class WorkerProcess {
  /** Resolves when the worker accepts calls; rejects with its error, or when it ends before that. */
  readonly serving: Promise<Serving>;
  readonly exited: Promise<ServerExit>;
  /** The beginning of the log. */
  readonly firstLines: LogLine[] = [];
  private readonly lastLines: LogLine[] = [];
  private readonly child: ChildProcess;
  private readonly listeners = new Set<(line: LogLine) => void>();
  private ended = false;

  constructor({ args, input, env, cwd, commandPrefix, onLog }: WorkerProcessOptions) {
    if (onLog !== undefined) {
      this.listeners.add(onLog);
    }
    const node = nodeCommand();
    const own = [node.command, ...START_FLAGS, compiledProgram(), "worker", ...args];
    const [command = node.command, ...commandArgs] = [...commandPrefix, ...own];
    this.child = startProgram(command, commandArgs, {
      cwd,
      env: { ...process.env, ...absoluteVariables(), ...node.env, ...env },
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    });
    // A child that ends before it has read its input says why by other ways.
    this.child.stdin?.on("error", () => undefined);
    this.child.stdin?.end(input);
    this.readLog();
    this.exited = this.awaitExit();
    this.serving = this.awaitServing();
    this.serving.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  onLog(listener: (line: LogLine) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Whether the child keeps this process from ending. */
  keepAlive(yes: boolean): void {
    const handles = [this.child, this.child.channel, this.child.stdout, this.child.stderr];
    for (const handle of handles) {
      if (handle === this.child || handle instanceof Socket || (handle && "unref" in handle)) {
        const counted = handle as { ref(): void; unref(): void };
        if (yes) {
          counted.ref();
        } else {
          counted.unref();
        }
      }
    }
  }

  async stop(): Promise<void> {
    if (this.ended) {
      return;
    }
    this.keepAlive(true);
    // On Windows this is force already: there are no signals.
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), STOP_GRACE_MILLIS);
    try {
      await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  private readLog(): void {
    const take = (line: LogLine) => {
      if (this.firstLines.length < FIRST_LINES) {
        this.firstLines.push(line);
      }
      this.lastLines.push(line);
      if (this.lastLines.length > LAST_WORDS) {
        this.lastLines.shift();
      }
      for (const listener of this.listeners) {
        listener(line);
      }
    };
    const errors = new LogReader(take);
    this.child.stderr?.setEncoding("utf8");
    this.child.stderr?.on("data", (text: string) => errors.push(text)).on("end", () => errors.end());
    // Graphs may print to stdout; the line with the target is for people.
    const output = new LogReader((line) => {
      if (!/^target grpc:\/\/\S+$/.test(line.text)) {
        take(line);
      }
    });
    this.child.stdout?.setEncoding("utf8");
    this.child.stdout?.on("data", (text: string) => output.push(text)).on("end", () => output.end());
  }

  private awaitExit(): Promise<ServerExit> {
    return new Promise((resolve) => {
      const done = (exit: ServerExit) => {
        this.ended = true;
        resolve(exit);
      };
      this.child.once("error", (error) => {
        if (this.child.pid === undefined) {
          this.lastLines.push({ level: "error", text: error.message });
          done({ code: null, signal: null });
        }
      });
      // After "close" nothing more will be read.
      this.child.once("close", (code, signal) => done({ code, signal }));
    });
  }

  private awaitServing(): Promise<Serving> {
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      this.child.on("message", (received) => {
        const parsed = workerMessageSchema.safeParse(received);
        if (!parsed.success) {
          return;
        }
        if (parsed.data.kind === "serving") {
          resolve(parsed.data);
        } else {
          failure = new TensorFlowError(statusCodeOf(parsed.data.code), parsed.data.message);
        }
      });
      // Rejected only when the process is gone, so that its port is free again and its log complete.
      inBackground(this.exited.then((exit) => reject(failure ?? unavailable(this.endText(exit)))));
    });
  }

  private endText({ code, signal }: ServerExit): string {
    const how =
      signal === null
        ? code === null
          ? "could not be started"
          : `ended with code ${code}`
        : `was ended by ${signal}`;
    const words = this.lastLines.map(({ text }) => text).join("\n");
    return `The worker ${how} before it accepted calls.${words === "" ? "" : ` Its last words:\n${words}`}`;
  }
}
