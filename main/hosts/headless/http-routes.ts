/** The headless host's plain HTTP routes: the window's files, the exchange of a token for a secret, and large content. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { CONTENT_PATH, SESSION_PATH, SOCKET_PATH, sessionRequestSchema } from "../../api/headless.js";
import type { RequestHandler } from "../shared/dispatcher.js";
import { type Access, isOwnHost, isOwnOrigin } from "./access.js";
import { sendContent } from "./content-route.js";
import { findStaticFile, sendStaticFile } from "./static-files.js";

const SESSION_BODY_LIMIT_BYTES = 4096;

export interface RouteOptions {
  readonly access: Access;
  readonly application: Promise<RequestHandler>;
  /** The port under which the browser knows the window: the server's own, or another machine's that shows it. */
  readonly port: number;
  /** Folder of the built window. */
  readonly rendererFolder: string;
}

/** Handles one HTTP request to its end. Never rejects. */
export async function handleHttp(
  options: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { port } = options;
  setSecurityHeaders(response, port);
  if (!isOwnHost(request.headers.host, port)) {
    refuse(response, 403, `This server answers only as 127.0.0.1:${port} or localhost:${port}.`);
    return;
  }
  const path = (request.url ?? "/").split(/[?#]/, 1)[0] ?? "/";
  if (path === SESSION_PATH) {
    await handleSession(options, request, response);
  } else if (path === CONTENT_PATH && request.method === "GET") {
    if (isAdmitted(options, request)) await sendContent(await options.application, request, response);
    else refuse(response, 401, "This secret is not known here.");
  } else if (path === SOCKET_PATH) {
    refuse(response, 426, "This address is for a WebSocket.");
  } else if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    refuse(response, 405, "Only GET and HEAD are answered here.");
  } else {
    const file = await findStaticFile(options.rendererFolder, path);
    if (file) await sendStaticFile(request, response, file);
    else if (path === "/") refuse(response, 503, "The window is not built. Run: npm run build");
    else refuse(response, 404, "Not found.");
  }
}

async function handleSession(
  { access, port }: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("Cache-Control", "no-store");
  if (request.method === "GET") {
    if (isAdmitted({ access }, request)) response.writeHead(204).end();
    else refuse(response, 401, "This secret is not known here.");
    return;
  }
  if (request.method !== "POST") {
    response.setHeader("Allow", "GET, POST");
    refuse(response, 405, "Only GET and POST are answered here.");
    return;
  }
  if (!isOwnOrigin(request.headers.origin, port)) {
    refuse(response, 403, "Another page may not ask for access.");
    return;
  }
  // A page elsewhere can send text/plain without asking first; it cannot send this type.
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) {
    refuse(response, 415, "The body must be application/json.");
    return;
  }
  const body = await readBody(request, SESSION_BODY_LIMIT_BYTES);
  if (body === undefined) {
    response.setHeader("Connection", "close");
    refuse(response, 413, "The body is too large.");
    return;
  }
  const token = sessionRequestSchema.safeParse(parseJson(body));
  if (!token.success) {
    refuse(response, 400, 'The body must be {"token": "…"}.');
    return;
  }
  const secret = access.exchange(token.data.token);
  if (secret === undefined) {
    refuse(response, 401, "This link was used before or has expired. Ask for a new one.");
    return;
  }
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify({ secret }));
}

/** Whether a request has the secret of a tab. */
function isAdmitted({ access }: Pick<RouteOptions, "access">, { headers }: IncomingMessage): boolean {
  const secret = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  return secret !== undefined && access.admits(secret);
}

/** The body as text, or undefined when it is larger than the limit or the sender went away. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limitBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function setSecurityHeaders(response: ServerResponse, port: number): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The component libraries put their rules into style elements at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response.setHeader("Content-Security-Policy", policy.join("; "));
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("X-Frame-Options", "DENY");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  response.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
  response.end(`${text}\n`);
}
