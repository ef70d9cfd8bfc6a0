/**
 * WebKitGTK's small browser on a display in memory, over WebDriver (https://www.w3.org/TR/webdriver2). Playwright drives its
 * own builds of WebKit only.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { z } from "zod";
import { withDeadline } from "../../../../worker-runtime/cancellation/deadline.js";
import { requirePeer } from "../../../support/find-peers.js";
import { environmentWithoutProxies, freePort, spawnPeer } from "../../../support/processes.js";
import { type DrivenPage, PAGE } from "./driven-page.js";
import { PointerActions } from "./pointer-actions.js";

/** The display is larger than the page: the browser has a bar of tools above it. */
const DISPLAY = { width: PAGE.width + 100, height: PAGE.height + 200 };
const ANSWER_MILLIS = 120_000;

const answerSchema = z.object({ value: z.unknown() });
const errorSchema = z.object({ value: z.object({ error: z.string(), message: z.string() }) });
const sessionSchema = z.object({
  sessionId: z.string(),
  capabilities: z.object({ browserVersion: z.string() }),
});
const sizeSchema = z.object({ width: z.number(), height: z.number() });

async function call<T>(method: string, address: string, schema: z.ZodType<T>, body?: object): Promise<T> {
  const answer = await withDeadline(ANSWER_MILLIS, undefined, async (signal): Promise<unknown> => {
    const response = await fetch(address, {
      method,
      signal,
      headers: { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await response.json();
  });
  const failure = errorSchema.safeParse(answer);
  if (failure.success) throw new Error(`${failure.data.value.error}: ${failure.data.value.message}`);
  return schema.parse(answerSchema.parse(answer).value);
}

export async function openWebkit(): Promise<DrivenPage> {
  requirePeer("webkit");
  const home = mkdtempSync(join(tmpdir(), "tensordeck-webkit-"));
  const screen = `${DISPLAY.width}x${DISPLAY.height}x24`;
  const server = await spawnPeer("Xvfb", ["-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp"], {
    ready: /^(\d+)$/m,
  });
  const port = await freePort();
  const process = await spawnPeer("WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], {
    env: {
      ...environmentWithoutProxies(),
      DISPLAY: `:${server.match?.[1]}`,
      // It writes to no other folder, and neither asks for a bus nor for a GPU.
      ...{ HOME: home, XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, TMPDIR: home },
      ...{ DBUS_SESSION_BUS_ADDRESS: "disabled:", NO_AT_BRIDGE: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
      ...{ GTK_THEME: "Adwaita:dark", WAYLAND_DISPLAY: "" },
    },
    group: true,
  });
  const close = async () => {
    await process.stop();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const base = `http://127.0.0.1:${port}/session`;
    await expectAnswer(`http://127.0.0.1:${port}/status`);
    const capabilities = { alwaysMatch: { browserName: "MiniBrowser" } };
    const session = await call("POST", base, sessionSchema, { capabilities });
    const at = `${base}/${session.sessionId}`;
    const evaluate = async (body: string) => {
      // Values that are not JSON, as the elements of a page, would be told in WebDriver's own way.
      const script = `return JSON.stringify((() => { ${body} })()) ?? null`;
      const text = await call("POST", `${at}/execute/sync`, z.string().nullable(), { script, args: [] });
      return text === null ? undefined : JSON.parse(text);
    };
    await fitPage(at, evaluate);
    const pointer = new PointerActions((actions) => call("POST", `${at}/actions`, z.unknown(), { actions }));
    return {
      browser: `WebKitGTK ${session.capabilities.browserVersion}`,
      open: async (url) => void (await call("POST", `${at}/url`, z.unknown(), { url })),
      evaluate,
      moveTo: (point) => pointer.moveTo(point),
      press: () => pointer.press(),
      release: () => pointer.release(),
      violations: async () => {
        // No script can run before those of the page, but its reports are kept, and given to an observer a moment later.
        await evaluate(
          `globalThis.reports = new ReportingObserver(() => {}, { types: ["csp-violation"], buffered: true });
           reports.observe();`,
        );
        const found = await evaluate(
          'return reports.takeRecords().map(({ body }) => body.effectiveDirective + " " + body.blockedURL);',
        );
        return z.array(z.string()).parse(found);
      },
      screenshot: async () => Buffer.from(await call("GET", `${at}/screenshot`, z.base64()), "base64"),
      close: async () => {
        await call("DELETE", at, z.unknown()).catch(() => undefined);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves once the driver serves; it prints nothing. */
async function expectAnswer(address: string): Promise<void> {
  await vi.waitFor(() => call("GET", address, z.unknown()), ANSWER_MILLIS);
}

/** Makes the page as large as in other browsers, by the size of the window around it. */
async function fitPage(session: string, evaluate: (body: string) => Promise<unknown>): Promise<void> {
  const page = sizeSchema.parse(
    await evaluate("return { width: outerWidth - innerWidth, height: outerHeight - innerHeight };"),
  );
  const size = { width: PAGE.width + page.width, height: PAGE.height + page.height };
  await call("POST", `${session}/window/rect`, z.unknown(), size);
}
