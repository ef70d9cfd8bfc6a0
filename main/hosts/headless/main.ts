/**
 * Tensordeck without a desktop: serves the window to a browser on this machine.
 *
 *   node main.js [--port N] [--data-dir FOLDER] [--parent-pid N]
 *
 * Prints "open http://127.0.0.1:N/#token=…" alone on a line once the window can be opened. SIGTERM and SIGINT end it
 * and every task that it started (SIGINT at its second time where other machines use them); SIGUSR2 prints a fresh link, for when the printed one was used or has expired.
 */
import { parseArgs } from "node:util";
import { dataFolder } from "../../../worker-runtime/engines/tensorflow/data-folder.js";
import { problem, problemOf } from "../../shared/problems.js";
import { startHeadlessProcess } from "./headless-process.js";

const DEFAULT_PORT = 8800;

const usage = `Usage: main.js [--port N] [--data-dir FOLDER] [--parent-pid N]

  --port N           port on 127.0.0.1 to serve the window on; 0 takes any free one (default ${DEFAULT_PORT})
  --data-dir FOLDER  where settings are kept (default ${dataFolder()})
  --parent-pid N     end when this process ends
`;

interface Arguments {
  readonly port: number;
  readonly dataDir: string;
  readonly parentPid?: number;
}

function readArguments(): Arguments | undefined {
  let values: { port?: string; "data-dir"?: string; "parent-pid"?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      options: {
        port: { type: "string" },
        "data-dir": { type: "string" },
        "parent-pid": { type: "string" },
        help: { type: "boolean" },
      },
    }));
  } catch (error) {
    throw problem("INVALID_ARGUMENT", problemOf(error).message, { remedy: "See --help." });
  }
  if (values.help) return undefined;
  const parentPid = values["parent-pid"];
  return {
    port: wholeNumber("--port", values.port ?? String(DEFAULT_PORT), 65_535),
    dataDir: values["data-dir"] ?? dataFolder(),
    ...(parentPid !== undefined && { parentPid: wholeNumber("--parent-pid", parentPid, 2 ** 31) }),
  };
}

function wholeNumber(option: string, text: string, highest: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= highest) return value;
  throw problem("INVALID_ARGUMENT", `${option} must be a whole number from 0 to ${highest}, not "${text}".`);
}

async function run(): Promise<void> {
  const given = readArguments();
  if (!given) {
    process.stdout.write(usage);
    return;
  }
  const { host, application } = await startHeadlessProcess(given);
  const printLink = () => process.stdout.write(`open ${host.newWindowUrl()}\n`);
  if (process.platform !== "win32") process.on("SIGUSR2", printLink);
  printLink();
  await application;
}

run().catch((error: unknown) => {
  const { message, reason, remedy } = problemOf(error);
  process.stderr.write(`${[message, reason, remedy].filter((part) => part !== undefined).join(" ")}\n`);
  process.exit(1);
});
