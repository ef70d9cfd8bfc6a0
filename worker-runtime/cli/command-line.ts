/** The `tensordeck` command: finds the subcommand, and prints errors in a form that scripts can parse. */
import { packageVersion } from "../engines/package-root.js";
import { invalidArgument } from "../protocol/status.js";
import { nearest } from "./args.js";
import { failureText } from "./failure.js";

/** A subcommand: takes the arguments after its name, returns the exit code, throws TensorFlowError when it fails. */
export type Command = (args: readonly string[]) => Promise<number>;

export interface CommandEntry {
  /** One sentence for the help. */
  readonly summary: string;
  /** Loads it on demand: a worker needs none of the modules of `run`. */
  readonly load: () => Promise<Command>;
}

/** A page for users, which `tensordeck help NAME` prints. */
export interface Guide {
  readonly name: string;
  /** One sentence for the help. */
  readonly summary: string;
  readonly read: () => Promise<string>;
}

/** Subcommands by name, in the order of the help. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;

const graphCommands: CommandTable = {
  worker: {
    summary: "Start one task of a cluster: a server that any TensorFlow client can use.",
    load: async () => (await import("./worker.js")).runWorker,
  },
  run: {
    summary: "Run a graph from a file, here or on a cluster, and print the results.",
    load: async () => (await import("./run.js")).runCommand,
  },
  "export-model": {
    summary: "Write a trained graph as a SavedModel or a frozen graph, which stock TensorFlow loads.",
    load: async () => (await import("./export-model.js")).runExportModel,
  },
  health: {
    summary: "Check whether a task answers, for health checks of containers and services.",
    load: async () => (await import("./health.js")).runHealth,
  },
  runtime: {
    summary: "Show which TensorFlow runtimes this machine has, or install one.",
    load: async () => (await import("./runtime.js")).runRuntime,
  },
};

/**
 * Runs a command line to its end and sets the exit code of the process; never rejects for a user's mistake.
 *
 * @param more Subcommands besides those that create and run graphs, which need only this folder.
 * @param guides What `tensordeck help` knows besides the commands.
 */
export async function runCommandLine(
  args: readonly string[],
  more: CommandTable = {},
  guides: readonly Guide[] = [],
): Promise<void> {
  // A reader that stops reading, like `head`, is not a failure.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error & { code?: string }) => {
      if (error.code !== "EPIPE") {
        throw error;
      }
    });
  }
  try {
    process.exitCode = await dispatch(args, { ...graphCommands, ...more }, guides);
  } catch (error) {
    process.stderr.write(failureText(error));
    process.exitCode = 1;
  }
}

async function dispatch(
  args: readonly string[],
  commands: CommandTable,
  guides: readonly Guide[],
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    process.stdout.write(helpOf(commands, guides));
    // No command was given, which scripts have to notice.
    return name === undefined ? 1 : 0;
  }
  if (name === "--version") {
    process.stdout.write(`tensordeck ${packageVersion()}\n`);
    return 0;
  }
  const guide = name === "help" ? guides.find((one) => one.name === rest[0]) : undefined;
  if (guide !== undefined) {
    process.stdout.write(await guide.read());
    return 0;
  }
  if (name === "help") {
    return await dispatch([...rest, "--help"], commands, guides);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const near = nearest(name, [...Object.keys(commands), ...guides.map((one) => one.name)]);
    throw invalidArgument(
      `There is no command "${name}".${near === undefined ? "" : ` Did you mean ${near}?`} See tensordeck --help.`,
    );
  }
  return await (await command.load())(rest);
}

/** Lines of a name and what it is, one below the other. */
function columns(entries: readonly { readonly name: string; readonly summary: string }[]): string[] {
  const width = Math.max(0, ...entries.map(({ name }) => name.length)) + 2;
  return entries.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
}

function helpOf(commands: CommandTable, guides: readonly Guide[]): string {
  const lines = columns(Object.entries(commands).map(([name, { summary }]) => ({ name, summary })));
  const pages = columns(guides);
  const guideLines = pages.length === 0 ? "" : `\nguides (tensordeck help NAME):\n${pages.join("\n")}\n`;
  return `usage: tensordeck COMMAND [flags]

Builds, runs and serves distributed TensorFlow graphs.

commands:
${lines.join("\n")}
${guideLines}
  --help     Show this, or the help of a command: tensordeck worker --help
  --version  Show the version.
`;
}
