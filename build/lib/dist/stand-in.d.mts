import type { Target } from "./targets.mjs";

/** Writes a folder with the files of a target's Electron, but no program in them, and gives its path. */
export function writeStandIn(target: Target): string;
