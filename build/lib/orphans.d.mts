/** The part of orphans.mjs that tests use. */

export function removeOrphans(outDir: string, sources: readonly string[]): string[];
