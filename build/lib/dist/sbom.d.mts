/** What the tests take of sbom.mjs. */

export function writeSbom(): string;
