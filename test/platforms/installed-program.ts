/** The program as it is built here, with the packages of another platform. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmCommand, programPath } from "../../build/lib/programs.mjs";
import { repositoryRoot } from "../support/find-peers.js";

/** As npm's options name it. */
export interface PackageTarget {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

/** Puts the built program, and its packages for a platform where those are not there yet, into a folder. */
export function installProgram(folder: string, { os, cpu, libc }: PackageTarget): void {
  const lock = readFileSync(join(repositoryRoot, "package-lock.json"), "utf8");
  const installed = join(folder, "package-lock.json");
  if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(repositoryRoot, "package.json"), join(folder, "package.json"));
    const [npm, ...script] = npmCommand();
    const target = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
    const options = [...target, "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
    writeFileSync(installed, lock);
    try {
      show(npm, [...script, "ci", ...options], folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  for (const part of ["build/bin", "build/out"]) {
    rmSync(join(folder, part), { recursive: true, force: true });
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
  }
}

/** Runs a program of this machine, named without its path, with its output shown. @throws Error if it fails. */
export function show(program: string, args: readonly string[], cwd?: string): void {
  execFileSync(programPath(program), args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
