/** Electron's Menu, Tray and nativeImage. */
import { EventEmitter } from "node:events";
import type { Menu as ElectronMenu, MenuItemConstructorOptions } from "electron";
import type { MenuEntry } from "../desktop.js";
import { tell } from "./program-channel.js";

/** The actions of roles, such as "quit". */
export const roles = new Map<string, () => void>();

/** Menus: their entries go to the test, their functions stay here. */
export class Menu {
  readonly template: readonly MenuItemConstructorOptions[];

  private constructor(template: readonly MenuItemConstructorOptions[]) {
    this.template = template;
  }

  static buildFromTemplate(template: MenuItemConstructorOptions[]): Menu {
    return new Menu(template);
  }

  static setApplicationMenu(menu: Menu): void {
    menuBar = menu;
    tell({ kind: "menu", menu: menu.entries() });
  }

  entries(): MenuEntry[] {
    return this.template.filter(({ type }) => type !== "separator").map(entryOf);
  }

  /** Does what its entry does. */
  choose(labels: readonly string[]): void {
    let items = this.template;
    let chosen: MenuItemConstructorOptions | undefined;
    for (const label of labels) {
      chosen = items.find((item) => labelOf(item) === label);
      items = Array.isArray(chosen?.submenu) ? chosen.submenu : [];
    }
    const role = roles.get(chosen?.role ?? "");
    if (role) role();
    else if (chosen?.click && chosen.enabled !== false) {
      chosen.click(undefined as never, undefined, {} as never);
    } else throw new Error(`The menu has no command ${labels.join(" > ")}.`);
  }
}

let menuBar: Menu | undefined;

/** Chooses from the menu bar. */
export function chooseFromMenu(labels: readonly string[]): void {
  menuBar?.choose(labels);
}

/** Chooses from the menu of the program in the tray. */
export function chooseFromTray(label: string): void {
  shownTray?.menu?.choose([label]);
}

/** Electron names the entries of roles by itself. */
function labelOf({ label, role }: MenuItemConstructorOptions): string {
  return label ?? role ?? "";
}

function entryOf(item: MenuItemConstructorOptions): MenuEntry {
  return {
    label: labelOf(item),
    enabled: item.enabled !== false,
    ...(item.role === undefined ? {} : { role: item.role }),
    ...(Array.isArray(item.submenu)
      ? { submenu: item.submenu.filter(({ type }) => type !== "separator").map(entryOf) }
      : {}),
  };
}

let shownTray: { readonly menu: Menu | undefined } | undefined;

export class Tray extends EventEmitter {
  constructor(image: unknown) {
    super();
    if (image === undefined) throw new TypeError("A tray needs an image.");
    this.#show(undefined);
  }

  setToolTip(): void {}

  setContextMenu(menu: ElectronMenu): void {
    this.#show(menu as unknown as Menu);
  }

  destroy(): void {
    shownTray = undefined;
    tell({ kind: "tray", menu: undefined });
  }

  #show(menu: Menu | undefined): void {
    shownTray = { menu };
    tell({ kind: "tray", menu: menu?.entries() ?? [] });
  }
}

export const nativeImage = {
  createFromBitmap: (
    bytes: Buffer,
    { width, height }: { readonly width: number; readonly height: number },
  ) => {
    if (bytes.length !== width * height * 4) throw new TypeError("A bitmap has four bytes for a pixel.");
    return { setTemplateImage: () => undefined };
  },
};
