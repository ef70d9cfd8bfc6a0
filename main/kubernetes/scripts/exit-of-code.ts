import { constants } from "node:os";
import type { TaskExit } from "../../tasks/launcher.js";

/** Shells and Kubernetes report the end by a signal as 128 plus its number. */
const FIRST_SIGNAL = 128;

/** How a process ended whose exit code is known. */
export function exitOfCode(code: number): TaskExit {
  const number = code - FIRST_SIGNAL;
  const [signal] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return code > FIRST_SIGNAL && signal !== undefined ? { code: null, signal } : { code, signal: null };
}
