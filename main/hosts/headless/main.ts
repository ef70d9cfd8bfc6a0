/**
 * Tensordeck without a desktop: serves the window to a browser on this machine.
 *
 *   node main.js [--port N] [--data-dir FOLDER] [--parent-pid N]
 *
 * Prints "open http://127.0.0.1:N/#token=…" alone on a line once the window can be opened. SIGTERM and SIGINT end it
 * and every task that it started; SIGUSR2 prints a fresh link, for when the printed one was used or has expired.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dataFolder } from "../../../worker-runtime/engines/tensorflow/data-folder.js";
import type { Application } from "../../application.js";

import { problem, problemOf } from "../../problems.js";
import { watchParent } from "../shared/parent.js";
import { type HeadlessHost, startHeadlessHost } from "./headless-host.js";

const DEFAULT_PORT = 8800;
/** Tasks are ended by force after two seconds; then there is nothing worth waiting for. */
const SHUTDOWN_DEADLINE_MILLIS = 3000;

const usage = `Usage: main.js [--port N] [--data-dir FOLDER] [--parent-pid N]

  --port N           port on 127.0.0.1 to serve the window on; 0 takes any free one (default ${DEFAULT_PORT})
  --data-dir FOLDER  where settings are kept (default ${dataFolder()})
  --parent-pid N     end when this process ends
`;

interface Arguments {
  readonly port: number;
  readonly dataDir: string;
  readonly parentPid: number | undefined;
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
    parentPid: parentPid === undefined ? undefined : wholeNumber("--parent-pid", parentPid, 2 ** 31),
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
  const host = await startHeadlessHost({
    port: given.port,
    rendererFolder: join(import.meta.dirname, "../../../renderer"),
  });
  // The engine keeps what it installs in the same place, and so do the processes that it starts.
  process.env.TENSORDECK_DATA_DIR = given.dataDir;
  // The page loads in the browser while the application, with gRPC and all, loads here.
  const application = loadApplication(given.dataDir, host);
  const printLink = () => process.stdout.write(`open ${host.newWindowUrl()}\n`);

  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    // Not held back by a socket or process that does not obey.
    setTimeout(() => process.exit(1), SHUTDOWN_DEADLINE_MILLIS).unref();
    const disposed = application.then((loaded) => loaded.dispose());
    void Promise.allSettled([disposed, host.close()]).then(() => process.exit(0));
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  // Of a terminal that was closed; on Windows, of a console window.
  process.on("SIGHUP", end);
  if (process.platform !== "win32") process.on("SIGUSR2", printLink);
  // Whoever read the output may go away without this being a reason to end.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  watchParent(given.parentPid, end);
  printLink();
  await application;
}

async function loadApplication(dataDir: string, host: HeadlessHost): Promise<Application> {
  const { createApplication } = await import("../../application.js");
  const application = createApplication({
    dataDir,
    host: { kind: "headless", newWindowUrl: () => host.newWindowUrl() },
  });
  host.serve(application);
  return application;
}

run().catch((error: unknown) => {
  const { message, reason, remedy } = problemOf(error);
  process.stderr.write(`${[message, reason, remedy].filter((part) => part !== undefined).join(" ")}\n`);
  process.exit(1);
});
