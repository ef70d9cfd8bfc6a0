import type { Duplex } from "node:stream";

/** The window as a page that a paired machine can show through the agent of this machine. */
export interface SharedWindow {
  /** A one-time secret for a window. */
  issueToken(): string;
  /**
   * Serves a browser's connection that came through the agent.
   *
   * @param port the port of its own machine's loopback interface under which that browser knows the window.
   */
  serve(socket: Duplex, port: number): void;
}
