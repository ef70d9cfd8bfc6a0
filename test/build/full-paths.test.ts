/** The lint rules that keep bare names of programs and libraries out of the sources. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryRoot } from "../support/find-peers.js";

const biome = join(
  dirname(createRequire(import.meta.url).resolve("@biomejs/biome/package.json")),
  "bin",
  "biome",
);

let root: string;
/** A project with this one's rules, and none of its files. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tensordeck-lint-"));
  const { vcs: _, ...rules } = JSON.parse(readFileSync(join(repositoryRoot, "biome.json"), "utf8"));
  writeFileSync(join(root, "biome.json"), JSON.stringify(rules));
  cpSync(join(repositoryRoot, "build", "lint"), join(root, "build", "lint"), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

/** The diagnostics for a source at that path. */
function complaints(path: string, source: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), source);
  const args = [biome, "lint", "--max-diagnostics=none", path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(stdout).toContain("Checked 1 file");
  return stderr;
}

test("programs are started through runProgram and startProgram alone", () => {
  const ways = [
    'import { execFile } from "node:child_process";\nexecFile(process.execPath, []);\n',
    'import * as processes from "node:child_process";\nprocesses.spawn(process.execPath);\n',
    'export const load = async () => await import("node:child_process");\n',
  ];
  for (const [index, source] of ways.entries()) {
    const folder = index % 2 === 0 ? "worker-runtime/engines" : "main/machine";
    expect(complaints(`${folder}/way-${index}.ts`, source)).toContain("use runProgram or startProgram");
  }
  const types =
    'import type { ChildProcess } from "node:child_process";\nexport type Child = ChildProcess;\n';
  expect(complaints("main/machine/types.ts", types)).not.toContain("runProgram");
});

test("no program is started by a bare name", () => {
  const calls = [
    'execFile("nvidia-smi", [], () => undefined)',
    'spawn("uv", ["--version"])',
    "spawn(`uv`)",
    'processes.spawnSync("uv", [])',
    'fork("child.js")',
  ];
  const imports = 'import processes, { execFile, fork, spawn } from "node:child_process";\n';
  const bad = complaints("build/step.mjs", `${imports}${calls.join(";\n")};\n`);
  expect(bad.match(/A program is started by its full path/g)).toHaveLength(calls.length);
  const good = complaints("build/other.mjs", `${imports}spawn(process.execPath, ["script.js"]);\n`);
  expect(good).not.toContain("full path");
  const own = complaints("worker-runtime/programs/run-program.ts", `${imports}spawn("uv", []);\n`);
  expect(own).toContain("A program is started by its full path");
});

test("libraries are loaded in one place", () => {
  const source = 'import koffi from "koffi";\nkoffi.load("dxgi.dll");\n';
  expect(complaints("worker-runtime/engines/adapters.ts", source)).toContain("Libraries are loaded by");
});
