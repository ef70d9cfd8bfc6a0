/** The part of package-folders.mjs that tests use. */
import type { Target } from "./targets.mjs";

export interface PackageFolders {
  readonly folder: string;
  readonly program: string;
  readonly resources: string;
  readonly archive: string;
  readonly outside: string;
  readonly node: string;
}
export function packageFolders(output: string, target: Target): PackageFolders;
