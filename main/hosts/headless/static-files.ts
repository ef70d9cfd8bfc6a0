/** The built window's files, read from one folder and nowhere else. */
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { pipeline } from "node:stream/promises";

const contentTypes = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".map", "application/json; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
  [".wasm", "application/wasm"],
  [".txt", "text/plain; charset=utf-8"],
]);

export interface StaticFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** True for files whose name changes with their content. */
  readonly immutable: boolean;
}

/**
 * The file that a URL's path names, or undefined when the folder has none.
 * A path that would leave the folder, by dots or by a link, names none.
 */
export async function findStaticFile(root: string, urlPath: string): Promise<StaticFile | undefined> {
  const relative = decodePath(urlPath);
  if (relative === undefined) return undefined;
  try {
    const folder = await realpath(root);
    const path = await realpath(join(folder, relative === "" ? "index.html" : relative));
    if (!path.startsWith(folder + sep)) return undefined;
    const stats = await stat(path);
    const contentType = contentTypes.get(extname(path).toLowerCase());
    if (!stats.isFile() || contentType === undefined) return undefined;
    return { path, sizeBytes: stats.size, contentType, immutable: relative.startsWith("assets/") };
  } catch {
    return undefined;
  }
}

/** The path below the folder with "/" between its parts, or undefined for one that no file of the window has. */
function decodePath(urlPath: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return undefined;
  }
  if (!decoded.startsWith("/") || /[\0\\:]/.test(decoded)) return undefined;
  const parts = decoded.slice(1).split("/");
  const allowed = parts.every((part, i) => (part !== "" || i === parts.length - 1) && !part.startsWith("."));
  return allowed ? parts.join("/") : undefined;
}

/** Sends a file; a reader that goes away ends the reading. */
export async function sendStaticFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
): Promise<void> {
  response.writeHead(200, {
    "Content-Type": file.contentType,
    "Content-Length": file.sizeBytes,
    "Cache-Control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  await pipeline(createReadStream(file.path), response).catch(() => response.destroy());
}
