/** The part of sbom.mjs that tests use. */

export function writeSbom(file?: string): string;
