/** The AppImage, which is not installed: mounted by FUSE, and unpacked for a run where there is no FUSE. */
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, readdirSync } from "node:fs";
import type { Check } from "../check.js";
import type { DebianMachine } from "./debian-machine.js";
import { contentChecks, DATA, opensItsWindow } from "./installed-package.js";
import { surplusOf } from "./surplus.js";

const FILE = "/trial/Tensordeck é.AppImage";
const UNPACKED = "/trial/squashfs-root";

export function appImageChecks(machine: DebianMachine, appImage: string): readonly Check[] {
  const installed = {
    machine,
    resources: `${UNPACKED}/resources`,
    program: [FILE] as [string, ...string[]],
  };
  let before: readonly string[] = [];
  const mounted = () => readdirSync(machine.file("/tmp")).filter((name) => /mount|appimage/.test(name));
  return [
    {
      name: "AppImage: unpacked, its menu entry is valid and keeps the sandbox",
      run: async () => {
        before = machine.files();
        machine.empty("/tmp");
        copyFileSync(appImage, machine.file(FILE));
        chmodSync(machine.file(FILE), 0o755);
        machine.empty(UNPACKED);
        await machine.succeed(FILE, ["--appimage-extract"]);
        const entry = `${UNPACKED}/tensordeck.desktop`;
        assert.equal(await machine.succeed("desktop-file-validate", [entry]), "");
        assert.doesNotMatch(await machine.succeed("cat", [entry]), /--no-sandbox/);
        assert.ok(existsSync(machine.file(`${UNPACKED}/usr/share/mime/packages/tensordeck.xml`)));
      },
    },
    ...contentChecks("AppImage", installed),
    {
      name: "AppImage: mounted by FUSE, the desktop program runs a graph and opens a document",
      run: async () => {
        await opensItsWindow(installed);
        assert.deepEqual(mounted(), []);
      },
    },
    {
      name: "AppImage: without FUSE, by --appimage-extract-and-run, the desktop program runs a graph",
      run: async () => {
        // AppImage's own program has one folder for all starts, which the first that ends deletes.
        const program = [FILE, "--appimage-extract-and-run"] as const;
        await opensItsWindow({ ...installed, program }, { again: false });
        assert.deepEqual(mounted(), []);
      },
    },
    {
      name: "AppImage: nothing but the account's data is left",
      run: async () => {
        assert.deepEqual(surplusOf(before, machine.files()), []);
        assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
      },
    },
  ];
}
