import { EventEmitter } from "node:events";
import type { MenuItemConstructorOptions } from "electron";
import { beforeEach, expect, test, vi } from "vitest";
import type { InUse } from "../../../../main/app/in-use.js";

const made = vi.hoisted(() => ({ trays: [] as { setContextMenu: ReturnType<typeof vi.fn> }[] }));
vi.mock("electron", () => ({
  Menu: { buildFromTemplate: (template: unknown) => template },
  nativeImage: { createFromBitmap: () => ({ setTemplateImage: () => undefined }) },
  Tray: class extends EventEmitter {
    readonly setContextMenu = vi.fn();
    readonly setToolTip = vi.fn();
    readonly destroy = vi.fn();
    constructor() {
      super();
      made.trays.push(this);
    }
  },
}));
const { ApplicationTray, trayTemplate } = await import("../../../../main/hosts/electron/tray.js");

let used: InUse;
const open = vi.fn();
const quit = vi.fn();
const options = { inUse: () => used, open, quit };
const labels = (template: MenuItemConstructorOptions[]) =>
  template.flatMap(({ label, enabled }) =>
    label === undefined ? [] : [enabled === false ? `(${label})` : label],
  );

beforeEach(() => {
  made.trays.length = 0;
  used = { tasks: [{ name: "worker/0", user: "gpu-pc" }], ownTasks: ["worker/1"] };
});

test("the tray's menu opens the window, names what runs, and quits", () => {
  const template = trayTemplate(options);
  expect(labels(template)).toEqual([
    "Open Tensordeck",
    "(Running tasks:)",
    "(worker/0 (gpu-pc))",
    "(worker/1)",
    "Quit Tensordeck",
  ]);
  for (const { click } of template) (click as (() => void) | undefined)?.();
  expect(open).toHaveBeenCalledOnce();
  expect(quit).toHaveBeenCalledOnce();
  used = { tasks: [], ownTasks: Array.from({ length: 12 }, (_, index) => `worker/${index}`) };
  expect(labels(trayTemplate(options))).toContain("(and 2 more)");
  used = { tasks: [], ownTasks: [] };
  expect(labels(trayTemplate(options))).toContain("(No tasks run)");
});

test("the tray is created once, and its menu is rebuilt only when the running tasks change", () => {
  const tray = new ApplicationTray(options);
  tray.update();
  expect(made.trays).toHaveLength(0);
  tray.show();
  tray.show();
  tray.update();
  expect(made.trays).toHaveLength(1);
  expect(made.trays[0]?.setContextMenu).toHaveBeenCalledOnce();
  used = { tasks: [], ownTasks: [] };
  tray.update();
  expect(made.trays[0]?.setContextMenu).toHaveBeenCalledTimes(2);
  tray.hide();
  tray.show();
  expect(made.trays).toHaveLength(2);
});
