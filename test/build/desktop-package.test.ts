/**
 * The desktop packages, assembled around an empty stand-in for Electron: what is in them, what is not, and what is
 * protected. By default for this machine and for Windows on ARM; TENSORDECK_TEST_TARGETS=all reads all six.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PACKAGED_NODES } from "../../build/lib/dist/fetched-parts.mjs";
import { ALL_TARGETS, chosenTargets, type Target } from "../../build/lib/dist/targets.mjs";
import {
  environmentWithoutProxies,
  libtensorflowDir,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../support/peers.js";
import { DesktopPackage, FUSES, filesBelow } from "./support/desktop-package.js";
import { namedModules, packageOf } from "./support/named-modules.js";
import { targetOfNative } from "./support/native-program.js";

const own = `${process.platform}-${process.arch}`;
const targets: readonly Target[] =
  process.env.TENSORDECK_TEST_TARGETS === "all"
    ? ALL_TARGETS
    : ALL_TARGETS.filter(({ name }) => name === own || name === "win32-arm64");
const output = join(repositoryRoot, "build", "dist", "dry");
const packages = targets.map((target) => new DesktopPackage(output, target));
const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
  version: string;
};

/** 5 + 5. */
const SUM = `
node { name: "five" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 5 } } } }
node { name: "sum" op: "Add" input: "five" input: "five" attr { key: "T" value { type: DT_FLOAT } } }
`;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-package-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Without Electron itself, which adds some 250 MB, and before an installer compresses it. */
const MOST_MEGABYTES = 280;

beforeAll(() => {
  const names = targets.map(({ name }) => name);
  const made = spawnSync(process.execPath, ["build/dist.mjs", "--dry", ...names], {
    cwd: repositoryRoot,
    encoding: "utf8",
    // It reads its configuration by a library that would keep what it has compiled in the temporary folder.
    env: { ...process.env, JITI_FS_CACHE: "false" },
  });
  expect(made.status, `${made.stdout}\n${made.stderr}`).toBe(0);
});

test("targets are chosen by options, by name, or by the machine; others are refused", () => {
  const names = (values: Record<string, boolean>, given: string[] = []) =>
    chosenTargets(values, given, { platform: "darwin", arch: "arm64" }).map(({ name }) => name);
  expect(names({})).toEqual(["darwin-arm64"]);
  expect(names({ win: true })).toEqual(["win32-arm64"]);
  expect(names({ linux: true, x64: true, arm64: true })).toEqual(["linux-x64", "linux-arm64"]);
  expect(names({}, ["win32-x64"])).toEqual(["win32-x64"]);
  expect(names({ all: true })).toHaveLength(6);
  expect(() => names({}, ["linux-ia32"])).toThrow("no package for linux-ia32");
  expect(() => chosenTargets({}, [], { platform: "freebsd", arch: "x64" })).toThrow("freebsd-x64");
});

describe.each(packages)("the package for $target.name", (made) => {
  test("the window's process, its preload script and its pages are in the archive, and need nothing outside", () => {
    const packed = new Set(made.packed());
    const { main } = JSON.parse(made.readPacked("package.json")) as { main: string };
    expect([...packed]).toEqual(
      expect.arrayContaining([
        main,
        posix.join(posix.dirname(main), "preload.cjs"),
        "build/out/renderer/index.html",
      ]),
    );
    const missing: string[] = [];
    for (const file of packed) {
      if (!/^build\/out\/program\/.*\.c?js$/.test(file)) continue;
      for (const name of namedModules(file, made.readPacked(file)).imported) {
        if (isBuiltin(name) || name === "electron") continue;
        if (!packed.has(posix.join(posix.dirname(file), name))) missing.push(`${file}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("the fuses are set, and the archive is the one that the program was made with", async () => {
    expect(await made.fuses()).toEqual({
      ...Object.fromEntries(Object.keys(FUSES).map((name) => [name, true])),
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
    });
    // Electron checks it on Windows and macOS.
    if (made.target.platform === "linux") expect(made.statedIntegrity()).toBeUndefined();
    else expect(made.statedIntegrity()).toEqual(made.expectedIntegrity());
  });

  test("what a plain Node runs is complete", () => {
    const missing: string[] = [];
    const files = new Set(filesBelow(made.folders.outside));
    for (const file of files) {
      if (!/^build\/(bin|out\/program)\/.*\.m?js$/.test(file)) continue;
      const { imported, located } = namedModules(
        file,
        readFileSync(join(made.folders.outside, file), "utf8"),
      );
      for (const name of imported) {
        if (isBuiltin(name) || name === "electron") continue;
        const found = name.startsWith(".")
          ? files.has(posix.join(posix.dirname(file), name))
          : existsSync(join(made.folders.outside, "node_modules", packageOf(name), "package.json"));
        if (!found) missing.push(`${file}: ${name}`);
      }
      for (const name of located) {
        if (!existsSync(join(made.folders.outside, dirname(file), name))) missing.push(`${file}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
    expect(files).toContain("build/out/renderer/index.html");
  });

  test("no file is too many: no maps, types, tests, sources or other packages", () => {
    const surplus =
      /\.map$|\.tsx?$|\.tsbuildinfo|\.test\.|(^|\/)(tests?|__tests__|examples)\/|\.(md|lib|exp|pdb|yml|sh|cc|h)$/;
    const meant = /(^|\/)licences\.md$|^build\/out\/main\/help\/[a-z-]+\/README\.md$/;
    const all = [...filesBelow(made.folders.outside), ...made.packed()];
    expect(all.filter((file) => surplus.test(file) && !meant.test(file))).toEqual([]);
    expect(new Set(all.map((file) => file.split("/")[0]))).toEqual(
      new Set(["build", "node_modules", "package.json"]),
    );
    const packagesThere = new Set(
      filesBelow(join(made.folders.outside, "node_modules")).map((file) => packageOf(file)),
    );
    expect([...packagesThere].sort()).toEqual([
      `@koromix/koffi-${made.target.name}`,
      "koffi",
      "onnxruntime-common",
      "onnxruntime-node",
    ]);
  });

  test("every native file is for its system and processor alone, koffi, ONNX Runtime and Node among them", () => {
    const native = new Map<string, string>();
    for (const file of filesBelow(made.folders.resources)) {
      if (file === "app.asar") continue;
      const found = targetOfNative(readFileSync(join(made.folders.resources, file)));
      if (found !== undefined) native.set(file, found);
    }
    expect(new Set(native.values())).toEqual(new Set([made.target.name]));
    const names = [...native.keys()].map((file) => posix.basename(file));
    expect(names).toContain(posix.basename(made.folders.node.replaceAll("\\", "/")));
    expect(names).toContain("koffi.node");
    // ONNX Runtime has no build for Macs with Intel's processor: the portable engine computes with its own kernels.
    expect(names.includes("onnxruntime_binding.node")).toBe(made.target.name !== "darwin-x64");
  });

  test("its versions and its terms are there, and its size is as expected", () => {
    expect(JSON.parse(made.readPacked("package.json"))).toMatchObject({ name: "tensordeck", version });
    expect(JSON.parse(readFileSync(join(made.folders.outside, "package.json"), "utf8"))).toEqual({
      ...{ name: "tensordeck", version, license: "Apache-2.0", type: "module" },
    });
    if (made.target.platform !== "linux") expect(made.version()).toBe(version);
    for (const file of ["LICENSE", "node/LICENSE"])
      expect(existsSync(join(made.folders.resources, file))).toBe(true);
    const megabytes = made.size() / 1e6;
    console.log(`${made.target.name}: ${megabytes.toFixed(1)} MB without Electron`);
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);
  });
});

const runnable = packages.find(({ target }) => target.name === own);

describe.runIf(runnable)("the packaged Node", () => {
  const command = () => join(packaged().outside, "build", "bin", "tensordeck.mjs");
  const packaged = () => {
    if (!runnable) throw new Error("There is no package for this machine.");
    return runnable.folders;
  };
  const node = (args: readonly string[], env: NodeJS.ProcessEnv = environmentWithoutProxies()) =>
    spawnSync(packaged().node, args, { cwd: packaged().outside, encoding: "utf8", env });

  test("is the one that it should be, and runs the command", () => {
    expect(node(["--version"]).stdout).toBe(`v${PACKAGED_NODES[own]?.version}\n`);
    expect(node([command(), "--version"]).stdout).toMatch(
      new RegExp(`^tensordeck ${version.replaceAll(".", "\\.")}`),
    );
  });

  test.each(["koffi", "onnxruntime-node"])("loads %s, imported and required", (name) => {
    const load = `
      import { createRequire } from "node:module";
      const required = createRequire(import.meta.url)("${name}");
      const imported = await import("${name}");
      console.log(typeof required, typeof imported);
    `;
    const { stdout, stderr } = node(["--input-type=module", "-e", load]);
    expect(stdout, stderr).toBe("object object\n");
  });

  test("runs a worker of the portable engine", async () => {
    await expectWorker("portable", environmentWithoutProxies());
  });

  test.skipIf(peerMissing("tensorflow"))("finds a TensorFlow, and runs a worker with it", async () => {
    const env = { ...environmentWithoutProxies(), TENSORDECK_LIBTENSORFLOW: libtensorflowDir() };
    const { stdout } = node([command(), "runtime", "list"], env);
    expect(stdout).toContain(libtensorflowDir());
    expect(stdout).toMatch(/\b2\.\d+\.\d+\b/);
    await expectWorker("tensorflow", env);
  });

  async function expectWorker(engine: string, env: NodeJS.ProcessEnv): Promise<void> {
    const worker = await spawnPeer(packaged().node, [command(), "worker", "--engine", engine], {
      ready: /^target grpc:\/\/(\S+)$/m,
      env,
    });
    const address = worker.match?.[1] ?? "";
    expect(node([command(), "health", address]).stdout).toBe(`${address} serves\n`);
    const graph = join(temporaryFolder(), "sum.pbtxt");
    writeFileSync(graph, SUM);
    const { stdout, stderr } = node(
      [command(), "run", graph, "--target", `grpc://${address}`, "--fetch", "sum:0"],
      env,
    );
    expect(stdout, stderr).toMatch(/\b10\b/);
    await worker.stop();
  }
});
