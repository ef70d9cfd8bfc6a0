/** The parts of counted-run.mjs that tests use. */
import type { SpawnOptions } from "node:child_process";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function readClosingLine(output: string): Counts;
export function addCounts(first: Counts, second: Counts): Counts;
export function closingLine(counts: Counts): string;
export function withNode(env: NodeJS.ProcessEnv, nodeFolder: string | undefined): NodeJS.ProcessEnv;
export function failureLine(file: string, name: string, message: string): string;
export function runForwarding(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<{ readonly code: number; readonly end: string; readonly failures: readonly string[] }>;
export function runTests(
  args: readonly string[],
  options: SpawnOptions,
): Promise<{ readonly counts: Counts; readonly failures: readonly string[] }>;
