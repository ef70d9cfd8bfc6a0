/** The parts of emulated-arm64.mjs that tests use. */
import type { SpawnOptions } from "node:child_process";
import type { Counts } from "./counted-run.mjs";

export function platformsCache(env?: NodeJS.ProcessEnv): string;
export function runEmulatedArm64(
  options: SpawnOptions,
): Promise<{ readonly counts: Counts; readonly failures: readonly string[] }>;
