/** The parts of every program without a desktop: the window's server, the application behind it, and their end. */
import { join } from "node:path";
import { packageRoot } from "../../../worker-runtime/engines/package-root.js";
import { inBackground, surviveFaults } from "../../../worker-runtime/faults.js";
import type { Application } from "../../application.js";
import { InstanceLock } from "../../peers/agent/instance-lock.js";
import { log, openLog } from "../../shared/log/log.js";
import { watchParent } from "../shared/parent.js";
import { startText } from "../shared/start-text.js";
import { type HeadlessHost, startHeadlessHost } from "./headless-host.js";
import { interruption } from "./interruption.js";

/**
 * Tasks are ended by force after two seconds, and a busy machine needs a little longer for the rest, such as saving its
 * state; after that there is nothing worth waiting for.
 */
const SHUTDOWN_DEADLINE_MILLIS = 10_000;

export interface HeadlessProcessOptions {
  /** On 127.0.0.1, for the window; 0: any free one. */
  readonly port: number;
  readonly dataDir: string;
  /** Port at which the agent listens; the default one unless given. */
  readonly agentPort?: number;
  /** The process ends when this one does. */
  readonly parentPid?: number;
}

export interface HeadlessProcess {
  readonly host: HeadlessHost;
  /** The page loads in the browser while the application, with gRPC and all, loads here. */
  readonly application: Promise<Application>;
}

/**
 * Serves the window and starts the application. From then on SIGTERM, SIGINT and SIGHUP end both, every task that was
 * started, and the process; the first SIGINT only prints a warning where other machines use tasks, or a run has lasted
 * for long.
 *
 * @throws ProblemError UNAVAILABLE when the port is taken, FAILED_PRECONDITION when the data folder is.
 */
export async function startHeadlessProcess(options: HeadlessProcessOptions): Promise<HeadlessProcess> {
  const { dataDir } = options;
  const host = await startHeadlessHost({
    port: options.port,
    rendererFolder: join(packageRoot(), "build/out/renderer"),
  });
  let loaded: Application | undefined;
  const answers = { link: () => host.newWindowUrl(), peers: () => loaded?.knownPeers() };
  const lock = await InstanceLock.claim(dataDir, answers).catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  surviveFaults((text) => log.error(text));
  openLog(dataDir);
  log.info(startText("headless"));
  // The engine keeps what it installs in the same place, and so do the processes that it starts.
  process.env.TENSORDECK_DATA_DIR = dataDir;
  const application = loadApplication(options, host).then((made) => {
    loaded = made;
    return made;
  });

  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    log.info("Tensordeck ends.");
    // Not blocked by a socket or process that does not end.
    setTimeout(() => process.exit(1), SHUTDOWN_DEADLINE_MILLIS).unref();
    const disposed = application.then((made) => made.dispose());
    inBackground(
      Promise.allSettled([disposed, host.close()])
        .then(() => lock.release())
        .finally(() => process.exit(0)),
    );
  };
  process.on("SIGTERM", end);
  process.on(
    "SIGINT",
    interruption({
      inUse: () => (ending ? undefined : loaded?.inUse()),
      say: (text) => process.stderr.write(text),
      end,
    }),
  );
  // From a closed terminal; on Windows, of a console window.
  process.on("SIGHUP", end);
  // The reader of the output may disappear; that is no reason to exit.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  watchParent(options.parentPid, end);
  return { host, application };
}

async function loadApplication(
  { dataDir, agentPort }: HeadlessProcessOptions,
  host: HeadlessHost,
): Promise<Application> {
  const { createApplication } = await import("../../application.js");
  const application = await createApplication({
    dataDir,
    host: { kind: "headless", newWindowUrl: () => host.newWindowUrl(), sharedWindow: host.sharedWindow },
    ...(agentPort !== undefined && { agentPort }),
  });
  host.serve(application);
  return application;
}
