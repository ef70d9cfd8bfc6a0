/** What the tests take of orphans.mjs. */

export function removeOrphans(outDir: string, sources: readonly string[]): string[];
