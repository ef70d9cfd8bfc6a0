/** The part of programs.mjs that tests use. */
import type { SpawnSyncOptions } from "node:child_process";

export function findProgram(name: string): string | undefined;
export function ask(
  command: string,
  args: readonly string[],
  options?: SpawnSyncOptions,
): { readonly ok: boolean; readonly stdout: string; readonly errors: string };
export function programPath(name: string): string;
export function npmCommand(): [string, ...string[]];
