/** The process of a window's page: a page of Chromium with the window's preload script, which talks to the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserWindowConstructorOptions } from "electron";
import type { BrowserContext, Dialog, Frame, Page, Route } from "playwright-core";
import { decodeValue, encodeValue } from "./cloned-values.mjs";
import {
  BROWSER_ORIGIN,
  browserUrl,
  type FileAnswer,
  type PageFrame,
  type ProgramCall,
  programUrl,
  type ToProgram,
} from "./messages.js";

const SEND = "__standInSend";
const RECEIVE = "__standInReceive";

/** The program's main process, as a page's process reaches it. */
export interface MainProcess {
  send(message: ToProgram): void;
  ask(asked: ProgramCall): Promise<unknown>;
}

interface Message {
  readonly kind: "invoke" | "send";
  readonly channel: string;
  readonly args: unknown[];
}

/** The text that runs in a page before its own scripts: the preload script, in the world that Electron gives it. */
function preloadText(
  path: string,
  platform: NodeJS.Platform,
  sessionStorage: Readonly<Record<string, string>>,
): string {
  const module = (name: string) =>
    readFileSync(join(import.meta.dirname, name), "utf8").replaceAll(/^export /gm, "");
  return `(() => {
    if (window !== top || !location.href.startsWith(${JSON.stringify(BROWSER_ORIGIN)})) return;
    if (sessionStorage.length === 0) Object.assign(sessionStorage, ${JSON.stringify(sessionStorage)});
    const send = globalThis.${SEND};
    delete globalThis.${SEND};
    ${module("cloned-values.mjs")}
    ${module("page-world.mjs")}
    const platform = ${JSON.stringify(platform)};
    const receive = runPreload({ send, platform, encodeValue, decodeValue }, (require, process, exports) => {
      ${readFileSync(path, "utf8")}
    });
    Object.defineProperty(globalThis, ${JSON.stringify(RECEIVE)}, { value: receive });
  })();`;
}

export interface PageProcessOptions {
  /** The window's number. */
  readonly id: number;
  readonly options: BrowserWindowConstructorOptions;
  /** The path here of the preload script. */
  readonly preload: string;
  /** The system that the page takes for its own. */
  readonly platform: NodeJS.Platform;
  readonly context: BrowserContext;
  readonly program: MainProcess;
}

export class PageProcess {
  readonly #id: number;
  readonly #context: BrowserContext;
  readonly #options: BrowserWindowConstructorOptions;
  readonly #preload: string;
  readonly #program: MainProcess;
  readonly #platform: NodeJS.Platform;
  readonly #crashed = new WeakSet<Page>();
  #opened: Promise<Page>;
  #url = "";
  #sessionStorage: Readonly<Record<string, string>> = {};
  #wasClosed = false;

  constructor({ id, options, preload, platform, context, program }: PageProcessOptions) {
    this.#id = id;
    this.#options = options;
    this.#preload = preload;
    this.#platform = platform;
    this.#context = context;
    this.#program = program;
    this.#opened = this.#open();
  }

  /** Another one after the page has crashed. */
  page(): Promise<Page> {
    return this.#opened;
  }

  async load(url: string): Promise<void> {
    this.#url = url;
    const page = await this.#opened;
    await page.goto(browserUrl(url));
    this.#program.send({ kind: "loaded", id: this.#id });
  }

  /** Loads the page anew, in another process if its own has crashed. */
  async reload(): Promise<void> {
    const page = await this.#opened;
    if (this.#crashed.has(page)) {
      this.#opened = this.#open();
      await page.close().catch(() => undefined);
    }
    await this.load(this.#url);
  }

  /** Ends the process like a crash. */
  async crash(): Promise<void> {
    const page = await this.#opened;
    // Chromium keeps it for the window, not for the process.
    this.#sessionStorage = await page.evaluate(() => ({ ...sessionStorage }));
    const session = await this.#context.newCDPSession(page);
    const crashed = page.waitForEvent("crash");
    // It is never answered: the process is gone.
    session.send("Page.crash").catch(() => undefined);
    await crashed;
  }

  async sendToPage(channel: string, args: unknown[]): Promise<void> {
    const page = await this.#opened;
    try {
      await page.evaluate(
        ([receive, text]) =>
          (globalThis as unknown as Record<string, ((text: string) => void) | undefined>)[receive]?.(text),
        [RECEIVE, encodeValue({ channel, args })] as const,
      );
    } catch {
      // A page that is being loaded, has crashed or is closed has no listeners.
    }
  }

  /** Closes the page, unless it objects and the program lets it. */
  async close(): Promise<void> {
    const page = await this.#opened;
    await page.close({ runBeforeUnload: true });
  }

  async destroy(): Promise<void> {
    const page = await this.#opened;
    this.#wasClosed = true;
    await page.close();
  }

  async #open(): Promise<Page> {
    const { width = 800, height = 600 } = this.#options;
    const page = await this.#context.newPage();
    await page.setViewportSize({ width, height });
    await page.exposeBinding(SEND, ({ frame }, text: string) => this.#receive(frame, text));
    await page.addInitScript(preloadText(this.#preload, this.#platform, this.#sessionStorage));
    await page.route("**/*", (route) => this.#answer(route));
    page.on("dialog", (dialog) => void this.#unload(dialog));
    const session = await this.#context.newCDPSession(page);
    await session.send("Page.enable");
    session.on("Page.windowOpen", ({ url }) =>
      this.#program.send({ kind: "popup", id: this.#id, url: programUrl(url) }),
    );
    // Every window of a page's own is denied.
    page.on("popup", (popup) => void popup.close());
    page.on("crash", () => {
      this.#crashed.add(page);
      this.#program.send({ kind: "gone", id: this.#id });
    });
    page.on("close", () => {
      if (this.#crashed.has(page) || this.#wasClosed) return;
      this.#wasClosed = true;
      this.#program.send({ kind: "closed", id: this.#id });
    });
    return page;
  }

  async #receive(frame: Frame, text: string): Promise<string> {
    const { kind, channel, args } = decodeValue(text) as Message;
    const from: PageFrame = { url: programUrl(frame.url()), isMain: frame.parentFrame() === null };
    if (kind === "send") {
      this.#program.send({ kind: "from-page", id: this.#id, frame: from, channel, args });
      return "";
    }
    try {
      const value = await this.#program.ask({ kind: "invoke", id: this.#id, frame: from, channel, args });
      return encodeValue({ ok: true, value });
    } catch (error) {
      return encodeValue({ ok: false, message: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Answers a page's request for a file, and asks before it goes to another page. */
  async #answer(route: Route): Promise<void> {
    const request = route.request();
    const url = programUrl(request.url());
    const isPage = request.isNavigationRequest() && request.frame().parentFrame() === null;
    try {
      if (url === request.url()) {
        const isAllowed =
          isPage &&
          (await this.#program.ask({ kind: "navigate", id: this.#id, url: request.url() })) === true;
        // Aborted, a navigation leaves the page where it is; otherwise the browser would show an error in its place.
        await (isAllowed ? route.fulfill({ status: 404 }) : route.abort("aborted"));
        return;
      }
      if (isPage) this.#program.send({ kind: "navigated", id: this.#id, isSameDocument: false });
      const file = (await this.#program.ask({ kind: "file", url, method: request.method() })) as FileAnswer;
      await route.fulfill({ status: file.status, headers: file.headers, body: Buffer.from(file.body) });
    } catch {
      // The page or the program has ended.
      await route.abort().catch(() => undefined);
    }
  }

  /** A page with unsaved changes objects to being closed. */
  async #unload(dialog: Dialog): Promise<void> {
    const leaves = await this.#program.ask({ kind: "unload-refused", id: this.#id }).catch(() => true);
    if (leaves === true) {
      await dialog.accept();
      return;
    }
    await dialog.dismiss();
    this.#program.send({ kind: "stayed", id: this.#id });
  }
}
