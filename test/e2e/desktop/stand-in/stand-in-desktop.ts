/**
 * The built desktop program in a plain Node, with its window in Chromium: the complete main process, the preload script and the
 * page are those of the package. electron.ts stands in for the module "electron", page-process.ts for Chromium's processes, and
 * this class for the system.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { engineEnvironment } from "../../../support/engine-environment.js";
import { electronNode, repositoryRoot } from "../../../support/find-peers.js";
import {
  environmentWithoutProxies,
  type PeerExit,
  type PeerProcess,
  spawnPeer,
} from "../../../support/processes.js";
import { sharedBrowser } from "../../support/shared-browser.js";
import type { Desktop, DesktopOptions, MenuEntry, SystemDialog } from "../desktop.js";
import type { FromProgram, ProgramCall, ToProgram } from "./messages.js";
import { PageProcess } from "./page-process.js";

const PROGRAM = join(repositoryRoot, "build", "out", "program", "electron", "main.js");

export interface StandInOptions extends DesktopOptions {
  /** The system that the program and its page take for theirs; this machine's unless given. */
  readonly platform?: NodeJS.Platform;
  /** An installed program, which has the module of its own; the built one unless given. */
  readonly installed?: InstalledProgram;
}

/** A program that was packaged around the stand-in. */
export interface InstalledProgram {
  /** Starts it, with a channel to this process. */
  start(args: readonly string[]): Promise<PeerProcess>;
  /** The path here of a file that it has at a path of its own. */
  file(path: string): string;
}

function spawnProgram(options: StandInOptions): Promise<PeerProcess> {
  const { folder, args = [], platform, installed } = options;
  if (installed !== undefined) return installed.start(args);
  if (!existsSync(PROGRAM)) throw new Error("Tensordeck is not built. Run: npm run build");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const register = pathToFileURL(join(import.meta.dirname, "register.ts")).href;
  const node = electronNode();
  return spawnPeer(node.program, ["--import", tsx, "--import", register, PROGRAM, ...args], {
    cwd: folder,
    channel: true,
    env: {
      ...environmentWithoutProxies(),
      HOME: folder,
      TENSORDECK_DATA_DIR: join(folder, "data"),
      TENSORDECK_NETWORK: "off",
      ...engineEnvironment("portable", folder),
      STAND_IN_LOCK: join(folder, "instance-lock"),
      ...(platform === undefined ? {} : { STAND_IN_PLATFORM: platform }),
      ...node.env,
    },
  });
}

export class StandInDesktop implements Desktop {
  readonly #options: StandInOptions;
  readonly #context: BrowserContext;
  readonly #program: PeerProcess;
  readonly #windows = new Map<number, { readonly page: PageProcess; shown: boolean }>();
  readonly #answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #dialogs: SystemDialog[] = [];
  readonly #external: string[] = [];
  /** Called after every message of the program, and after it has ended. */
  readonly #watchers = new Set<() => void>();
  #calls = 0;
  #menu: readonly MenuEntry[] = [];
  #tray: readonly MenuEntry[] | undefined;
  #ended = false;

  private constructor(options: StandInOptions, context: BrowserContext, program: PeerProcess) {
    this.#options = options;
    this.#context = context;
    this.#program = program;
    program.child.on("message", (message: FromProgram) => {
      this.#receive(message);
      this.#notify();
    });
    void program.exited.then(() => {
      this.#ended = true;
      for (const { reject } of this.#answers.values()) reject(new Error("The program has ended."));
      this.#notify();
    });
  }

  static async start(options: StandInOptions): Promise<StandInDesktop> {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ colorScheme: "dark", reducedMotion: "reduce" });
    return new StandInDesktop(options, context, await spawnProgram(options));
  }

  get exited(): Promise<PeerExit> {
    return this.#program.exited;
  }

  output(): string {
    return this.#program.output();
  }

  async page(): Promise<Page> {
    return (await this.#window()).page.page();
  }

  async isShown(): Promise<boolean> {
    return [...this.#windows.values()].some(({ shown }) => shown);
  }

  nextDialog(): Promise<SystemDialog> {
    return this.#when(() => this.#dialogs.shift());
  }

  async answerBlockingDialogs(button: number): Promise<void> {
    this.#send({ kind: "blocking-answer", button });
  }

  async menu(): Promise<readonly MenuEntry[]> {
    return this.#menu;
  }

  async choose(...labels: readonly string[]): Promise<void> {
    this.#send({ kind: "choose", labels });
  }

  async tray(): Promise<readonly MenuEntry[] | undefined> {
    return this.#tray;
  }

  async chooseInTray(label: string): Promise<void> {
    this.#send({ kind: "choose-in-tray", label });
  }

  async closeWindow(): Promise<void> {
    for (const id of this.#windows.keys()) this.#send({ kind: "press-close", id });
  }

  /** Clicks the program's icon in macOS's dock. */
  async activate(): Promise<void> {
    this.#send({ kind: "activate" });
  }

  async openFile(path: string): Promise<void> {
    this.#send({ kind: "open-file", path });
  }

  async openLink(url: string): Promise<void> {
    this.#send({ kind: "open-url", url });
  }

  async startAgain(...args: readonly string[]): Promise<PeerExit> {
    const again = await spawnProgram({ ...this.#options, args });
    again.child.on("message", (message: FromProgram) => {
      if (message.kind !== "second") return;
      this.#send({ kind: "second-instance", argv: message.argv, cwd: message.cwd });
    });
    return await again.exited;
  }

  /** Ends the page's process like a crash. */
  async crashPage(): Promise<void> {
    await (await this.#window()).page.crash();
  }

  async openedInBrowser(): Promise<readonly string[]> {
    return this.#external;
  }

  async quit(): Promise<void> {
    this.#send({ kind: "quit" });
  }

  signal(signal: NodeJS.Signals): void {
    this.#program.child.kill(signal);
  }

  async dispose(): Promise<void> {
    await this.#program.stop("SIGKILL");
    await this.#context.close();
  }

  #window(): Promise<{ readonly page: PageProcess }> {
    return this.#when(() => [...this.#windows.values()][0]);
  }

  #send(message: ToProgram): void {
    if (this.#program.child.connected) this.#program.child.send(message, () => undefined);
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Resolves with the first value that is there; rejects when the program ends before. */
  #when<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined && !this.#ended) return;
        this.#watchers.delete(check);
        if (found === undefined) reject(new Error(`The program has ended:\n${this.output()}`));
        else resolve(found);
      };
      this.#watchers.add(check);
      check();
    });
  }

  #ask(asked: ProgramCall): Promise<unknown> {
    const call = ++this.#calls;
    return new Promise<unknown>((resolve, reject) => {
      if (this.#ended) {
        reject(new Error("The program has ended."));
        return;
      }
      this.#answers.set(call, { resolve, reject });
      this.#send({ kind: "call", call, asked });
    }).finally(() => this.#answers.delete(call));
  }

  #receive(message: FromProgram): void {
    switch (message.kind) {
      case "window": {
        const { id, options } = message;
        const program = {
          ask: (asked: ProgramCall) => this.#ask(asked),
          send: (sent: ToProgram) => {
            if (sent.kind === "closed") this.#windows.delete(id);
            this.#send(sent);
          },
        };
        const { platform = process.platform, installed } = this.#options;
        const preload = options.webPreferences?.preload ?? "";
        const page = new PageProcess({
          id,
          options,
          preload: installed?.file(preload) ?? preload,
          platform,
          context: this.#context,
          program,
        });
        this.#windows.set(id, { page, shown: options.show !== false });
        return;
      }
      case "answer":
        this.#answers.get(message.call)?.resolve(message.value);
        return;
      case "failure":
        this.#answers.get(message.call)?.reject(new Error(message.message));
        return;
      case "dialog":
        this.#dialogs.push(this.#dialog(message));
        return;
      case "menu":
        this.#menu = message.menu;
        return;
      case "tray":
        this.#tray = message.menu;
        return;
      case "external":
        this.#external.push(message.url);
        return;
      case "second":
      case "end":
        return;
      default:
        this.#instruct(message);
    }
  }

  /** Does what the program wants of a window. */
  #instruct(message: Extract<FromProgram, { readonly id: number }>): void {
    const window = this.#windows.get(message.id);
    if (window === undefined) return;
    const { page } = window;
    switch (message.kind) {
      case "load":
        this.#mayFail(page.load(message.url));
        return;
      case "reload":
        this.#mayFail(page.reload());
        return;
      case "crash":
        this.#mayFail(page.crash());
        return;
      case "close":
        this.#mayFail(page.close());
        return;
      case "destroy":
        this.#windows.delete(message.id);
        this.#mayFail(page.destroy());
        return;
      case "shown":
        window.shown = message.shown;
        return;
      case "to-page":
        this.#mayFail(page.sendToPage(message.channel, message.args));
    }
  }

  /** A page that is closed meanwhile does nothing more; what the program waits for then, the test does, too. */
  #mayFail(doing: Promise<void>): void {
    doing.catch((error: unknown) => console.error("The window's page:", error));
  }

  #dialog({ call, method, options }: Extract<FromProgram, { readonly kind: "dialog" }>): SystemDialog {
    return {
      method: method as SystemDialog["method"],
      options: options as SystemDialog["options"],
      answer: async (chosen) => {
        const answer =
          typeof chosen === "number"
            ? { response: chosen }
            : {
                canceled: chosen === undefined,
                filePath: chosen ?? "",
                filePaths: chosen === undefined ? [] : [chosen],
              };
        this.#send({ kind: "dialog-answer", call, answer });
      },
    };
  }
}
