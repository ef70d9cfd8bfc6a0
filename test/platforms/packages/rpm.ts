/**
 * The rpm, by rpm itself, in a Debian: it runs the package's scripts as Fedora and openSUSE do, but knows none of the packages
 * that it requires.
 */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import type { Check } from "../check.js";
import type { DebianMachine } from "./debian-machine.js";
import {
  assertOffered,
  assertOnlyDataLeft,
  assertToldAtRemoval,
  assertUpdated,
  installedChecks,
} from "./system-package.js";

const FILE = "/trial/tensordeck.rpm";
const OPTIONS = ["--nodeps"];
/** By names that Fedora and openSUSE have; "(A or B)" where they differ. */
const REQUIRED = [
  ...["gtk3", "libnotify", "nss", "libXScrnSaver", "(libXtst or libXtst6)", "xdg-utils", "at-spi2-core"],
  ...["(libuuid or libuuid1)", "libatomic"],
];

export function rpmChecks(machine: DebianMachine, rpm: string): readonly Check[] {
  let before: readonly string[] = [];
  return [
    {
      name: "rpm: installed, it offers its documents, and the command is on PATH",
      run: async () => {
        copyFileSync(rpm, machine.file(FILE));
        await machine.forgetPackages();
        before = machine.files();
        const requires = await machine.succeed("rpm", ["--query", "--requires", "--package", FILE]);
        for (const name of REQUIRED) assert.ok(requires.split("\n").includes(name), `${name}:\n${requires}`);
        const others = requires.split("\n").filter((name) => !REQUIRED.includes(name));
        assert.ok(
          others.every((name) => name === "" || /^(rpmlib\(|\/bin\/(ba)?sh$)/.test(name)),
          requires,
        );
        await machine.succeed("rpm", ["--install", ...OPTIONS, FILE]);
        await assertOffered(machine);
      },
    },
    ...installedChecks("rpm", machine),
    {
      name: "rpm: updated, command, service and data stay",
      run: () => assertUpdated(machine, () => machine.succeed("rpm", ["--reinstall", ...OPTIONS, FILE])),
    },
    {
      name: "rpm: removed, it says what remains, and nothing but the account's data and the service's file does",
      run: async () => {
        const removed = await machine.succeed("rpm", ["--erase", ...OPTIONS, "tensordeck"]);
        await assertToldAtRemoval(machine, removed);
        assertOnlyDataLeft(machine, before);
      },
    },
  ];
}
