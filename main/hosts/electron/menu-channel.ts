import { type IpcMainEvent, ipcMain, type MenuItemConstructorOptions } from "electron";
import { nativeMenuSchema } from "../../api/native-menu.js";
import { menuTemplate } from "./menu.js";
import { isTrustedIpcSender } from "./trusted-ipc-sender.js";

/** Names as in preload.cts, which cannot import this file: a sandboxed preload script is one file. */
export const MENU_CHANNEL = "tensordeck:menu";
export const CHOSEN_CHANNEL = "tensordeck:menu-chosen";

/**
 * Shows the menu that the window describes, and tells the window what was chosen. Without a window, none of its commands
 * is there. Messages from another page, and invalid menus, are ignored.
 */
export function serveMenu(show: (template: MenuItemConstructorOptions[]) => void): void {
  const senders = new WeakSet<object>();
  ipcMain.on(MENU_CHANNEL, ({ sender, senderFrame }: IpcMainEvent, described: unknown) => {
    const menu = nativeMenuSchema.safeParse(described);
    if (!isTrustedIpcSender(senderFrame) || !menu.success) return;
    show(
      menuTemplate("darwin", menu.data, (key) => {
        if (!sender.isDestroyed()) sender.send(CHOSEN_CHANNEL, key);
      }),
    );
    if (senders.has(sender)) return;
    senders.add(sender);
    sender.once("destroyed", () => show(menuTemplate("darwin")));
  });
}
