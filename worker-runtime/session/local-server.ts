import type { SessionConfig } from "./session-options.js";

/** A server that belongs to one session. */
export interface LocalServer {
  /** "grpc://host:port". */
  readonly target: string;
  stop(): Promise<void>;
}

/**
 * Starts a server of one task on a free port, in a process of its own. The engines are loaded only here, as a client of a
 * server elsewhere needs none.
 */
export async function startLocalServer(
  config: SessionConfig | undefined,
  signal: AbortSignal,
): Promise<LocalServer> {
  const { Server } = await import("../engines/server.js");
  return Server.createLocalServer({ config, signal });
}
