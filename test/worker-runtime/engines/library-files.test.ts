import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { searchRuntimes } from "../../../worker-runtime/engines/tensorflow/find.js";
import {
  foldersOfLdconfig,
  installedLibraries,
  npmLibraries,
} from "../../../worker-runtime/engines/tensorflow/library-candidates.js";
import { binaryFormat, libraryFileProblem } from "../../../worker-runtime/engines/tensorflow/library-file.js";
import { libraryFiles, mainLibraryIn } from "../../../worker-runtime/engines/tensorflow/library-names.js";
import { bundleFor } from "../../../worker-runtime/engines/tensorflow/wheels.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tensordeck-libraries-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, content: Uint8Array | string = ""): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function elf(machine: number): Uint8Array {
  const header = new Uint8Array(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  new DataView(header.buffer).setUint16(18, machine, true);
  return header;
}

function fatMachO(...types: number[]): Uint8Array {
  const header = new Uint8Array(64);
  const view = new DataView(header.buffer);
  view.setUint32(0, 0xcafebabe);
  view.setUint32(4, types.length);
  for (const [i, type] of types.entries()) {
    view.setUint32(8 + 20 * i, type);
  }
  return header;
}

function portableExecutable(machine: number): Uint8Array {
  const header = new Uint8Array(128);
  const view = new DataView(header.buffer);
  view.setUint16(0, 0x4d5a);
  view.setUint32(0x3c, 64, true);
  view.setUint32(64, 0x50450000);
  view.setUint16(68, machine, true);
  return header;
}

describe("what a file is made for", () => {
  test.each([
    [elf(62), "linux", ["x64"]],
    [elf(183), "linux", ["arm64"]],
    [elf(8), "linux", ["another processor"]],
    [fatMachO(0x01000007, 0x0100000c), "darwin", ["x64", "arm64"]],
    [portableExecutable(0x8664), "win32", ["x64"]],
  ])("header %#", (header, platform, architectures) => {
    expect(binaryFormat(header)).toEqual({ platform, architectures });
  });

  test("another processor and no library at all are told apart", async () => {
    expect(await libraryFileProblem(put("a.so", elf(183)), "linux", "x64")).toContain(
      "made for Linux on arm64",
    );
    expect(await libraryFileProblem(put("b.so", elf(62)), "darwin", "x64")).toContain(
      "this machine is macOS",
    );
    expect(await libraryFileProblem(put("c.so", "version https://git-lfs"), "linux", "x64")).toContain(
      "not a shared library",
    );
    expect(await libraryFileProblem(put("d.so", elf(62)), "linux", "x64")).toBeUndefined();
  });
});

describe("the libraries of a folder", () => {
  test("pip's, the C archive's and tfjs-node's are found; a dangling link is not", () => {
    put("pip/tensorflow/libtensorflow_cc.so.2");
    put("archive/lib/libtensorflow.so.2.9.1");
    mkdirSync(path.join(folder, "dangling"));
    symlinkSync("/does/not/exist", path.join(folder, "dangling", "libtensorflow.so"));
    expect(mainLibraryIn(path.join(folder, "pip"), "linux")).toBe(
      path.join(folder, "pip", "tensorflow", "libtensorflow_cc.so.2"),
    );
    expect(mainLibraryIn(path.join(folder, "archive"), "linux")).toContain("libtensorflow.so.2.9.1");
    expect(mainLibraryIn(path.join(folder, "dangling"), "linux")).toBeUndefined();
    expect(mainLibraryIn(path.join(folder, "missing"), "linux")).toBeUndefined();
  });

  test("the framework is loaded first, and for a GPU cuSOLVER, which the framework cannot find itself", () => {
    const main = put("tensorflow/libtensorflow_cc.so.2");
    const framework = put("tensorflow/libtensorflow_framework.so.2");
    expect(libraryFiles(main, "linux")).toMatchObject({ preload: [framework], gpuPreload: [] });
    const cusolver = put("nvidia/cusolver/lib/libcusolver.so.11");
    expect(libraryFiles(main, "linux")).toMatchObject({ preload: [framework], gpuPreload: [cusolver] });
  });

  test("on Windows the DLL of the Python that it is linked against", () => {
    const main = put("tensorflow/python/_pywrap_tensorflow_common.dll");
    const python = put("tensorflow/python/python312.dll");
    expect(libraryFiles(main, "win32").preload).toEqual([python]);
  });
});

describe("candidates", () => {
  test.runIf(process.platform === "linux")(
    "an installation in progress is not one; the newest comes first",
    () => {
      put("data/runtimes/.installing-x/runtime/tensorflow/libtensorflow_cc.so.2");
      put("data/runtimes/tensorflow-2.21.0-cpu/tensorflow/libtensorflow_cc.so.2");
      const candidates = installedLibraries({ TENSORDECK_DATA_DIR: path.join(folder, "data") });
      expect(candidates.map(({ library }) => path.relative(folder, library))).toEqual([
        path.join("data", "runtimes", "tensorflow-2.21.0-cpu", "tensorflow", "libtensorflow_cc.so.2"),
      ]);
      expect(installedLibraries({ TENSORDECK_DATA_DIR: path.join(folder, "none") })).toEqual([]);
    },
  );

  test.runIf(process.platform === "linux")(
    "what tfjs-node-gpu unpacked comes before what tfjs-node did",
    () => {
      for (const name of ["tfjs-node", "tfjs-node-gpu"]) {
        put(`node_modules/@tensorflow/${name}/package.json`, "{}");
        put(`node_modules/@tensorflow/${name}/deps/lib/libtensorflow.so.2`);
      }
      expect(npmLibraries(folder).map(({ origin }) => origin)).toEqual([
        "unpacked by @tensorflow/tfjs-node-gpu",
        "unpacked by @tensorflow/tfjs-node",
      ]);
    },
  );

  test("the linker's cache is read for both of the library's names", () => {
    const output =
      "123 libs found in cache `/etc/ld.so.cache'\n" +
      "\tlibtensorflow_framework.so.2 (libc6,x86-64) => /opt/tf/libtensorflow_framework.so.2\n" +
      "\tlibtensorflow.so.2 (libc6,x86-64) => /opt/tf/libtensorflow.so.2\n" +
      "\tlibtensorflow_cc.so.2 (libc6,x86-64) => /opt/cc/libtensorflow_cc.so.2\n";
    expect(foldersOfLdconfig(output)).toEqual(["/opt/tf", "/opt/cc"]);
  });

  test("a path that was given is the only place, and why it is refused is said", async () => {
    const env = { TENSORDECK_DATA_DIR: path.join(folder, "data") };
    const reasonOf = async (given: string) => {
      const { found, rejected } = await searchRuntimes({ path: given, env });
      expect(found).toEqual([]);
      expect(rejected).toHaveLength(1);
      return rejected[0]?.reason;
    };
    expect(await reasonOf(path.join(folder, "missing"))).toContain("does not exist");
    expect(await reasonOf(folder)).toContain("is a folder without a libtensorflow");
    const other = process.arch === "arm64" ? elf(62) : elf(183);
    expect(await reasonOf(put("libtensorflow.so", other))).toContain("is made for Linux");
  });
});

describe("wheels", () => {
  test("every machine with a wheel has exact ones; the others have none", () => {
    const machines = [
      ["linux", "x64"],
      ["linux", "arm64"],
      ["darwin", "arm64"],
      ["darwin", "x64"],
      ["win32", "x64"],
    ] as const;
    for (const [platform, arch] of machines) {
      for (const gpu of [false, true]) {
        const bundle = bundleFor({ platform, arch, gpu, python: "3.12" });
        for (const { sha256, version, bytes } of bundle?.wheels ?? []) {
          expect(sha256).toMatch(/^[0-9a-f]{64}$/);
          expect(version).toMatch(/^[\d.]+$/);
          expect(bytes).toBeGreaterThan(1e6);
        }
        expect(bundle?.wheels.length).toBeGreaterThan(0);
      }
    }
    expect(bundleFor({ platform: "linux", arch: "arm", gpu: false, python: "3.12" })).toBeUndefined();
    expect(bundleFor({ platform: "win32", arch: "x64", gpu: false, python: "3.14" })).toBeUndefined();
  });
});
