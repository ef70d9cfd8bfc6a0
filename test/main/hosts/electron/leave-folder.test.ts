import { EventEmitter } from "node:events";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { App } from "electron";
import { afterEach, expect, test, vi } from "vitest";
import { leaveFolder } from "../../../../main/hosts/electron/leave-folder.js";
import { followSystem } from "../../../../main/hosts/electron/system-requests.js";

const folder = process.cwd();
afterEach(() => process.chdir(folder));

test("the desktop program leaves the folder of the document that it was opened through", () => {
  const documents: string[] = [];
  const app = Object.assign(new EventEmitter(), {
    isPackaged: true,
    setAsDefaultProtocolClient: vi.fn(() => true),
    addRecentDocument: vi.fn(),
  });
  followSystem({
    app: app as unknown as App,
    onDocuments: (paths) => documents.push(...paths),
    onShow: () => undefined,
    argv: ["tensordeck", "graph.pb"],
  });
  leaveFolder();
  expect(process.cwd()).toBe(homedir());
  // A second instance hands over its own folder.
  app.emit("second-instance", {}, ["tensordeck", "other.pb"], resolve(tmpdir(), "elsewhere"));
  expect(documents).toEqual([join(folder, "graph.pb"), resolve(tmpdir(), "elsewhere", "other.pb")]);
});

test("relative paths in the environment keep their meaning, and shells look for programs in PATH alone", () => {
  const env: NodeJS.ProcessEnv = { TENSORDECK_DATA_DIR: "data" };
  const chdir = vi.fn();
  leaveFolder({ env, chdir }, tmpdir());
  expect(env.TENSORDECK_DATA_DIR).toBe(join(folder, "data"));
  // For what is started through a shell of Windows, such as electron-updater's check of a signature.
  expect(env.NoDefaultCurrentDirectoryInExePath).toBe("1");
  expect(chdir).toHaveBeenCalledExactlyOnceWith(tmpdir());
});
