/** The part of fetched-parts.mjs that tests use. */

interface PackagedNode {
  readonly version: string;
  readonly integrity: string;
}

/** By the names of the targets. */
export const PACKAGED_NODES: Readonly<Record<string, PackagedNode>> & {
  readonly "linux-arm64": PackagedNode;
  readonly "win32-x64": PackagedNode;
};
