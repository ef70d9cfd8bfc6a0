import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebContents } from "electron";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { answerWindowRequest } from "../../../../main/hosts/electron/app-protocol.js";
import { confineNavigation, mayOpenExternally } from "../../../../main/hosts/electron/navigation.js";
import { isPermissionGranted } from "../../../../main/hosts/electron/permissions.js";
import { isTrustedIpcSender } from "../../../../main/hosts/electron/trusted-ipc-sender.js";
import { isWindowUrl, WINDOW_URL } from "../../../../main/hosts/electron/window-address.js";

const electron = vi.hoisted(() => ({ openExternal: vi.fn(async (_url: string) => undefined) }));
vi.mock("electron", () => ({ shell: { openExternal: electron.openExternal }, protocol: {} }));

const FOREIGN_URLS = [
  "https://tensordeck/index.html",
  "app://tensordeck.evil.example/index.html",
  "app://evil/index.html",
  "app://user@tensordeck/index.html",
  "file:///etc/passwd",
  "about:blank",
  "data:text/html,x",
  "not a url",
  "",
];

describe("what counts as the window's own page", () => {
  test("every path of the window's origin", () => {
    expect(isWindowUrl(WINDOW_URL)).toBe(true);
    expect(isWindowUrl("app://tensordeck/assets/index-1.js?x#y")).toBe(true);
  });

  test.each(FOREIGN_URLS)("not %j", (url) => {
    expect(isWindowUrl(url)).toBe(false);
  });

  test("IPC is answered for its main frame only", () => {
    expect(isTrustedIpcSender({ url: WINDOW_URL, parent: null })).toBe(true);
    expect(isTrustedIpcSender({ url: WINDOW_URL, parent: {} })).toBe(false);
    expect(isTrustedIpcSender({ url: "https://example.com/", parent: null })).toBe(false);
    expect(isTrustedIpcSender(null)).toBe(false);
  });

  test("it may write the clipboard; no page gets any other permission", () => {
    expect(isPermissionGranted("clipboard-sanitized-write", WINDOW_URL)).toBe(true);
    expect(isPermissionGranted("clipboard-sanitized-write", "https://example.com/")).toBe(false);
    for (const permission of ["clipboard-read", "media", "geolocation", "notifications", "openExternal"]) {
      expect(isPermissionGranted(permission, WINDOW_URL)).toBe(false);
    }
  });
});

describe("navigation", () => {
  class Contents extends EventEmitter {
    openHandler: ((details: { url: string }) => unknown) | undefined;
    setWindowOpenHandler(handler: (details: { url: string }) => unknown): void {
      this.openHandler = handler;
    }
  }
  function confined(given: readonly string[] = []): Contents {
    const contents = new Contents();
    confineNavigation(contents as unknown as WebContents, new Set(given));
    return contents;
  }
  function prevented(contents: Contents, name: string, url: string): boolean {
    const event = { url, preventDefault: vi.fn() };
    contents.emit(name, event);
    return event.preventDefault.mock.calls.length > 0;
  }

  beforeEach(() => electron.openExternal.mockClear());

  test.each(["will-navigate", "will-redirect"])("%s stays on the window's own pages", (name) => {
    const contents = confined();
    expect(prevented(contents, name, WINDOW_URL)).toBe(false);
    for (const url of FOREIGN_URLS) expect(prevented(contents, name, url)).toBe(true);
  });

  test("no page is embedded", () => {
    expect(prevented(confined(), "will-attach-webview", WINDOW_URL)).toBe(true);
  });

  test("no second window is made; an https link goes to the system's browser", () => {
    const contents = confined();
    expect(contents.openHandler?.({ url: "https://www.tensorflow.org/api_docs" })).toEqual({
      action: "deny",
    });
    expect(electron.openExternal).toHaveBeenCalledExactlyOnceWith("https://www.tensorflow.org/api_docs");
    expect(contents.openHandler?.({ url: WINDOW_URL })).toEqual({ action: "deny" });
    expect(electron.openExternal).toHaveBeenCalledTimes(1);
  });

  test("the address of another machine's window goes there as well, once, and no other of this machine", () => {
    const url = "http://127.0.0.1:40001/#token=a";
    const contents = confined([url]);
    for (const asked of ["http://127.0.0.1:40001/#token=b", url, url]) contents.openHandler?.({ url: asked });
    expect(electron.openExternal).toHaveBeenCalledExactlyOnceWith(url);
  });

  test.each([
    "http://example.com/",
    "file:///usr/bin/xterm",
    "javascript:alert(1)",
    "mailto:a@example.com",
    "https://trusted.example@evil.example/",
    "nonsense",
  ])("%j is not handed to the system", (url) => {
    expect(mayOpenExternally(url)).toBe(false);
  });
});

describe("the window's files", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-window-"));
    mkdirSync(join(folder, "built"));
    writeFileSync(join(folder, "built", "index.html"), "<p>window</p>");
    writeFileSync(join(folder, "secret.txt"), "outside");
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const get = (url: string, method = "GET") => answerWindowRequest(join(folder, "built"), { url, method });

  test("come with their type and a policy that lets the page load nothing from elsewhere", async () => {
    const response = await get(WINDOW_URL);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("<p>window</p>");
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
  });

  test("are read from their folder only", async () => {
    for (const path of ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/nothing.js"]) {
      expect((await get(`app://tensordeck${path}`)).status).toBe(404);
    }
  });

  test("are neither given to other origins nor written", async () => {
    expect((await get("app://other/index.html")).status).toBe(403);
    expect((await get(WINDOW_URL, "POST")).status).toBe(403);
  });

  test("a window that was not built says so", async () => {
    const response = await answerWindowRequest(join(folder, "absent"), { url: WINDOW_URL, method: "GET" });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("npm run build");
  });
});
