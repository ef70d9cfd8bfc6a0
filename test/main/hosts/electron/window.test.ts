import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserWindow } from "electron";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pickFile } from "../../../../main/hosts/electron/file-dialogs.js";
import { menuTemplate } from "../../../../main/hosts/electron/menu.js";
import { backgroundColour, windowOptions } from "../../../../main/hosts/electron/window-options.js";
import {
  reachableBounds,
  readWindowState,
  writeWindowState,
} from "../../../../main/hosts/electron/window-state.js";

const dialog = vi.hoisted(() => ({ showOpenDialog: vi.fn(), showSaveDialog: vi.fn() }));
vi.mock("electron", () => ({ dialog }));

describe("the window's place", () => {
  const screens = [
    { x: 0, y: 0, width: 1920, height: 1040 },
    { x: 1920, y: 0, width: 1280, height: 1024 },
  ];
  const at = (x: number, y: number, width = 1200, height = 800) => ({
    bounds: { x, y, width, height },
    maximized: false,
  });

  test("is kept while its title bar can be reached", () => {
    expect(reachableBounds(at(100, 50), screens)).toEqual(at(100, 50).bounds);
    expect(reachableBounds(at(2000, 0), screens)).toEqual(at(2000, 0).bounds);
    expect(reachableBounds(at(-1000, 0), screens)).toEqual(at(-1000, 0).bounds);
  });

  test("is given up when its screen is gone or its title bar is off the screen", () => {
    expect(reachableBounds(at(2000, 0), screens.slice(0, 1))).toBeUndefined();
    expect(reachableBounds(at(100, -30), screens)).toBeUndefined();
    expect(reachableBounds(at(100, 1030), screens)).toBeUndefined();
    expect(reachableBounds(at(-1190, 0), screens)).toBeUndefined();
    expect(reachableBounds(undefined, screens)).toBeUndefined();
  });

  test("is never smaller than the window may be", () => {
    expect(reachableBounds(at(0, 0, 200, 100), screens)).toEqual({ x: 0, y: 0, width: 900, height: 600 });
  });

  describe("on disk", () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "tensordeck-window-state-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    test("survives, in a folder that is made for it", () => {
      const file = join(folder, "new", "window.json");
      writeWindowState(file, at(1, 2));
      expect(readWindowState(file)).toEqual(at(1, 2));
    });

    test.each(["", "{", "[]", '{"bounds":{"x":0,"y":0,"width":-5,"height":5},"maximized":false}'])(
      "%j is ignored",
      (content) => {
        const file = join(folder, "window.json");
        writeFileSync(file, content);
        expect(readWindowState(file)).toBeUndefined();
      },
    );

    test("a place that cannot be written is no failure", () => {
      const file = join(folder, "file");
      writeFileSync(file, "x");
      writeWindowState(join(file, "window.json"), at(1, 2));
      expect(readFileSync(file, "utf8")).toBe("x");
    });
  });
});

describe("the window", () => {
  test("gives its page no rights of Node", () => {
    const { webPreferences, show } = windowOptions({
      preload: "/p.cjs",
      backgroundColor: "#000000",
      bounds: undefined,
    });
    expect(webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      preload: "/p.cjs",
    });
    expect(show).toBe(false);
  });

  test("has the theme's colour before its page is drawn", () => {
    expect(backgroundColour("dark", false)).toBe("#0B0D10");
    expect(backgroundColour("light", true)).toBe("#FFFFFF");
    expect(backgroundColour("system", true)).toBe(backgroundColour("dark", false));
    expect(backgroundColour("system", false)).toBe(backgroundColour("light", false));
  });

  test("macOS gets the app menu, without which Cmd+Q and Cmd+C do nothing", () => {
    const mac = menuTemplate("darwin");
    expect(mac[0]).toEqual({ role: "appMenu" });
    const roles = mac.flatMap((item) => (Array.isArray(item.submenu) ? item.submenu : [])).map((i) => i.role);
    expect(roles).toEqual(expect.arrayContaining(["copy", "paste", "selectAll"]));
    expect(menuTemplate("linux").some((item) => item.role === "appMenu")).toBe(false);
  });
});

describe("file dialogs", () => {
  const window = {} as BrowserWindow;
  beforeEach(() => vi.resetAllMocks());

  test("open: the wanted endings first, then all files", async () => {
    dialog.showOpenDialog.mockResolvedValue({ canceled: false, filePaths: ["/g.pbtxt"] });
    const picked = await pickFile(window, { mode: "open", title: "Open", extensions: ["pbtxt", "pb"] });
    expect(picked).toBe("/g.pbtxt");
    expect(dialog.showOpenDialog).toHaveBeenCalledWith(
      window,
      expect.objectContaining({
        filters: [
          { name: ".pbtxt, .pb", extensions: ["pbtxt", "pb"] },
          { name: "All files", extensions: ["*"] },
        ],
        properties: ["openFile"],
      }),
    );
  });

  test("save: under the suggested name, without a window too", async () => {
    dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath: "/out.npy" });
    const request = { mode: "save" as const, title: "Save", extensions: [], suggestedName: "out.npy" };
    expect(await pickFile(undefined, request)).toBe("/out.npy");
    expect(dialog.showSaveDialog).toHaveBeenCalledWith(expect.objectContaining({ defaultPath: "out.npy" }));
  });

  test("cancelled: nothing", async () => {
    dialog.showOpenDialog.mockResolvedValue({ canceled: true, filePaths: [] });
    dialog.showSaveDialog.mockResolvedValue({ canceled: true, filePath: "" });
    expect(await pickFile(window, { mode: "open", title: "", extensions: [] })).toBeUndefined();
    expect(await pickFile(window, { mode: "save", title: "", extensions: [] })).toBeUndefined();
  });
});
