import { EventEmitter } from "node:events";
import type { MenuItemConstructorOptions } from "electron";
import { beforeEach, expect, test, vi } from "vitest";
import type { NativeMenu } from "../../../../main/api/native-menu.js";
import { CHOSEN_CHANNEL, MENU_CHANNEL, serveMenu } from "../../../../main/hosts/electron/menu-channel.js";
import { WINDOW_URL } from "../../../../main/hosts/electron/window-address.js";

const ipc = vi.hoisted(() => new Map<string, (event: unknown, menu: unknown) => void>());
vi.mock("electron", () => ({
  ipcMain: {
    on: (channel: string, listener: (event: unknown, menu: unknown) => void) => ipc.set(channel, listener),
  },
}));

class Sender extends EventEmitter {
  readonly send = vi.fn();
  destroyed = false;
  isDestroyed(): boolean {
    return this.destroyed;
  }
}

const described: NativeMenu = {
  app: [{ kind: "command", key: "settings.open", label: "Settings…", enabled: true }],
  menus: [
    {
      label: "Edit",
      items: [
        { kind: "command", key: "edit.undo", label: "Undo", accelerator: "CmdOrCtrl+Z", enabled: false },
        { kind: "separator" },
        { kind: "role", role: "copy" },
      ],
    },
    {
      label: "View",
      items: [
        {
          kind: "submenu",
          label: "Theme",
          items: [{ kind: "command", key: "dark", label: "Dark", enabled: true, checked: true }],
        },
      ],
    },
  ],
  help: [{ kind: "command", key: "help.about", label: "About", enabled: true }],
};

let sender: Sender;
let shown: MenuItemConstructorOptions[][];
const own = { url: WINDOW_URL, parent: null };
const send = (menu: unknown, senderFrame: unknown = own) =>
  ipc.get(MENU_CHANNEL)?.({ sender, senderFrame }, menu);
const itemsOf = ({ submenu }: MenuItemConstructorOptions = {}) => (Array.isArray(submenu) ? submenu : []);
/** Electron hands the item, the window and the event to a click; none of them is looked at. */
const click = (item: MenuItemConstructorOptions | undefined) => (item?.click as (() => void) | undefined)?.();

beforeEach(() => {
  ipc.clear();
  sender = new Sender();
  shown = [];
  serveMenu((template) => shown.push(template));
});

test("the menu bar is what the window describes, between what every program of macOS has", () => {
  send(described);
  const [app, edit, view, windows, help] = shown[0] ?? [];
  expect([app?.role, edit?.label, view?.label, windows?.role, help?.role]).toEqual([
    ...["appMenu", "Edit", "View", "windowMenu", "help"],
  ]);
  expect(itemsOf(app).map(({ label, role }) => label ?? role)).toEqual(
    expect.arrayContaining(["Settings…", "hide", "quit"]),
  );
  expect(itemsOf(edit)).toMatchObject([
    { label: "Undo", enabled: false, accelerator: "CmdOrCtrl+Z" },
    { type: "separator" },
    { role: "copy" },
  ]);
  expect(itemsOf(itemsOf(view)[0])).toMatchObject([{ label: "Dark", type: "checkbox", checked: true }]);
});

test("what is chosen is told to the window that described it, while that is there", () => {
  send(described);
  const [app] = shown[0] ?? [];
  click(itemsOf(app)[0]);
  expect(sender.send).toHaveBeenCalledExactlyOnceWith(CHOSEN_CHANNEL, "settings.open");
  sender.destroyed = true;
  click(itemsOf(app)[0]);
  expect(sender.send).toHaveBeenCalledTimes(1);
});

test("a newer description takes the place of the older, and with the window its commands go", () => {
  send(described);
  send({ ...described, menus: [] });
  expect(shown[1]?.map(({ label, role }) => label ?? role)).toEqual(["appMenu", "windowMenu", "help"]);
  sender.emit("destroyed");
  expect(shown).toHaveLength(3);
  expect(shown[2]?.map(({ label, role }) => label ?? role)).toEqual(["appMenu", "Edit", "windowMenu"]);
});

test.each([
  ["another page", described, { url: "https://example.com/", parent: null }],
  ["a frame in the page", described, { url: WINDOW_URL, parent: {} }],
  ["the window, that is no menu", { ...described, menus: [{ label: "Edit" }] }, own],
])("what comes from %s changes nothing", (_what, menu, frame) => {
  send(menu, frame);
  expect(shown).toEqual([]);
});
