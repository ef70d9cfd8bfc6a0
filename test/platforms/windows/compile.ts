import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { programPath } from "../../../build/lib/programs.mjs";

const COMPILER = "x86_64-w64-mingw32-gcc";
const COMPILER_32 = "i686-w64-mingw32-gcc";

/** Compiles a C file of this folder into a program or library of Windows. */
export function compile(source: string, output: string, ...flags: readonly string[]): void {
  compileBy(COMPILER, source, output, flags);
}

/** For 32 bits, as installers made by NSIS are. */
export function compile32(source: string, output: string, ...flags: readonly string[]): void {
  compileBy(COMPILER_32, source, output, flags);
}

function compileBy(compiler: string, source: string, output: string, flags: readonly string[]): void {
  const file = join(import.meta.dirname, source);
  execFileSync(programPath(compiler), ["-O", "-s", "-o", output, file, ...flags], { stdio: "inherit" });
}
