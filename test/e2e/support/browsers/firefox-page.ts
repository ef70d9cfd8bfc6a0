/**
 * Firefox as distributions have it, over WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi), which it speaks itself.
 * Playwright drives its own builds only.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { z } from "zod";
import { firefoxPath } from "../../../support/find-peers.js";
import { environmentWithoutProxies, spawnPeer } from "../../../support/processes.js";
import { type DrivenPage, NOTE_VIOLATIONS, PAGE } from "./driven-page.js";
import { PointerActions } from "./pointer-actions.js";

/** In addition to what Firefox sets itself for a browser that is driven. */
const PREFERENCES = { "ui.systemUsesDarkTheme": 1, "ui.prefersReducedMotion": 1 };

const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("success"), id: z.number(), result: z.unknown() }),
  z.object({ type: z.literal("error"), id: z.number(), error: z.string(), message: z.string() }),
  z.object({ type: z.literal("event") }),
]);
const sessionSchema = z.object({ capabilities: z.object({ browserVersion: z.string() }) });
const contextsSchema = z.object({ contexts: z.tuple([z.object({ context: z.string() })]) });
const resultSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("success"), result: z.object({ value: z.string().optional() }) }),
  z.object({ type: z.literal("exception"), exceptionDetails: z.object({ text: z.string() }) }),
]);
const screenshotSchema = z.object({ data: z.base64() });

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The commands of one session. */
class BidiSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#take(String(data)));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Firefox has ended."));
      this.#waiting.clear();
    });
  }

  static async connect(address: string): Promise<BidiSession> {
    const socket = new WebSocket(address);
    const session = new BidiSession(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return session;
  }

  async send<T>(method: string, params: object, schema: z.ZodType<T>): Promise<T> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return schema.parse(await answer);
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    const message = messageSchema.parse(JSON.parse(text));
    if (message.type === "event") return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "success") waiting?.resolve(message.result);
    else waiting?.reject(new Error(`${message.error}: ${message.message}`));
  }
}

export async function openFirefox(): Promise<DrivenPage> {
  const home = mkdtempSync(join(tmpdir(), "tensordeck-firefox-"));
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(home, "user.js"), preferences.join(""));
  const args = ["--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0"];
  const process = await spawnPeer(firefoxPath(), args, {
    // It writes to no other folder, and as root it runs in none that is not root's.
    env: { ...environmentWithoutProxies(), HOME: home, TMPDIR: home },
    ready: /WebDriver BiDi listening on (ws:\/\/\S+)/,
    group: true,
  });
  const close = async () => {
    await process.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const session = await BidiSession.connect(`${process.match?.[1]}/session`);
    const { capabilities } = await session.send("session.new", { capabilities: {} }, sessionSchema);
    const tree = await session.send("browsingContext.getTree", {}, contextsSchema);
    const { context } = tree.contexts[0];
    await session.send("browsingContext.setViewport", { context, viewport: PAGE }, z.unknown());
    const functionDeclaration = `() => { ${NOTE_VIOLATIONS} }`;
    await session.send("script.addPreloadScript", { functionDeclaration }, z.unknown());
    const pointer = new PointerActions((actions) =>
      session.send("input.performActions", { context, actions }, z.unknown()),
    );
    const evaluate = async (body: string) => {
      // As text: BiDi's own way of telling objects is another than JSON.
      const expression = `JSON.stringify((() => { ${body} })())`;
      const params = { expression, target: { context }, awaitPromise: false };
      const result = await session.send("script.evaluate", params, resultSchema);
      if (result.type === "exception") throw new Error(result.exceptionDetails.text);
      const { value } = result.result;
      return value === undefined ? undefined : JSON.parse(value);
    };
    return {
      browser: `Firefox ${capabilities.browserVersion}`,
      open: async (url) => {
        await session.send("browsingContext.navigate", { context, url, wait: "complete" }, z.unknown());
      },
      evaluate,
      moveTo: (point) => pointer.moveTo(point),
      press: () => pointer.press(),
      release: () => pointer.release(),
      violations: async () => z.array(z.string()).parse(await evaluate("return violations;")),
      screenshot: async () => {
        const { data } = await session.send(
          "browsingContext.captureScreenshot",
          { context },
          screenshotSchema,
        );
        return Buffer.from(data, "base64");
      },
      close: async () => {
        session.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
