/**
 * Stands in for Electron's module "electron" in a plain Node process: everything of it that main/hosts/electron uses. Windows
 * are pages of the test's browser, and the system is the test; this module forwards to both (messages.ts) and keeps the order
 * of events that Electron documents. A main process that uses more of Electron fails with a TypeError, and is to be added here.
 */
import { EventEmitter } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import type { App, BrowserWindowConstructorOptions, Rectangle } from "electron";
import { chooseFromMenu, chooseFromTray, roles } from "./menus.js";
import type { FileAnswer, PageFrame, ProgramCall, ToProgram } from "./messages.js";
import { emitPreventable, PreventableEvent, tell } from "./program-channel.js";

export { Menu, nativeImage, Tray } from "./menus.js";

const SCREEN: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };

class WebContents extends EventEmitter {
  #openHandler: (details: { readonly url: string }) => { readonly action: string } = () => ({
    action: "allow",
  });

  constructor(readonly id: number) {
    super();
  }

  isDestroyed(): boolean {
    return !windows.has(this.id);
  }

  /** @throws DataCloneError for what cannot be cloned, as Electron does */
  send(channel: string, ...args: unknown[]): void {
    tell({ kind: "to-page", id: this.id, channel, args: structuredClone(args) });
  }

  reload(): void {
    tell({ kind: "reload", id: this.id });
  }

  forcefullyCrashRenderer(): void {
    tell({ kind: "crash", id: this.id });
  }

  setWindowOpenHandler(handler: (details: { readonly url: string }) => { readonly action: string }): void {
    this.#openHandler = handler;
  }

  /** A page opens another one. */
  opens(url: string): void {
    if (this.#openHandler({ url }).action !== "deny") throw new Error(`The program let a page open ${url}.`);
  }
}

const windows = new Map<number, BrowserWindow>();
let windowCount = 0;

export class BrowserWindow extends EventEmitter {
  readonly #id = ++windowCount;
  readonly webContents = new WebContents(this.#id);
  readonly #bounds: Rectangle;
  #maximized = false;
  #readyToShow = false;

  constructor(options: BrowserWindowConstructorOptions) {
    super();
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    windows.set(this.#id, this);
    tell({ kind: "window", id: this.#id, options });
  }

  async loadURL(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.webContents.once("did-finish-load", resolve));
    tell({ kind: "load", id: this.#id, url });
    await loaded;
  }

  show(): void {
    tell({ kind: "shown", id: this.#id, shown: true });
  }

  hide(): void {
    tell({ kind: "shown", id: this.#id, shown: false });
  }

  focus(): void {}

  isMinimized(): boolean {
    return false;
  }

  restore(): void {}

  maximize(): void {
    this.#maximized = true;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  getNormalBounds(): Rectangle {
    return this.#bounds;
  }

  isDestroyed(): boolean {
    return !windows.has(this.#id);
  }

  close(): void {
    if (this.isDestroyed()) return;
    if (emitPreventable(this, "close")) quitting = false;
    // The page may still object.
    else tell({ kind: "close", id: this.#id });
  }

  destroy(): void {
    tell({ kind: "destroy", id: this.#id });
    this.hasClosed();
  }

  /** A page has been loaded. */
  hasLoaded(): void {
    this.webContents.emit("did-finish-load");
    if (this.#readyToShow) return;
    this.#readyToShow = true;
    this.emit("ready-to-show");
  }

  hasClosed(): void {
    if (!windows.delete(this.#id)) return;
    this.webContents.emit("destroyed");
    this.emit("closed");
    if (windows.size > 0) return;
    if (quitting) endApplication();
    else if (!application.emit("window-all-closed")) application.quit();
  }
}

let quitting = false;

class Application extends EventEmitter {
  /** Electron tells the process of a packaged program where its files are. */
  readonly isPackaged = "resourcesPath" in process;
  readonly #lock = process.env.STAND_IN_LOCK ?? "";

  setName(): void {}
  setPath(): void {}
  setAsDefaultProtocolClient(): boolean {
    return true;
  }
  addRecentDocument(): void {}

  async whenReady(): Promise<void> {
    await Promise.resolve();
  }

  requestSingleInstanceLock(): boolean {
    try {
      closeSync(openSync(this.#lock, "wx"));
    } catch {
      tell({ kind: "second", argv: process.argv, cwd: process.cwd() });
      return false;
    }
    process.on("exit", () => rmSync(this.#lock, { force: true }));
    return true;
  }

  quit(): void {
    quitting = true;
    if (emitPreventable(this, "before-quit")) {
      quitting = false;
      return;
    }
    if (windows.size === 0) endApplication();
    for (const window of windows.values()) window.close();
  }

  exit(code = 0): void {
    // The last messages are on their way.
    if (process.connected && process.send) process.send({ kind: "end" }, () => process.exit(code));
    else process.exit(code);
  }
}

const application = new Application();
roles.set("quit", () => application.quit());
export const app: Pick<
  App,
  "whenReady" | "requestSingleInstanceLock" | "quit" | "setName" | "isPackaged" | "exit" | "addRecentDocument"
> &
  EventEmitter = application;

function endApplication(): void {
  if (!emitPreventable(application, "will-quit")) application.exit(0);
}

/** Answers that the program waits for, by the number of the call. */
const waiting = new Map<number, (answer: unknown) => void>();
let calls = 0;
let blockingAnswer = 0;

/** Electron takes a window first, or none. */
function showDialog(
  method: string,
  args: readonly [unknown] | readonly [unknown, unknown],
): Promise<unknown> {
  const call = ++calls;
  const { signal, ...options } = (args.length === 2 ? args[1] : args[0]) as { readonly signal?: AbortSignal };
  return new Promise((resolve) => {
    waiting.set(call, resolve);
    signal?.addEventListener("abort", () => resolve({ response: 0 }));
    tell({ kind: "dialog", call, method, options });
  });
}

type DialogArguments = readonly [unknown] | readonly [unknown, unknown];

export const dialog = {
  showMessageBox: (...args: DialogArguments) => showDialog("showMessageBox", args),
  showOpenDialog: (...args: DialogArguments) => showDialog("showOpenDialog", args),
  showSaveDialog: (...args: DialogArguments) => showDialog("showSaveDialog", args),
  showMessageBoxSync: () => blockingAnswer,
  showErrorBox: (title: string, content: string) => console.error(`${title}\n${content}`),
};

export const shell = {
  openExternal: async (url: string) => tell({ kind: "external", url }),
  showItemInFolder: () => undefined,
};

export const crashReporter = { start: () => undefined };
export const nativeTheme = { themeSource: "system", shouldUseDarkColors: true };
export const screen = { getAllDisplays: () => [{ workArea: SCREEN }] };

export const session = {
  defaultSession: {
    setPermissionRequestHandler: () => undefined,
    setPermissionCheckHandler: () => undefined,
    setDevicePermissionHandler: () => undefined,
  },
};

let fileHandler: (request: Request) => Promise<Response> = async () =>
  new Response(undefined, { status: 404 });

export const protocol = {
  registerSchemesAsPrivileged: () => undefined,
  handle: (_scheme: string, handler: (request: Request) => Promise<Response>) => {
    fileHandler = handler;
  },
};

type Invoked = (event: object, ...args: unknown[]) => unknown;

class IpcMain extends EventEmitter {
  readonly handlers = new Map<string, Invoked>();

  handle(channel: string, handler: Invoked): void {
    if (this.handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.handlers.set(channel, handler);
  }
}

export const ipcMain = new IpcMain();

function eventOf(id: number, { url, isMain }: PageFrame): object {
  return { sender: windows.get(id)?.webContents, senderFrame: { url, parent: isMain ? null : {} } };
}

async function answer(asked: ProgramCall): Promise<unknown> {
  switch (asked.kind) {
    case "file": {
      // Only url and method are read, and a Request of Node's takes no address of an unknown scheme's.
      const response = await fileHandler({ url: asked.url, method: asked.method } as Request);
      const body = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body,
      } satisfies FileAnswer;
    }
    case "navigate": {
      const contents = windows.get(asked.id)?.webContents;
      const event = Object.assign(new PreventableEvent(), { url: asked.url });
      return contents !== undefined && !emitPreventable(contents, "will-navigate", event);
    }
    case "unload-refused": {
      const contents = windows.get(asked.id)?.webContents;
      return contents === undefined || emitPreventable(contents, "will-prevent-unload");
    }
    case "invoke": {
      const handler = ipcMain.handlers.get(asked.channel);
      if (handler === undefined) throw new Error(`No handler registered for '${asked.channel}'`);
      return structuredClone(await handler(eventOf(asked.id, asked.frame), ...asked.args));
    }
  }
}

function receive(message: ToProgram): void {
  const window = "id" in message ? windows.get(message.id) : undefined;
  switch (message.kind) {
    case "call":
      answer(message.asked).then(
        (value) => tell({ kind: "answer", call: message.call, value }),
        (error: unknown) => tell({ kind: "failure", call: message.call, message: String(error) }),
      );
      return;
    case "from-page":
      ipcMain.emit(message.channel, eventOf(message.id, message.frame), ...message.args);
      return;
    case "loaded":
      window?.hasLoaded();
      return;
    case "navigated":
      window?.webContents.emit("did-start-navigation", {
        isMainFrame: true,
        isSameDocument: message.isSameDocument,
      });
      return;
    case "popup":
      window?.webContents.opens(message.url);
      return;
    case "gone":
      window?.webContents.emit("render-process-gone", {}, { reason: "crashed", exitCode: 5 });
      return;
    case "closed":
      window?.hasClosed();
      return;
    case "stayed":
      quitting = false;
      return;
    case "press-close":
      window?.close();
      return;
    case "dialog-answer":
      waiting.get(message.call)?.(message.answer);
      waiting.delete(message.call);
      return;
    case "blocking-answer":
      blockingAnswer = message.button;
      return;
    case "choose":
      chooseFromMenu(message.labels);
      return;
    case "choose-in-tray":
      chooseFromTray(message.label);
      return;
    case "open-file":
      application.emit("open-file", new PreventableEvent(), message.path);
      return;
    case "open-url":
      application.emit("open-url", new PreventableEvent(), message.url);
      return;
    case "second-instance":
      application.emit("second-instance", {}, message.argv, message.cwd);
      return;
    case "activate":
      application.emit("activate");
      return;
    case "quit":
      application.quit();
  }
}

process.on("message", receive);
