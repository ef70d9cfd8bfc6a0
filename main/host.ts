import type { Duplex } from "node:stream";
import type { AppInfo, PickFile } from "./api/app.js";

/** The window as a page that a paired machine can show, through the agent of this one. */
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

/** What the application needs of the host that shows its windows: all that differs between the two. */
export interface Host {
  readonly kind: AppInfo["host"];
  /** The system's own file dialog; answers undefined when the user cancels. Absent where there is none. */
  pickFile?(request: PickFile): Promise<string | undefined>;
  /** A fresh one-time address for another browser tab. Absent where windows are not pages of a browser. */
  newWindowUrl?(): string;
  /** Absent where windows are not pages of a browser. */
  readonly sharedWindow?: SharedWindow;
}
