import { shell, type WebContents } from "electron";
import { isWindowUrl } from "./window-address.js";

/**
 * Whether a link may be opened in the system's browser. Only https: other schemes start programs (mailto:, ms-msdt:,
 * file:), and an address with a user name in it usually imitates another one.
 */
export function mayOpenExternally(url: string): boolean {
  try {
    const { protocol, username, password } = new URL(url);
    return protocol === "https:" && username === "" && password === "";
  } catch {
    return false;
  }
}

/**
 * Keeps the window on its own page: no other page is loaded into it, and no second window is opened by it.
 *
 * @param given Addresses that the application itself issued, those of other machines' windows. They are on this machine
 *   and valid for one visit; each is handed to the system's browser once.
 */
export function confineNavigation(contents: WebContents, given: Set<string>): void {
  contents.on("will-navigate", (event) => {
    if (!isWindowUrl(event.url)) event.preventDefault();
  });
  contents.on("will-redirect", (event) => {
    if (!isWindowUrl(event.url)) event.preventDefault();
  });
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // The promise rejects if the system has no browser; nothing can be shown then.
    if (mayOpenExternally(url) || given.delete(url)) shell.openExternal(url).catch(() => undefined);
    return { action: "deny" };
  });
}
