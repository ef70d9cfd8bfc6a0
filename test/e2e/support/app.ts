/** Tensordeck as a user starts it without a desktop: the built headless host with tasks on a real libtensorflow. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libtensorflowDir, repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies, type PeerProcess, spawnPeer } from "../../support/processes.js";

const OPEN_LINE = /^open (http:\/\/127\.0\.0\.1:(\d+)\/#token=\S+)$/m;

export interface AppOptions {
  /** False: no engine is found on this machine, as on a fresh one. */
  readonly runtime?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the tour for new users starts, as on a fresh machine. */
  readonly tour?: boolean;
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

/** Makes an application with this data folder one of a user who has seen the tour. */
export function keepTourAway(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(join(data, "settings.json"), JSON.stringify({ tourSeen: true }));
}

export async function startApp(options: AppOptions = {}): Promise<RunningApp> {
  const main = join(repositoryRoot, "build", "out", "main", "hosts", "headless", "main.js");
  if (!existsSync(main)) throw new Error("Tensordeck is not built. Run: npm run build");
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "tensordeck-e2e-"));
  const data = join(folder, "data");
  if (options.tour !== true && options.folder === undefined) keepTourAway(data);
  const runtime: Readonly<Record<string, string>> =
    options.runtime === false
      ? // An empty path leaves no Python to find, and a home of its own no installed runtime.
        {
          PATH: join(folder, "bin"),
          XDG_DATA_HOME: join(folder, "share"),
          LD_LIBRARY_PATH: "",
          VIRTUAL_ENV: "",
          CONDA_PREFIX: "",
        }
      : { TENSORDECK_LIBTENSORFLOW: libtensorflowDir() };
  const process_ = await spawnPeer(process.execPath, [main, "--port", "0"], {
    cwd: folder,
    env: {
      ...environmentWithoutProxies(),
      // File dialogs open here, and nothing of the account's own home is read or written.
      HOME: folder,
      TENSORDECK_DATA_DIR: data,
      TENSORDECK_NETWORK: "off",
      ...runtime,
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
