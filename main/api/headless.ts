/**
 * How a browser tab reaches the headless host.
 *
 * The host prints an address that ends in `#token=…`. The page takes the token out of the address bar and exchanges it
 * once, by POST to `SESSION_PATH`, for a secret. It keeps the secret in `sessionStorage`, so that it survives a reload
 * and no other tab, and gives it as a subprotocol when it opens the WebSocket. A GET of `SESSION_PATH` with
 * `Authorization: Bearer <secret>` answers 204 while the secret is good and 401 when it is not, which distinguishes a
 * restarted host from an unreachable one.
 *
 * The content of a large document is read by a GET of `CONTENT_PATH?id=…&offset=…` with the same header: a browser takes
 * one long response in a fraction of the time that it takes for messages of a WebSocket.
 */
import { z } from "zod";

export const SESSION_PATH = "/api/session";
export const SOCKET_PATH = "/api/socket";
export const CONTENT_PATH = "/api/content";

/** The subprotocol that the host selects; the one that carries the secret is never sent back. */
export const SOCKET_PROTOCOL = "tensordeck";

export const sessionRequestSchema = z.object({ token: z.string().min(1).max(256) });
export const contentQuerySchema = z.object({
  id: z.string().min(1).max(256),
  offset: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
});
export const sessionResponseSchema = z.object({ secret: z.string() });

/** The second argument of `new WebSocket(url, …)`. */
export function socketProtocols(secret: string): string[] {
  return [SOCKET_PROTOCOL, secret];
}

/** The secret among the offered subprotocols, if there is one. */
export function secretOfProtocols(protocols: Iterable<string>): string | undefined {
  for (const protocol of protocols) {
    if (protocol !== SOCKET_PROTOCOL) return protocol;
  }
  return undefined;
}

/** The codes with which the host closes a WebSocket. Below 4000: RFC 6455's own codes. */
export const SocketClose = {
  /** The host ends. */
  goingAway: 1001,
  /** A frame was not a request. */
  protocolError: 1002,
  /** A frame was not MessagePack. */
  invalidPayload: 1007,
  /** A frame was larger than the host accepts. */
  tooLarge: 1009,
  /** The tab read its messages too slowly and should reconnect for the current state. */
  tooSlow: 1013,
} as const;

/**
 * MessagePack's settings on both ends. Absent properties are left out rather than sent as nil, which the contract's
 * schemas would refuse.
 */
export const MESSAGE_PACK_ENCODE = { ignoreUndefined: true } as const;
