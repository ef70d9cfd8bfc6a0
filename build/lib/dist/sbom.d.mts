/** What the tests take of sbom.mjs. */

export function writeSbom(file?: string): string;
