/** Tensordeck as a user starts it without a desktop: the built headless host with real tasks. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../../main/api/cluster.js";
import { engineEnvironment } from "../../support/engine-environment.js";
import { electronNode, repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies, type PeerProcess, spawnPeer } from "../../support/processes.js";

const OPEN_LINE = /^open (http:\/\/127\.0\.0\.1:(\d+)\/#token=\S+)$/m;

export interface AppOptions {
  /** The engine of new tasks; "portable" unless given, as on a machine without TensorFlow. */
  readonly engine?: Engine;
  /** True: the application's process runs on the Node of the desktop program's, and its tasks on the tests' own. */
  readonly onElectronNode?: boolean;
  /** True: the application finds the programs on PATH, such as a Python for scripts. It always does beside TensorFlow. */
  readonly programs?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the tour for new users starts, as on a fresh machine. */
  readonly tour?: boolean;
  /** True: a runtime is offered where there is none, as on a fresh machine. */
  readonly offer?: boolean;
  /** The folder of an app that ended, which this one continues. */
  readonly folder?: string;
}

export interface RunningApp {
  readonly process: PeerProcess;
  /** The one-time address that was printed at the start. */
  readonly link: string;
  readonly origin: string;
  /** A folder of this app's own for documents, settings and other files that a test writes. */
  readonly folder: string;
  /** A fresh one-time address. */
  newLink(): Promise<string>;
  /** Ends the app and its tasks, and removes its folder. */
  stop(): Promise<void>;
  /** Ends the app like a crash; its folder is kept for the next start. */
  kill(): Promise<void>;
}

/** Makes an application with this data folder that of a user who has seen what is shown on a fresh machine. */
export function settleIn(data: string, { tour = false, offer = false }: AppOptions = {}): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const settings = { tourSeen: !tour, runtimeBannerDismissed: !offer };
  writeFileSync(join(data, "settings.json"), JSON.stringify(settings));
}

export async function startApp(options: AppOptions = {}): Promise<RunningApp> {
  const main = join(repositoryRoot, "build", "out", "main", "hosts", "headless", "main.js");
  if (!existsSync(main)) throw new Error("Tensordeck is not built. Run: npm run build");
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "tensordeck-e2e-"));
  const data = join(folder, "data");
  if (options.folder === undefined) settleIn(data, options);
  const { engine = "portable", programs = engine === "tensorflow" } = options;
  const node = options.onElectronNode ? electronNode() : { program: process.execPath, env: {} };
  const process_ = await spawnPeer(node.program, [main, "--port", "0"], {
    cwd: folder,
    env: {
      ...environmentWithoutProxies(),
      // File dialogs open here, and nothing of the account's own home is read or written.
      HOME: folder,
      TENSORDECK_DATA_DIR: data,
      TENSORDECK_NETWORK: "off",
      ...engineEnvironment(engine, folder),
      // An empty path has no Python, whose TensorFlow would be found.
      ...(programs ? {} : { PATH: join(folder, "bin") }),
      ...node.env,
      ...options.env,
    },
    ready: OPEN_LINE,
  });
  const link = process_.match?.[1] ?? "";
  return {
    process: process_,
    link,
    origin: new URL(link).origin,
    folder,
    newLink: async () => {
      const printed = () => [...process_.stdout().matchAll(new RegExp(OPEN_LINE, "gm"))];
      const before = printed().length;
      process_.child.kill("SIGUSR2");
      await process_.waitForOutput(new RegExp(`(?:${OPEN_LINE.source}[^]*?){${before + 1}}`, "m"));
      return printed().at(-1)?.[1] ?? "";
    },
    stop: async () => {
      await process_.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    kill: async () => {
      process_.child.kill("SIGKILL");
      await process_.exited;
    },
  };
}
