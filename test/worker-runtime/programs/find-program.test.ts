import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, win32 } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findProgram,
  namedProgram,
  pathFolders,
  windowsSystemFolder,
} from "../../../worker-runtime/programs/find-program.js";

const SYSTEM32 = "C:\\Windows\\System32";

/** A search on a Windows with these files; their names are compared as Windows does. */
function onWindows(files: readonly string[], env: Readonly<Record<string, string>>) {
  const present = new Set(files.map((file) => win32.normalize(file).toLowerCase()));
  const asked: string[] = [];
  const isProgram = (file: string) => {
    asked.push(file);
    return present.has(file.toLowerCase());
  };
  const find = (name: string) => findProgram(name, { platform: "win32", env, isProgram });
  return { find, asked };
}

describe("a program on Windows", () => {
  const env = { SystemRoot: "C:\\Windows", Path: "C:\\tools;D:\\more", PATHEXT: ".COM;.EXE;.BAT;.CMD" };

  test("of Windows is the system folder's, whatever PATH has", () => {
    const planted = ["ping", "taskkill"].map((name) => `C:\\tools\\${name}.exe`);
    const { find } = onWindows([...planted, `${SYSTEM32}\\ping.exe`], env);
    expect(find("ping")).toBe(`${SYSTEM32}\\ping.exe`);
    // Only PATH has it.
    expect(find("taskkill")).toBeUndefined();
  });

  test("of another maker is that of PATH's first folder that has it", () => {
    const { find } = onWindows(["D:\\more\\nvidia-smi.exe", "C:\\tools\\uv.exe", "D:\\more\\uv.exe"], env);
    expect(find("nvidia-smi")).toBe("D:\\more\\nvidia-smi.exe");
    expect(find("uv")).toBe("C:\\tools\\uv.exe");
    expect(find("kubectl")).toBeUndefined();
  });

  test("is looked for in absolute folders alone", () => {
    const entries = ["", ".", "bin", "..\\up", "\\rooted", "C:relative", "%SystemRoot%", "C:\\real\\", "/x"];
    const { find, asked } = onWindows([], { PATH: entries.join(";") });
    expect(find("uv")).toBeUndefined();
    expect(asked).toEqual(["C:\\real\\uv.com", "C:\\real\\uv.exe"]);
  });

  test("is found in a folder in quotation marks, and on a share that PATH names", () => {
    const quoted = { PATH: '"C:\\a;b";"C:\\Program Files\\uv"\\bin; C:/slashes ;\\\\server\\tools;\\\\' };
    expect(pathFolders(quoted, "win32")).toEqual([
      "C:\\a;b",
      "C:\\Program Files\\uv\\bin",
      "C:/slashes",
      "\\\\server\\tools",
    ]);
  });

  test("has an extension of PATHEXT with which it can be started; a batch file has none", () => {
    const shims = ["C:\\tools\\uv.cmd", "C:\\tools\\uv.bat", "C:\\tools\\uv", "C:\\tools\\py.cmd"];
    expect(onWindows(shims, env).find("uv")).toBeUndefined();
    expect(onWindows([...shims, "D:\\more\\uv.exe"], env).find("uv")).toBe("D:\\more\\uv.exe");
    const both = ["C:\\tools\\uv.exe", "C:\\tools\\uv.com"];
    expect(onWindows(both, env).find("uv")).toBe("C:\\tools\\uv.com");
    expect(onWindows(both, { ...env, PATHEXT: ".EXE" }).find("uv")).toBe("C:\\tools\\uv.exe");
    expect(onWindows(both, { ...env, PATHEXT: ".CMD;.PY" }).find("uv")).toBe("C:\\tools\\uv.com");
    expect(onWindows(both, { PATH: "C:\\tools" }).find("uv.EXE")).toBe("C:\\tools\\uv.EXE");
  });

  test("has no folder in its name", () => {
    const { find, asked } = onWindows(["C:\\tools\\..\\tools\\uv.exe"], env);
    for (const name of ["", "..\\tools\\uv", "../uv", "C:uv", "C:\\tools\\uv", "uv\0"]) {
      expect(find(name)).toBeUndefined();
    }
    expect(asked).toEqual([]);
  });

  test("is not there without a PATH, and a name that objects have is none of Windows'", () => {
    const { find, asked } = onWindows([], {});
    expect(find("uv")).toBeUndefined();
    expect(find("constructor")).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe("Windows' system folder", () => {
  test.each([
    ["SystemRoot's", { SystemRoot: "D:\\Windows" }, "D:\\Windows\\System32"],
    ["in any case", { SYSTEMROOT: "D:\\WINNT\\" }, "D:\\WINNT\\System32"],
    ["windir's where SystemRoot is missing", { windir: "E:\\Windows" }, "E:\\Windows\\System32"],
    ["the usual one without both", {}, SYSTEM32],
    ["not relative", { SystemRoot: "Windows" }, SYSTEM32],
    ["not the current folder's", { SystemRoot: "." }, SYSTEM32],
    ["not empty", { SystemRoot: "" }, SYSTEM32],
    ["not that of the current drive", { SystemRoot: "\\Windows" }, SYSTEM32],
    ["not that of a drive's current folder", { SystemRoot: "C:Windows" }, SYSTEM32],
    ["not on another machine", { SystemRoot: "\\\\server\\Windows" }, SYSTEM32],
    ["not a device's", { SystemRoot: "\\\\?\\C:\\Windows" }, SYSTEM32],
    ["not one with a way back", { SystemRoot: "C:\\Windows\\..\\evil" }, SYSTEM32],
    ["not with slashes", { SystemRoot: "C:/Windows" }, SYSTEM32],
    ["not a list", { SystemRoot: "C:\\Windows;C:\\evil:x" }, SYSTEM32],
    [
      "windir's where SystemRoot is odd",
      { SystemRoot: "evil", windir: "D:\\Windows" },
      "D:\\Windows\\System32",
    ],
  ])("is %s", (_name, env, folder) => {
    expect(windowsSystemFolder(env)).toBe(folder);
  });
});

describe.skipIf(process.platform === "win32")("a program on POSIX", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tensordeck-programs-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(name: string, mode = 0o755): string {
    const file = join(root, name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, mode);
    return file;
  }

  const findIn = (name: string, ...folders: readonly string[]) =>
    findProgram(name, { env: { PATH: folders.join(":") } });

  test("is that of PATH's first absolute folder in which it can be run", () => {
    write("notes/tool", 0o644);
    mkdirSync(join(root, "folders", "tool"), { recursive: true });
    const first = write("first/tool");
    write("second/tool");
    const all = ["missing", "notes", "folders", "first", "second"].map((name) => join(root, name));
    expect(findIn("tool", ...all)).toBe(first);
    expect(findIn("tool", join(root, "notes"), join(root, "folders"))).toBeUndefined();
    symlinkSync(first, join(root, "link"));
    expect(findIn("link", root)).toBe(join(root, "link"));
    symlinkSync(join(root, "gone"), join(root, "dangling"));
    expect(findIn("dangling", root)).toBeUndefined();
  });

  test("is never one of the current folder, or of one that depends on it", () => {
    const tool = write("tool");
    const here = relative(process.cwd(), root);
    expect(findIn("tool", here)).toBeUndefined();
    expect(findIn("tool", "", ".", here, root)).toBe(tool);
    const asked: string[] = [];
    const isProgram = (file: string) => asked.push(file) === 0;
    findProgram("tool", { env: { PATH: `:.:bin:${root}:~/bin:` }, isProgram, platform: "linux" });
    expect(asked).toEqual([tool]);
    expect(findProgram("tool", { env: {} })).toBeUndefined();
  });

  test("is not there in a folder that cannot be looked into", () => {
    write("file");
    expect(findIn("tool", join(root, "file"))).toBeUndefined();
    const loop = join(root, "loop");
    symlinkSync(loop, loop);
    const tool = write("good/tool");
    expect(findIn("tool", loop, join(root, "good"))).toBe(tool);
  });

  test("is not there in a folder of somebody else, into which only root may look", () => {
    const tool = write("closed/tool");
    chmodSync(join(root, "closed"), 0);
    expect(findIn("tool", join(root, "closed"))).toBe(process.getuid?.() === 0 ? tool : undefined);
    chmodSync(join(root, "closed"), 0o755);
  });

  test("that the user names is a path with a separator, and an installed one without", () => {
    expect(namedProgram("./bin/python", "/home/ada")).toBe("/home/ada/bin/python");
    expect(namedProgram("env/bin/python", "/home/ada")).toBe("/home/ada/env/bin/python");
    expect(namedProgram("/opt/python", "/home/ada")).toBe("/opt/python");
    write("no-such-program");
    expect(namedProgram("no-such-program", root)).toBeUndefined();
    expect(namedProgram("sh", root)).toBe(findProgram("sh"));
  });
});
