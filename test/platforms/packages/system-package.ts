/** The parts that the checks of deb and rpm share: both install into /opt/Tensordeck, with the same scripts. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import type { Check } from "../check.js";
import { type DebianMachine, SERVICE } from "./debian-machine.js";
import {
  contentChecks,
  DATA,
  type InstalledPackage,
  offersDocuments,
  opensItsWindow,
} from "./installed-package.js";
import { surplusOf } from "./surplus.js";

const DESKTOP_FILE = "/usr/share/applications/tensordeck.desktop";

/** The checks of a package that is installed. */
export function installedChecks(kind: string, machine: DebianMachine): readonly Check[] {
  const installed: InstalledPackage = {
    machine,
    resources: "/opt/Tensordeck/resources",
    program: ["tensordeck"],
  };
  return [
    ...contentChecks(kind, installed),
    {
      name: `${kind}: the desktop program starts by its command, runs a graph and opens a document`,
      run: () => opensItsWindow(installed),
    },
  ];
}

/** After the installation. */
export async function assertOffered(machine: DebianMachine): Promise<void> {
  await assertCommand(machine);
  await offersDocuments(machine, DESKTOP_FILE);
}

async function assertCommand(machine: DebianMachine): Promise<void> {
  const command = await machine.succeed("readlink", ["-f", "/usr/bin/tensordeck"]);
  assert.equal(command.trim(), "/opt/Tensordeck/tensordeck");
}

/** Command, service and data stay. @param update updates the package, and gives the output */
export async function assertUpdated(machine: DebianMachine, update: () => Promise<string>): Promise<void> {
  writeFileSync(machine.file(SERVICE), "ExecStart=/opt/Tensordeck/resources/node/bin/node\n");
  assert.doesNotMatch(await update(), /service was stopped|keeps its identity/);
  await assertCommand(machine);
  assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
}

/** @param removed the output of the removal; the service's file, which it names, is removed as well */
export async function assertToldAtRemoval(machine: DebianMachine, removed: string): Promise<void> {
  assert.match(removed, /Tensordeck's service was stopped\. Remove it with: rm /);
  assert.match(removed, /Each account that used Tensordeck keeps its identity/);
  await machine.succeed("rm", [SERVICE]);
}

/** @param before the files of the machine before the installation */
export function assertOnlyDataLeft(machine: DebianMachine, before: readonly string[]): void {
  assert.deepEqual(surplusOf(before, machine.files()), []);
  assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
}
