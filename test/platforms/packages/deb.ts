/** The deb, by dpkg. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Check } from "../check.js";
import type { DebianMachine } from "./debian-machine.js";
import {
  assertOffered,
  assertOnlyDataLeft,
  assertToldAtRemoval,
  assertUpdated,
  installedChecks,
} from "./system-package.js";

const FILE = "/trial/tensordeck.deb";
const NEWER = "/trial/newer.deb";

export function debChecks(machine: DebianMachine, deb: string): readonly Check[] {
  let before: readonly string[] = [];
  return [
    {
      name: "deb: installed with Debian's own libraries, it offers its documents, and the command is on PATH",
      run: async () => {
        copyFileSync(deb, machine.file(FILE));
        await machine.forgetPackages();
        before = machine.files();
        // Fails where a package that it depends on is not there.
        await machine.succeed("dpkg", ["--install", FILE]);
        await assertOffered(machine);
      },
    },
    ...installedChecks("deb", machine),
    {
      name: "deb: updated, command, service and data stay",
      run: async () => {
        await makeNewer(machine);
        await assertUpdated(machine, () => machine.succeed("dpkg", ["--install", NEWER]));
        const status = await machine.succeed("dpkg-query", ["--status", "tensordeck"]);
        assert.match(status, /^Version: 9\.9\.9$/m);
      },
    },
    {
      name: "deb: removed, it says what remains, and nothing but the account's data and the service's file does",
      run: async () => {
        const removed = await machine.succeed("dpkg", ["--remove", "tensordeck"]);
        await assertToldAtRemoval(machine, removed);
        const purged = await machine.succeed("dpkg", ["--purge", "tensordeck"]);
        assert.doesNotMatch(purged, /keeps its identity/);
        assertOnlyDataLeft(machine, before);
      },
    },
  ];
}

/** The same package with another version, packed quickly. */
async function makeNewer(machine: DebianMachine): Promise<void> {
  machine.empty("/trial/newer");
  await machine.succeed("dpkg-deb", ["--raw-extract", FILE, "/trial/newer"]);
  const control = machine.file("/trial/newer/DEBIAN/control");
  writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, "Version: 9.9.9"));
  await machine.succeed("dpkg-deb", ["-Zgzip", "-z1", "--build", "/trial/newer", NEWER]);
  machine.empty("/trial/newer");
}
