/** How the end of a process is told as a number, by which shells and Kubernetes know it. */
import { constants } from "node:os";
import type { TaskExit } from "./launcher.js";

/** The end by a signal is 128 plus its number. */
const FIRST_SIGNAL = 128;

/** How a process ended whose exit code is known. */
export function exitOfCode(code: number): TaskExit {
  const number = code - FIRST_SIGNAL;
  const [signal] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return code > FIRST_SIGNAL && signal !== undefined ? { code: null, signal } : { code, signal: null };
}

/** The exit code of a process that ended so; 1 where neither is known. */
export function codeOfExit({ code, signal }: TaskExit): number {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return code ?? (number === undefined ? 1 : FIRST_SIGNAL + number);
}
