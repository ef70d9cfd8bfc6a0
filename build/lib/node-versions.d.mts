/** The parts of node-versions.mjs that tests and benchmarks use. */

export const NODE_VERSIONS: Readonly<Record<string, string>>;
export const NEWEST_LTS: string;
export const ELECTRON_NODE: { readonly electron: string; readonly node: string };
export function releaseOf(major: string): string;
