import type { MenuItemConstructorOptions } from "electron";

/**
 * The native menu. macOS needs one: without it Cmd+C, Cmd+V and Cmd+Q do nothing. On the other systems the window has
 * all commands in its own bar and palette, and the menu only carries what concerns the window as a window.
 */
export function menuTemplate(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const edit: MenuItemConstructorOptions = {
    label: "Edit",
    submenu: [
      // Undo and redo are the document's own; outside of text fields the page takes their keys.
      { role: "undo" },
      { role: "redo" },
      { type: "separator" },
      { role: "cut" },
      { role: "copy" },
      { role: "paste" },
      { role: "selectAll" },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: "View",
    submenu: [{ role: "togglefullscreen" }, { type: "separator" }, { role: "toggleDevTools" }],
  };
  if (platform === "darwin") return [{ role: "appMenu" }, edit, view, { role: "windowMenu" }];
  return [{ label: "File", submenu: [{ role: "quit" }] }, edit, view];
}
