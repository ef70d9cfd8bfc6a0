/** The program as it is built here, with the packages of another platform. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
    // A folder that an interrupted run leaves must not look like a whole one.
    const unfinished = `${folder}.unfinished`;
    for (const made of [folder, unfinished]) rmSync(made, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    cpSync(join(repositoryRoot, "package.json"), join(unfinished, "package.json"));
    writeFileSync(join(unfinished, "package-lock.json"), lock);
    const [npm, ...script] = npmCommand();
    const target = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
    const options = [...target, "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
    show(npm, [...script, "ci", ...options], unfinished);
    renameSync(unfinished, folder);
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
