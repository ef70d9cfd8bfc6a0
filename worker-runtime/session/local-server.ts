import type { SessionOptions } from "./session-options.js";

/** A server that belongs to one session. */
export interface LocalServer {
  /** "grpc://host:port". */
  readonly target: string;
  stop(): Promise<void>;
}

/**
 * Starts a server of one task on a free port, in its own process. Engines are loaded only here, since a client of a
 * remote server needs none. The session's configuration is also the server's default: some options, such as the share
 * of a GPU's memory to allocate, are read only when devices are created.
 */
export async function startLocalServer(
  { server, config }: Pick<SessionOptions, "server" | "config">,
  signal: AbortSignal,
): Promise<LocalServer> {
  const { Server } = await import("../engines/server.js");
  return Server.createLocalServer({ config, ...server, signal });
}
