/** Pictures for a person to look at. Most are taken only where TENSORDECK_TEST_PICTURES names a folder for them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./find-peers.js";

const folder = process.env.TENSORDECK_TEST_PICTURES;

/** @param take Makes the PNG. */
export async function savePicture(name: string, take: () => Promise<Uint8Array>): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), await take());
}

/** Where the picture of a window is kept whose test has failed; the temporary folder of a run is removed with it. */
export function failurePicture(name: string): string {
  const kept = folder || join(repositoryRoot, ".cache", "pictures");
  mkdirSync(kept, { recursive: true });
  return join(kept, `${name}.png`);
}
