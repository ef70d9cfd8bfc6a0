/** The npm package: what is in it, what that needs from other packages, and that its command starts from it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentWithoutProxies, repositoryRoot, spawnPeer } from "../support/peers.js";
import { namedModules, packageOf } from "./support/named-modules.js";

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly main: string;
  readonly exports: { readonly ".": { readonly types: string; readonly default: string } };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), "tensordeck-package-"));
const installed = join(folder, "node_modules", "tensordeck");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files: readonly string[] = [];

beforeAll(() => {
  // As npm runs it, without `prepare`: `npm test` has built.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const packed = spawnSync(npm, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: repositoryRoot,
    shell: process.platform === "win32",
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  expect(packed.stderr).not.toContain("npm error");
  const [report] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  files = report.files.map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", report.filename, "-C", installed, "--strip-components=1"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(unpacked.stderr).toBe("");
}, 60_000);

const manifest = () => JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;

test("it holds the program, its types and the terms of what is joined into it, and no maps, tests or sources", () => {
  const { bin, main, exports } = manifest();
  expect(files).toEqual(
    expect.arrayContaining([
      ...Object.values(bin),
      main,
      ...Object.values(exports["."]).map((path) => posix.normalize(path)),
      "LICENSE",
      "README.md",
      "build/out/renderer/index.html",
      "build/out/renderer/licences.md",
    ]),
  );
  const known =
    /^(LICENSE|README\.md|package\.json|build\/bin\/.*\.mjs|build\/out\/(main|program|protos|renderer|worker-runtime)\/.*)$/;
  const surplus = /\.map$|\.tsbuildinfo|\.test\.|\.tsx?$(?<!\.d\.ts)|^build\/out\/main\/.*\.d\.c?ts$/;
  expect(files.filter((file) => !known.test(file) || surplus.test(file))).toEqual([]);
  expect(readFileSync(join(installed, "build/out/renderer/licences.md"), "utf8")).toMatch(
    /elkjs[\s\S]*Eclipse Public License/,
  );
});

test("its program is ASCII: with any other character, V8 keeps a whole source with two bytes for each", () => {
  const program = files.filter((file) => /^build\/out\/program\/.*\.js$/.test(file));
  expect(program.length).toBeGreaterThan(10);
  const others = program.filter((file) =>
    /[\u0080-\uffff]/.test(readFileSync(join(installed, file), "utf8")),
  );
  expect(others).toEqual([]);
});

test("every module that its files name is in it or in a package that is installed with it, and no package is for nothing", () => {
  const { dependencies, optionalDependencies } = manifest();
  const present = new Set(files);
  // The host in Electron is started by Electron, which is no package to it.
  const available = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies), "electron"]);
  const missing: string[] = [];
  const needed = new Set<string>();
  for (const file of files) {
    // The window is joined with all that it imports.
    if (!/\.[cm]?js$/.test(file) || file.startsWith("build/out/renderer/")) continue;
    const { imported, located } = namedModules(file, readFileSync(join(installed, file), "utf8"));
    for (const name of imported) {
      if (isBuiltin(name)) continue;
      if (name.startsWith(".")) {
        if (!present.has(posix.join(dirname(file), name))) missing.push(`${file}: ${name}`);
      } else {
        needed.add(packageOf(name));
        if (!available.has(packageOf(name))) missing.push(`${file}: ${name}`);
      }
    }
    for (const name of located) {
      if (!existsSync(join(installed, dirname(file), name))) missing.push(`${file}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
  expect(Object.keys(dependencies).filter((name) => !needed.has(name))).toEqual([]);
}, 60_000);

/** Links of the packages that the package asks for, as npm installs them where no optional one can be. */
function linkDependencies(): void {
  for (const name of Object.keys(manifest().dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(repositoryRoot, "node_modules", name), link, "junction");
  }
}

test("its command starts a worker, of its own engine where no optional package could be installed", async () => {
  linkDependencies();
  const command = join(installed, manifest().bin.tensordeck ?? "");
  // npm makes what "bin" names executable, and so does the build.
  if (process.platform !== "win32") expect(statSync(command).mode & 0o111).not.toBe(0);
  const worker = await spawnPeer(process.execPath, [command, "worker", "--engine", "portable"], {
    cwd: folder,
    ready: /^target grpc:\/\/(\S+)$/m,
    env: environmentWithoutProxies(),
  });
  const health = spawnSync(process.execPath, [command, "health", worker.match?.[1] ?? ""], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(health.stdout).toBe(`${worker.match?.[1]} serves\n`);
  await worker.stop();
});
