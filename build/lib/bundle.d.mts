/** What the tests take of bundle.mjs. */

export function bundleProgram(folder?: string): Promise<number>;
