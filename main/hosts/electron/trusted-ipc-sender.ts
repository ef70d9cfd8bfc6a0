import { isWindowUrl } from "./window-address.js";

/** The part of a frame that identifies it; null when the frame is gone. */
export interface SenderFrame {
  readonly url: string;
  readonly parent: unknown;
}

/**
 * Whether a message over Electron's IPC comes from our window's own page.
 *
 * Every frame of every web contents can send on every channel, so that a frame inside the page, or a page that the
 * window was made to load, could call the application with this account's rights. Only the main frame of a page from our own
 * scheme is answered: https://www.electronjs.org/docs/latest/tutorial/security#17-validate-the-sender-of-all-ipc-messages
 */
export function isTrustedIpcSender(frame: SenderFrame | null): boolean {
  return frame !== null && frame.parent === null && isWindowUrl(frame.url);
}
