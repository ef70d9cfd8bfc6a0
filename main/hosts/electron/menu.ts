import type { MenuItemConstructorOptions } from "electron";
import type { NativeMenu, NativeMenuItem } from "../../api/native-menu.js";

const SEPARATOR: MenuItemConstructorOptions = { type: "separator" };

/**
 * The native menu. macOS needs one: without it Cmd+C, Cmd+V and Cmd+Q do nothing. There it has the window's commands,
 * as the window describes them. On the other systems the window has all commands in its own bar and palette, and the
 * menu has only the standard window items.
 *
 * @param choose Called with the key of the chosen command.
 */
export function menuTemplate(
  platform: NodeJS.Platform,
  menu?: NativeMenu,
  choose: (key: string) => void = () => undefined,
): MenuItemConstructorOptions[] {
  const screen: MenuItemConstructorOptions[] = [
    { role: "togglefullscreen" },
    SEPARATOR,
    { role: "toggleDevTools" },
  ];
  if (platform !== "darwin") {
    return [{ label: "File", submenu: [{ role: "quit" }] }, textMenu, { label: "View", submenu: screen }];
  }
  if (menu === undefined) return [{ role: "appMenu" }, textMenu, { role: "windowMenu" }];
  const itemsOf = (items: readonly NativeMenuItem[]) => items.map((item) => itemTemplate(item, choose));
  return [
    { role: "appMenu", submenu: [...itemsOf(menu.app), SEPARATOR, ...programItems] },
    ...menu.menus.map(
      ({ label, items, takesScreen, takesRecent }): MenuItemConstructorOptions => ({
        label,
        submenu: [
          ...itemsOf(items),
          ...(takesScreen ? [SEPARATOR, ...screen] : []),
          ...(takesRecent ? [SEPARATOR, recentMenu] : []),
        ],
      }),
    ),
    { role: "windowMenu" },
    { role: "help", submenu: itemsOf(menu.help) },
  ];
}

/** Text editing, while no window describes its commands. */
const textMenu: MenuItemConstructorOptions = {
  label: "Edit",
  submenu: [
    { role: "undo" },
    { role: "redo" },
    SEPARATOR,
    { role: "cut" },
    { role: "copy" },
    { role: "paste" },
    { role: "selectAll" },
  ],
};

/** The system's own list, which macOS fills. */
const recentMenu: MenuItemConstructorOptions = {
  role: "recentDocuments",
  submenu: [{ role: "clearRecentDocuments" }],
};

/** The standard items of the application menu on macOS. */
const programItems: MenuItemConstructorOptions[] = [
  { role: "services" },
  SEPARATOR,
  { role: "hide" },
  { role: "hideOthers" },
  { role: "unhide" },
  SEPARATOR,
  { role: "quit" },
];

function itemTemplate(item: NativeMenuItem, choose: (key: string) => void): MenuItemConstructorOptions {
  switch (item.kind) {
    case "separator":
      return SEPARATOR;
    case "role":
      return { role: item.role };
    case "submenu":
      return { label: item.label, submenu: item.items.map((one) => itemTemplate(one, choose)) };
    case "command": {
      const { key, label, accelerator, enabled, checked } = item;
      return {
        label,
        enabled,
        ...(accelerator === undefined ? {} : { accelerator }),
        ...(checked === undefined ? {} : { type: "checkbox", checked }),
        click: () => choose(key),
      };
    }
  }
}
