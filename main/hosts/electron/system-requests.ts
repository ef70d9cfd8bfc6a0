/** Listens for what the system asks of the program after its start: to open documents, and to show itself. */
import type { App } from "electron";
import { log } from "../../shared/log/log.js";
import { LINK_SCHEME, pathOfLink, pathsInArguments } from "./asked-paths.js";

export interface SystemRequestOptions {
  readonly app: Pick<App, "on" | "isPackaged" | "setAsDefaultProtocolClient" | "addRecentDocument">;
  /** Opens the paths in a window. */
  onDocuments(paths: readonly string[]): void;
  /** Brings the window to the front. Not called before the program is ready. */
  onShow(): void;
  readonly argv?: readonly string[];
  readonly folder?: string;
}

/**
 * Must be called before the program is ready: macOS names the document of a double-click meanwhile.
 */
export function followSystem(options: SystemRequestOptions): void {
  const { app, onDocuments, onShow, argv = process.argv, folder = process.cwd() } = options;
  // Unpackaged, Electron itself is started, with the program's folder as its first argument.
  const own = app.isPackaged ? 1 : 2;
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  onDocuments(pathsInArguments(argv.slice(own), folder));
  app.on("open-file", (event, path) => {
    event.preventDefault();
    onDocuments([path]);
    onShow();
  });
  app.on("open-url", (event, link) => {
    event.preventDefault();
    const path = pathOfLink(link);
    if (path === undefined) {
      log.warning(
        `A link was ignored that names no document of this machine: ${JSON.stringify(link.slice(0, 200))}`,
      );
      return;
    }
    onDocuments([path]);
    onShow();
  });
  app.on("second-instance", (_event, args, from) => {
    onDocuments(pathsInArguments(args.slice(own), from));
    onShow();
  });
}

/** Keeps the system's list of recent documents (the dock's, the jump list) in step with the settings. */
export class RecentDocuments {
  readonly #app: Pick<App, "addRecentDocument">;
  #newest: string | undefined;

  constructor(app: Pick<App, "addRecentDocument">) {
    this.#app = app;
  }

  /** @param documents their paths, the newest first */
  update([newest]: readonly string[]): void {
    if (newest === undefined || newest === this.#newest) return;
    this.#newest = newest;
    this.#app.addRecentDocument(newest);
  }
}
