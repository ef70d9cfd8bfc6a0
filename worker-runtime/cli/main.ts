#!/usr/bin/env node
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../engines/package-root.js";
import { invalidArgument } from "../protocol/status.js";
import { nearest } from "./args.js";
import { failureText } from "./failure.js";

/** A subcommand: takes the arguments after its name, gives the exit code, throws TensorFlowError when it fails. */
type Command = (args: readonly string[]) => Promise<number>;

// Loaded when they are called: a worker needs none of what `run` does.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  worker: async () => (await import("./worker.js")).runWorker,
  run: async () => (await import("./run.js")).runCommand,
  runtime: async () => (await import("./runtime.js")).runRuntime,
};

const help = `usage: tensordeck COMMAND [flags]

Builds, runs and serves distributed TensorFlow graphs.

commands:
  worker     Start one task of a cluster: a server that any TensorFlow client can use.
  run        Run a graph from a file, here or on a cluster, and print what it gives.
  runtime    Show which TensorFlow runtimes this machine has, or install one.

  --help     Show this, or the help of a command: tensordeck worker --help
  --version  Show the version.
`;

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    process.stdout.write(help);
    // Nothing was asked for, and scripts are to notice.
    return name === undefined ? 1 : 0;
  }
  if (name === "--version") {
    process.stdout.write(`tensordeck ${version()}\n`);
    return 0;
  }
  if (name === "help") {
    return await main([...rest, "--help"]);
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    const near = nearest(name, Object.keys(commands));
    throw invalidArgument(
      `There is no command "${name}".${near === undefined ? "" : ` Did you mean ${near}?`} See tensordeck --help.`,
    );
  }
  return await (await load())(rest);
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}

// A reader that stops reading, as `head` does, is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: Error & { code?: string }) => {
    if (error.code !== "EPIPE") {
      throw error;
    }
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(failureText(error));
  process.exitCode = 1;
}
