/** The packages as electron-builder makes them, around the stand-in for Electron. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../support/find-peers.js";
import { builderTools } from "./builder-tools.js";
import { writeElectron } from "./electron-stand-in.js";

const OUTPUT = join(repositoryRoot, "build/dist/dry");

/** The files that are installed. */
export interface MadePackages {
  readonly deb: string;
  readonly rpm: string;
  readonly appImage: string;
}

/** Takes some minutes. */
export async function makePackages(): Promise<MadePackages> {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-packages-"));
  try {
    const { env, standIns } = builderTools(folder);
    if (standIns.length > 0) console.log(`Stand-ins make the packages: ${standIns.join(", ")}.`);
    const electron = await writeElectron(join(folder, "electron"));
    execFileSync(
      process.execPath,
      [join(repositoryRoot, "build/dist.mjs"), "--around", electron, "linux-x64"],
      {
        cwd: repositoryRoot,
        env: { ...process.env, ...env },
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return madePackages();
}

/** Those of the last run. @throws Error if there are none. */
export function madePackages(): MadePackages {
  const made = (ending: string) => {
    const name = readdirSync(OUTPUT).find((file) => file.endsWith(ending));
    if (name === undefined) throw new Error(`There is no ${ending} in ${OUTPUT}.`);
    return join(OUTPUT, name);
  };
  return { deb: made(".deb"), rpm: made(".rpm"), appImage: made(".AppImage") };
}
