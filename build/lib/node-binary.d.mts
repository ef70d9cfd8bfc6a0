/** The parts of node-binary.mjs that tests use. */

export function findNode(version: string): string | undefined;
export function unpackNode(
  target: { readonly platform: string; readonly name: string },
  version: string,
  files: { readonly program: string; readonly licence: string },
  integrity?: string,
): Promise<void>;
export function bringNode(version: string): Promise<string>;
