/** A folder in place of Electron's for Linux, whose program runs on the packaged Node. */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { writeStandIn } from "../../../build/lib/dist/stand-in.mjs";
import { repositoryRoot } from "../../support/find-peers.js";

/** Electron's switches, which only Chromium reads, are taken away. The fuses, which electron-builder sets, follow the text. */
const PROGRAM = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
for word; do shift; [ "$word" = --no-sandbox ] || set -- "$@" "$word"; done
exec "$here/resources/node/bin/node" "$here/stand-in/start.js" "$here/$(basename "$0")" "$here/resources" "$@"
exit
`;

/** Makes it, and gives its path. */
export async function writeElectron(folder: string): Promise<string> {
  cpSync(writeStandIn({ platform: "linux", architecture: "x64", name: "linux-x64" }), folder, {
    recursive: true,
  });
  const program = join(folder, "electron");
  const fuses = readFileSync(program);
  writeFileSync(program, PROGRAM);
  appendFileSync(program, fuses);
  // Its rights are set when the package is installed.
  writeFileSync(join(folder, "chrome-sandbox"), "");
  const bundle = await rolldown({
    platform: "node",
    input: {
      start: join(import.meta.dirname, "start-packaged.ts"),
      electron: join(repositoryRoot, "test/e2e/desktop/stand-in/electron.ts"),
    },
  });
  await bundle.write({ dir: join(folder, "stand-in"), format: "esm" });
  await bundle.close();
  writeFileSync(join(folder, "stand-in/package.json"), '{"type": "module"}\n');
  return folder;
}
