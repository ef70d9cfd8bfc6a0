import { readFile } from "node:fs/promises";
import { protocol } from "electron";
import { findStaticFile } from "../headless/static-files.js";
import { contentSecurityPolicy } from "./content-security-policy.js";
import { isWindowUrl, WINDOW_SCHEME } from "./window-address.js";

/** Gives our scheme the rights of a web origin. Must be called before the app is ready. */
export function registerWindowScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: WINDOW_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the window's requests from the folder of the built window. */
export function serveWindow(rendererFolder: string): void {
  protocol.handle(WINDOW_SCHEME, (request) => answerWindowRequest(rendererFolder, request));
}

/** One file of the window, with the headers that confine its page. Never rejects. */
export async function answerWindowRequest(
  rendererFolder: string,
  request: { readonly url: string; readonly method: string },
): Promise<Response> {
  if (request.method !== "GET" || !isWindowUrl(request.url)) return refusal(403, "Not for this page.");
  const { pathname } = new URL(request.url);
  const file = await findStaticFile(rendererFolder, pathname);
  if (file === undefined) {
    return pathname === "/index.html"
      ? refusal(503, "The window is not built. Run: npm run build")
      : refusal(404, "Not found.");
  }
  // Whole: Electron reads it from the archive then, and would unpack it to a temporary folder for a stream.
  const content = await readFile(file.path).catch(() => undefined);
  if (content === undefined) return refusal(404, "Not found.");
  return new Response(new Uint8Array(content), {
    headers: {
      "Content-Type": file.contentType,
      "Content-Length": String(content.byteLength),
      "Content-Security-Policy": contentSecurityPolicy(),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });
}

function refusal(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
