/** The desktop program in Electron itself, driven by Playwright. Dialogs, which only a person could answer, are recorded. */
import { join } from "node:path";
import { _electron, type ElectronApplication, type Page } from "playwright-core";
import { engineEnvironment } from "../../support/engine-environment.js";
import { environmentWithoutProxies, repositoryRoot } from "../../support/peers.js";
import { type PeerExit, spawnPeer } from "../../support/processes.js";
import type { Desktop, DesktopOptions, MenuEntry, SystemDialog } from "./desktop.js";

/** The dialogs, and more, that the program's main process asked the system for; it keeps them itself. */
interface Recorded {
  readonly dialogs: {
    readonly method: string;
    readonly options: unknown;
    readonly answer: (value: unknown) => void;
  }[];
  readonly external: string[];
  /** Called when there is another dialog. */
  more: () => void;
  next: number;
  blockingAnswer: number;
  tray: Electron.Menu | undefined;
}

type Main = typeof globalThis & { recorded: Recorded };

/** Puts recorders in the place of what would wait for a person. Runs in the main process. */
function record({ dialog, shell, Tray }: typeof Electron.CrossProcessExports): void {
  const recorded: Recorded = {
    dialogs: [],
    external: [],
    more: () => undefined,
    next: 0,
    blockingAnswer: 0,
    tray: undefined,
  };
  (globalThis as Main).recorded = recorded;
  const ask =
    (method: string) =>
    (...args: unknown[]) =>
      new Promise((answer) => {
        recorded.dialogs.push({ method, options: args.at(-1), answer });
        recorded.more();
      });
  Object.assign(dialog, {
    showMessageBox: ask("showMessageBox"),
    showOpenDialog: ask("showOpenDialog"),
    showSaveDialog: ask("showSaveDialog"),
    showMessageBoxSync: () => recorded.blockingAnswer,
  });
  shell.openExternal = async (url) => {
    recorded.external.push(url);
  };
  const { setContextMenu, destroy } = Tray.prototype;
  Tray.prototype.setContextMenu = function (menu) {
    recorded.tray = menu ?? undefined;
    setContextMenu.call(this, menu);
  };
  Tray.prototype.destroy = function () {
    recorded.tray = undefined;
    destroy.call(this);
  };
}

function environment(folder: string): Record<string, string> {
  const variables = {
    ...environmentWithoutProxies(),
    HOME: folder,
    TENSORDECK_DATA_DIR: join(folder, "data"),
    TENSORDECK_NETWORK: "off",
    ...engineEnvironment("portable", folder),
    TENSORDECK_NODE: process.execPath,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const executablePath = () => process.env.TENSORDECK_TEST_ELECTRON ?? "";

/** An unpacked folder has no sandbox helper that belongs to root, without which Chromium's sandbox is not to be had everywhere. */
const PROGRAM = [...(process.platform === "linux" ? ["--no-sandbox"] : []), repositoryRoot];

export class ElectronDesktop implements Desktop {
  readonly #folder: string;
  readonly #electron: ElectronApplication;
  readonly exited: Promise<PeerExit>;
  #output = "";

  private constructor(folder: string, electron: ElectronApplication) {
    this.#folder = folder;
    this.#electron = electron;
    const child = electron.process();
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
  }

  static async start({ folder, args = [] }: DesktopOptions): Promise<ElectronDesktop> {
    const electron = await _electron.launch({
      executablePath: executablePath(),
      args: [...PROGRAM, ...args],
      cwd: folder,
      env: environment(folder),
    });
    await electron.evaluate(record);
    return new ElectronDesktop(folder, electron);
  }

  output(): string {
    return this.#output;
  }

  /** The major version of its Node. */
  nodeMajor(): Promise<string | undefined> {
    return this.#electron.evaluate(() => process.versions.node.split(".")[0]);
  }

  page(): Promise<Page> {
    return this.#electron.firstWindow();
  }

  isShown(): Promise<boolean> {
    return this.#electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some((window) => window.isVisible()),
    );
  }

  async nextDialog(): Promise<SystemDialog> {
    const { at, method, options } = await this.#electron.evaluate(async () => {
      const { recorded } = globalThis as Main;
      const at = recorded.next++;
      while (recorded.dialogs[at] === undefined) {
        await new Promise<void>((resolve) => {
          recorded.more = resolve;
        });
      }
      const { method, options } = recorded.dialogs[at];
      return { at, method, options: JSON.parse(JSON.stringify(options)) as unknown };
    });
    return {
      method: method as SystemDialog["method"],
      options: options as SystemDialog["options"],
      answer: (chosen) =>
        this.#tell((_electron, { at, answer }) => (globalThis as Main).recorded.dialogs[at]?.answer(answer), {
          at,
          answer:
            typeof chosen === "number"
              ? { response: chosen }
              : {
                  canceled: chosen === undefined,
                  filePath: chosen ?? "",
                  filePaths: chosen === undefined ? [] : [chosen],
                },
        }),
    };
  }

  async answerBlockingDialogs(button: number): Promise<void> {
    await this.#electron.evaluate((_electron, answer) => {
      (globalThis as Main).recorded.blockingAnswer = answer;
    }, button);
  }

  menu(): Promise<readonly MenuEntry[]> {
    return this.#electron.evaluate(({ Menu }) =>
      (Menu.getApplicationMenu()?.items ?? []).map(({ label, enabled }) => ({ label, enabled })),
    );
  }

  choose(...labels: readonly string[]): Promise<void> {
    return this.#tell(({ Menu }, path) => {
      let items = Menu.getApplicationMenu()?.items ?? [];
      let chosen: Electron.MenuItem | undefined;
      for (const name of path) {
        chosen = items.find(({ label, role }) => label === name || role === name);
        items = chosen?.submenu?.items ?? [];
      }
      chosen?.click();
    }, labels);
  }

  tray(): Promise<readonly MenuEntry[] | undefined> {
    return this.#electron.evaluate(() =>
      (globalThis as Main).recorded.tray?.items
        .filter(({ type }) => type !== "separator")
        .map(({ label, enabled }) => ({ label, enabled })),
    );
  }

  chooseInTray(label: string): Promise<void> {
    return this.#tell((_electron, name) => {
      (globalThis as Main).recorded.tray?.items.find((item) => item.label === name)?.click();
    }, label);
  }

  closeWindow(): Promise<void> {
    return this.#tell(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close(), undefined);
  }

  openFile(path: string): Promise<void> {
    return this.#tell(({ app }, file) => {
      app.emit("open-file", { preventDefault: () => undefined }, file);
    }, path);
  }

  openLink(link: string): Promise<void> {
    return this.#tell(({ app }, url) => {
      app.emit("open-url", { preventDefault: () => undefined }, url);
    }, link);
  }

  async startAgain(...args: readonly string[]): Promise<PeerExit> {
    const again = await spawnPeer(executablePath(), [...PROGRAM, ...args], {
      cwd: this.#folder,
      env: environment(this.#folder),
    });
    return await again.exited;
  }

  openedInBrowser(): Promise<readonly string[]> {
    return this.#electron.evaluate(() => (globalThis as Main).recorded.external);
  }

  quit(): Promise<void> {
    return this.#tell(({ app }) => app.quit(), undefined);
  }

  signal(signal: NodeJS.Signals): void {
    this.#electron.process().kill(signal);
  }

  async dispose(): Promise<void> {
    this.#electron.process().kill("SIGKILL");
    await this.exited;
  }

  /** Has the main process do something that may end it before it has answered. */
  async #tell<Argument>(
    doing: (electron: typeof Electron.CrossProcessExports, argument: Argument) => void,
    argument: Argument,
  ): Promise<void> {
    const ended = this.exited.then(() => undefined);
    await Promise.race([
      // The type of the page's functions takes arguments apart, which an unknown one cannot be.
      this.#electron.evaluate(
        doing as (electron: typeof Electron.CrossProcessExports, argument: unknown) => void,
        argument,
      ),
      ended,
    ]).catch(async (error: unknown) => {
      if (this.#electron.process().exitCode === null) throw error;
      await ended;
    });
  }
}
