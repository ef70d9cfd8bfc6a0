/** Documents that the system hands to the desktop program, and its lists of recent ones. */
import { EventEmitter } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "electron";
import { describe, expect, test, vi } from "vitest";
import { pathOfLink, pathsInArguments } from "../../../../main/hosts/electron/asked-paths.js";
import { keepCrashDumps } from "../../../../main/hosts/electron/crash-dumps.js";
import { followSystem, RecentDocuments } from "../../../../main/hosts/electron/system-requests.js";

describe("the documents in arguments", () => {
  test("are files of known types, relative to the folder of the call, and those of links", () => {
    const args = ["--inspect", "graph.pbtxt", "/data/Model.ONNX", "notes.txt", "", "-x.pb", "--", "."];
    expect(pathsInArguments(args, "/home/ada", "linux")).toEqual([
      "/home/ada/graph.pbtxt",
      "/data/Model.ONNX",
    ]);
    expect(pathsInArguments(["tensordeck://open?path=%2Fa%20b.pb"], "/", "linux")).toEqual(["/a b.pb"]);
    expect(pathsInArguments(["graph.pb"], "C:\\graphs", "win32")).toEqual(["C:\\graphs\\graph.pb"]);
  });
});

describe("a link", () => {
  const link = (path: string) => `tensordeck://open?path=${encodeURIComponent(path)}`;

  test("opens a document of this machine by its absolute path", () => {
    expect(pathOfLink(link("/home/ada/graph.pbtxt"), "linux")).toBe("/home/ada/graph.pbtxt");
    expect(pathOfLink(link("/home/ada/../b/model.keras"), "darwin")).toBe("/home/b/model.keras");
    expect(pathOfLink(link("C:/graphs/graph.pb"), "win32")).toBe("C:\\graphs\\graph.pb");
  });

  test.each([
    ["a network share", link("\\\\evil.example\\share\\graph.pb")],
    ["a share with slashes", link("//evil.example/share/graph.pb")],
    ["a device", link("\\\\?\\C:\\graph.pb")],
    ["a drive's relative path", link("C:graph.pb")],
    ["a relative path", link("graph.pb")],
    ["another type of file", link("C:/Windows/system32/calc.exe")],
    ["control characters", link("C:/a\nb.pb")],
    ["no path", "tensordeck://open"],
    ["an empty path", link("")],
    ["something besides the path", `${link("C:/a.pb")}&run=1`],
    ["two paths", `${link("C:/a.pb")}&path=C:/b.pb`],
    ["another action", link("C:/a.pb").replace("open", "run")],
    ["a path of the link", link("C:/a.pb").replace("open", "open/more")],
    ["an account", link("C:/a.pb").replace("open", "me@open")],
    ["another scheme", link("C:/a.pb").replace("tensordeck", "file")],
    ["a length that no path has", link(`C:/${"a".repeat(5000)}.pb`)],
    ["nonsense", "tensordeck:"],
  ])("with %s opens nothing", (_name, text) => {
    expect(pathOfLink(text, "win32")).toBeUndefined();
    if (!text.includes("C%3A")) expect(pathOfLink(text, "linux")).toBeUndefined();
  });
});

function started(isPackaged: boolean, argv: readonly string[]) {
  const app = Object.assign(new EventEmitter(), {
    isPackaged,
    setAsDefaultProtocolClient: vi.fn(() => true),
    addRecentDocument: vi.fn(),
  });
  const onDocuments = vi.fn();
  const onShow = vi.fn();
  followSystem({ app: app as unknown as App, onDocuments, onShow, argv, folder: "/home/ada" });
  return { app, onDocuments, onShow };
}

describe("the program", () => {
  test("opens what its own arguments name, without the program and Electron's folder", () => {
    const packaged = started(true, ["/opt/tensordeck.pb", "a.pb"]);
    expect(packaged.onDocuments).toHaveBeenCalledExactlyOnceWith(["/home/ada/a.pb"]);
    expect(packaged.app.setAsDefaultProtocolClient).toHaveBeenCalledExactlyOnceWith("tensordeck");
    const fromSources = started(false, ["electron", "/clone.pb", "a.pb"]);
    expect(fromSources.onDocuments).toHaveBeenCalledExactlyOnceWith(["/home/ada/a.pb"]);
    // The system would remember Electron itself.
    expect(fromSources.app.setAsDefaultProtocolClient).not.toHaveBeenCalled();
    expect(packaged.onShow).not.toHaveBeenCalled();
  });

  test("shows itself with the document that is opened, clicked on, or named to a second start", () => {
    const { app, onDocuments, onShow } = started(true, ["tensordeck"]);
    const event = { preventDefault: vi.fn() };
    app.emit("open-file", event, "/Users/ada/graph.pbtxt");
    expect(onDocuments).toHaveBeenLastCalledWith(["/Users/ada/graph.pbtxt"]);
    app.emit("open-url", event, "tensordeck://open?path=/tmp/a.pb");
    expect(onDocuments).toHaveBeenLastCalledWith(["/tmp/a.pb"]);
    expect(event.preventDefault).toHaveBeenCalledTimes(2);
    app.emit("second-instance", {}, ["tensordeck", "--flag", "b.pb"], "/home/ada");
    expect(onDocuments).toHaveBeenLastCalledWith(["/home/ada/b.pb"]);
    expect(onShow).toHaveBeenCalledTimes(3);
    // A second start without a document shows the window, too.
    app.emit("second-instance", {}, ["tensordeck"], "/home/ada");
    expect(onDocuments).toHaveBeenLastCalledWith([]);
    expect(onShow).toHaveBeenCalledTimes(4);
    app.emit("open-url", event, "tensordeck://run?path=/tmp/a.pb");
    expect(onShow).toHaveBeenCalledTimes(4);
  });

  test("tells the system of each newly used document once", () => {
    const app = { addRecentDocument: vi.fn() };
    const recent = new RecentDocuments(app);
    recent.update([]);
    recent.update(["/a.pb"]);
    recent.update(["/a.pb"]);
    recent.update(["/b.pb", "/a.pb"]);
    expect(app.addRecentDocument.mock.calls).toEqual([["/a.pb"], ["/b.pb"]]);
  });

  test("keeps crash dumps in its own folder, and sends none", () => {
    const app = { setPath: vi.fn() };
    const crashReporter = { start: vi.fn() };
    const dataDir = mkdtempSync(join(tmpdir(), "tensordeck-crashes-"));
    try {
      keepCrashDumps({ app, crashReporter }, dataDir);
      expect(app.setPath).toHaveBeenCalledExactlyOnceWith("crashDumps", join(dataDir, "crashes"));
      expect(readdirSync(dataDir)).toEqual(["crashes"]);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
    expect(crashReporter.start).toHaveBeenCalledExactlyOnceWith({ uploadToServer: false });
  });
});
