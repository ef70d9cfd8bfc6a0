/** The native menu of macOS, as the window describes it, and of other systems. */
import type { MenuItemConstructorOptions } from "electron";
import { expect, test } from "vitest";
import type { NativeMenu } from "../../../../main/api/native-menu.js";
import { menuTemplate } from "../../../../main/hosts/electron/menu.js";

const command = (key: string) => ({ kind: "command", key, label: key, enabled: true }) as const;

/** As a translated window describes it: no label is the English one. */
const described: NativeMenu = {
  app: [command("settings")],
  menus: [
    { label: "Bearbeiten", items: [command("undo")], takesScreen: false },
    { label: "View", items: [command("open")] },
    { label: "Ablage", items: [command("save")], takesRecent: true },
    { label: "Ansicht", items: [command("fit")], takesScreen: true },
  ],
  help: [],
};

function itemsOf(template: readonly MenuItemConstructorOptions[], label: string): (string | undefined)[] {
  const submenu = template.find((one) => one.label === label)?.submenu;
  return Array.isArray(submenu) ? submenu.map(({ role, label: name, type }) => role ?? name ?? type) : [];
}

test("full screen and developer tools stand in the menu that takes them, whatever it is called", () => {
  const template = menuTemplate("darwin", described);
  expect(itemsOf(template, "Ansicht")).toEqual([
    ...["fit", "separator"],
    ...["togglefullscreen", "separator", "toggleDevTools"],
  ]);
  expect(itemsOf(template, "Bearbeiten")).toEqual(["undo"]);
  expect(itemsOf(template, "Ablage")).toEqual(["save", "separator", "recentDocuments"]);
  // A label alone decides nothing.
  expect(itemsOf(template, "View")).toEqual(["open"]);
  expect(template.map(({ role, label }) => role ?? label)).toEqual([
    ...["appMenu", "Bearbeiten", "View", "Ablage", "Ansicht"],
    ...["windowMenu", "help"],
  ]);
});

test("they stand in a menu of their own on other systems, and nowhere while no window describes one", () => {
  expect(itemsOf(menuTemplate("linux", described), "View")).toEqual([
    ...["togglefullscreen", "separator", "toggleDevTools"],
  ]);
  const bare = menuTemplate("darwin");
  expect(bare.map(({ role, label }) => role ?? label)).toEqual(["appMenu", "Edit", "windowMenu"]);
});
