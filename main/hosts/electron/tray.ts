/** Tensordeck in the system's tray, while it runs without a window. */
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from "electron";
import type { InUse } from "../../app/in-use.js";
import { trayBitmap } from "./tray-icon.js";

/** With more names the menu would be too long to read. */
const MAX_NAMES = 10;

export interface TrayOptions {
  inUse(): InUse;
  open(): void;
  quit(): void;
}

/** The tray's menu: the window, what is running, and quitting. */
export function trayTemplate({ inUse, open, quit }: TrayOptions): MenuItemConstructorOptions[] {
  const { tasks, ownTasks } = inUse();
  const names = [...tasks.map(({ name, user }) => `${name} (${user})`), ...ownTasks];
  const more = names.length - MAX_NAMES;
  const lines = [
    names.length === 0 ? "No tasks run" : "Running tasks:",
    ...names.slice(0, MAX_NAMES),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  return [
    { label: "Open Tensordeck", click: open },
    { type: "separator" },
    ...lines.map((label) => ({ label, enabled: false })),
    { type: "separator" },
    { label: "Quit Tensordeck", click: quit },
  ];
}

export class ApplicationTray {
  readonly #options: TrayOptions;
  #tray: Tray | undefined;
  #shown = "";

  constructor(options: TrayOptions) {
    this.#options = options;
  }

  show(): void {
    if (this.#tray) return;
    const { bytes, size } = trayBitmap(process.platform);
    const image = nativeImage.createFromBitmap(bytes, { width: size, height: size, scaleFactor: 2 });
    if (process.platform === "darwin") image.setTemplateImage(true);
    this.#tray = new Tray(image);
    this.#tray.setToolTip("Tensordeck");
    // On systems where a click does not open the menu, such as Windows, it opens the window.
    this.#tray.on("click", () => this.#options.open());
    this.update();
  }

  /** Shows what runs now; does nothing while it is not in the tray, or the same runs as before. */
  update(): void {
    if (!this.#tray) return;
    const template = trayTemplate(this.#options);
    const labels = template.map(({ label }) => label).join("\n");
    if (labels === this.#shown) return;
    this.#shown = labels;
    this.#tray.setContextMenu(Menu.buildFromTemplate(template));
  }

  hide(): void {
    this.#tray?.destroy();
    this.#tray = undefined;
    this.#shown = "";
  }
}
