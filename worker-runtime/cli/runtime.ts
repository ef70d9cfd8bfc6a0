import { createInterface } from "node:readline/promises";
import { searchRuntimes } from "../engines/tensorflow/find.js";
import { formatBytes, type InstallProgress, installRuntime } from "../engines/tensorflow/install.js";
import { checkSpace, type InstallPlan, planInstall } from "../engines/tensorflow/install-plan.js";
import { libraryAdvice } from "../engines/tensorflow/installable.js";
import { cancelled, invalidArgument } from "../protocol/status.js";
import { type CommandSpec, helpText, nearest, type ParsedArgs, parseArgs } from "./args.js";

const listCommand: CommandSpec = {
  name: "tensordeck runtime list",
  summary:
    "Lists every libtensorflow on this machine, beginning with the one that workers use, and those that cannot be used.",
  flags: [{ name: "json", help: "Print JSON." }],
};

const installCommand: CommandSpec = {
  name: "tensordeck runtime install",
  summary:
    "Installs TensorFlow's runtime into the user's data folder: exact versions, checked by their SHA-256, through the pip of " +
    "the installed Python. Only the libraries are kept.",
  flags: [
    { name: "yes", help: "Do not ask before downloading." },
    { name: "dry_run", help: "Show what would be done and exit." },
    {
      name: "gpu",
      help: "Include CUDA's libraries (--no-gpu: leave them out). By default, they are included if the machine has an NVIDIA GPU.",
    },
    {
      name: "json",
      help: "Print JSON: with --dry_run the plan, otherwise the runtime; progress goes to stderr.",
    },
  ],
  notes: `
The data folder is ~/.local/share/tensordeck on Linux, ~/Library/Application Support/Tensordeck on
macOS, %LOCALAPPDATA%\\Tensordeck on Windows; TENSORDECK_DATA_DIR names another.`,
};

const help = `usage: tensordeck runtime [COMMAND] [flags]

Shows which TensorFlow runtimes this machine has, or installs one.

commands:
  list       Show every libtensorflow, where it came from, its version, CPU or GPU. So does no command.
  install    Bring one where there is none.

  --help     Show this, or the help of a command: tensordeck runtime install --help
`;

/** `tensordeck runtime list|install`. @throws TensorFlowError */
export async function runRuntime(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  switch (name) {
    case "list":
      return await list(parseArgs(listCommand, rest));
    case "install":
      return await install(parseArgs(installCommand, rest));
    case undefined:
    case "--json":
      return await list(parseArgs(listCommand, args));
    case "--help":
    case "-h":
      process.stdout.write(help);
      return 0;
    default: {
      const near = nearest(name, ["list", "install"]);
      throw invalidArgument(
        `tensordeck runtime has no command "${name}".${near === undefined ? "" : ` Did you mean ${near}?`}`,
      );
    }
  }
}

async function list(args: ParsedArgs): Promise<number> {
  if (args.has("help")) {
    process.stdout.write(helpText(listCommand));
    return 0;
  }
  const { found, rejected } = await searchRuntimes();
  if (args.has("json")) {
    process.stdout.write(`${JSON.stringify({ found, rejected }, null, 2)}\n`);
    return 0;
  }
  const lines = found.map(
    ({ version, gpu, origin, path }, i) =>
      `${i === 0 ? "*" : " "} TensorFlow ${version}  ${gpu ? "GPU" : "CPU"}  ${origin}\n    ${path}`,
  );
  if (found.length === 0) {
    lines.push(`No libtensorflow was found. ${libraryAdvice()}`);
  } else {
    lines.push("", "* marks the one that workers use.");
  }
  if (rejected.length > 0) {
    lines.push(
      "",
      "Found but not usable:",
      ...rejected.map(({ origin, reason }) => `  ${reason} (${origin})`),
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

async function install(args: ParsedArgs): Promise<number> {
  if (args.has("help")) {
    process.stdout.write(helpText(installCommand));
    return 0;
  }
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  process.once("SIGTERM", () => interrupted.abort());
  const { signal } = interrupted;
  const gpu = args.get("gpu") === undefined ? undefined : args.has("gpu");
  const plan = await planInstall({ gpu, signal });
  if ("problem" in plan) {
    throw plan.problem;
  }
  const asJson = args.has("json");
  if (args.has("dry_run")) {
    const { bundle, folder, downloadBytes, installedBytes, freeBytes, note } = plan;
    process.stdout.write(
      asJson
        ? `${JSON.stringify({ version: bundle.version, gpu: bundle.gpu, folder, downloadBytes, installedBytes, freeBytes, note, wheels: bundle.wheels }, null, 2)}\n`
        : planText(plan),
    );
    checkSpace(plan);
    return 0;
  }
  process.stderr.write(planText(plan));
  checkSpace(plan);
  if (!args.has("yes")) {
    await confirm(signal);
  }
  const show = progressPrinter();
  const runtime = await installRuntime({ plan, signal, onProgress: show.update }).finally(show.end);
  process.stdout.write(
    asJson
      ? `${JSON.stringify(runtime, null, 2)}\n`
      : `Installed TensorFlow ${runtime.version} (${runtime.gpu ? "GPU" : "CPU"}): ${runtime.path}\n`,
  );
  return 0;
}

function planText({
  bundle,
  folder,
  downloadBytes,
  installedBytes,
  freeBytes,
  python,
  note,
}: InstallPlan): string {
  return [
    `TensorFlow ${bundle.version} ${bundle.gpu ? "with CUDA's libraries" : "for the CPU"}, through ${python.executable}`,
    `  to         ${folder}`,
    `  download   ${formatBytes(downloadBytes)} in ${bundle.wheels.length === 1 ? "one file" : `${bundle.wheels.length} files`}`,
    `  installed  ${formatBytes(installedBytes)}`,
    `  free disk  ${formatBytes(freeBytes)}`,
    ...(note === undefined ? [] : [`  note       ${note}`]),
    "",
  ].join("\n");
}

async function confirm(signal: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY) {
    throw invalidArgument("There is no terminal to ask for confirmation: add --yes to install without it.");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question("Download and install? [y/N] ", { signal });
    if (!/^y(es)?$/i.test(answer.trim())) {
      throw cancelled("Nothing was installed.");
    }
  } finally {
    terminal.close();
  }
}

const phaseNames: Readonly<Record<InstallProgress["phase"], string>> = {
  checking: "Checking",
  downloading: "Downloading",
  unpacking: "Unpacking",
  verifying: "Verifying",
};

/** On a terminal one line that changes; elsewhere a line for each phase. */
function progressPrinter(): { update: (progress: InstallProgress) => void; end: () => void } {
  let phase: InstallProgress["phase"] | undefined;
  const terminal = process.stderr.isTTY;
  return {
    update: (progress) => {
      const name = phaseNames[progress.phase];
      if (terminal) {
        const part =
          progress.totalBytes === 0
            ? ""
            : `  ${formatBytes(progress.doneBytes)} of ${formatBytes(progress.totalBytes)}, ${Math.floor((100 * progress.doneBytes) / progress.totalBytes)} %`;
        process.stderr.write(`\r\u001b[K${name}${part}`);
      } else if (progress.phase !== phase) {
        process.stderr.write(`${name}\n`);
      }
      phase = progress.phase;
    },
    end: () => {
      if (terminal && phase !== undefined) {
        process.stderr.write("\r\u001b[K");
      }
    },
  };
}
