/** The part of bundle.mjs that tests use. */

export function bundleProgram(folder?: string): Promise<number>;
