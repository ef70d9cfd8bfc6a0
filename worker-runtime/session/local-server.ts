import type { SessionOptions } from "./session-options.js";

/** A server that belongs to one session. */
export interface LocalServer {
  /** "grpc://host:port". */
  readonly target: string;
  stop(): Promise<void>;
}

/**
 * Starts a server of one task on a free port, in a process of its own. The engines are loaded only here, as a client of a
 * server elsewhere needs none. The session's configuration is the server's default, too: some options, such as how much of
 * a GPU's memory is taken, are read only when the devices are created.
 */
export async function startLocalServer(
  { server, config }: Pick<SessionOptions, "server" | "config">,
  signal: AbortSignal,
): Promise<LocalServer> {
  const { Server } = await import("../engines/server.js");
  return Server.createLocalServer({ config, ...server, signal });
}
