/** The deb, by dpkg. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Check } from "../check.js";
import { type DebianMachine, SERVICE } from "./debian-machine.js";
import {
  computesForClients,
  DATA,
  type InstalledPackage,
  loadsNativeModules,
  offersDocuments,
  opensItsWindow,
} from "./installed-package.js";
import { surplusOf } from "./surplus.js";

const FILE = "/trial/tensordeck.deb";
const NEWER = "/trial/newer.deb";
export const DESKTOP_FILE = "/usr/share/applications/tensordeck.desktop";

export function debChecks(machine: DebianMachine, deb: string): readonly Check[] {
  const installed: InstalledPackage = {
    machine,
    resources: "/opt/Tensordeck/resources",
    program: ["tensordeck"],
  };
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
        const command = await machine.succeed("readlink", ["-f", "/usr/bin/tensordeck"]);
        assert.equal(command.trim(), "/opt/Tensordeck/tensordeck");
        await offersDocuments(machine, DESKTOP_FILE);
      },
    },
    {
      name: "deb: its Node loads koffi and ONNX Runtime, by require and import",
      run: () => loadsNativeModules(installed),
    },
    {
      name: "deb: runtime list finds a TensorFlow, and a stock client uses a worker of each engine",
      run: () => computesForClients(installed),
    },
    {
      name: "deb: the desktop program starts by its command, runs a graph and opens a document",
      run: () => opensItsWindow(installed),
    },
    {
      name: "deb: updated, command, service and data stay",
      run: async () => {
        await makeNewer(machine);
        writeFileSync(machine.file(SERVICE), "ExecStart=/opt/Tensordeck/resources/node/bin/node\n");
        const update = await machine.succeed("dpkg", ["--install", NEWER]);
        assert.doesNotMatch(update, /service was stopped|keeps its identity/);
        const status = await machine.succeed("dpkg-query", ["--status", "tensordeck"]);
        assert.match(status, /^Version: 9\.9\.9$/m);
        assert.equal(
          (await machine.succeed("readlink", ["-f", "/usr/bin/tensordeck"])).trim(),
          "/opt/Tensordeck/tensordeck",
        );
        assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
      },
    },
    {
      name: "deb: removed, it says what remains, and nothing but the account's data and the service's file does",
      run: async () => {
        const removed = await machine.succeed("dpkg", ["--remove", "tensordeck"]);
        assert.match(removed, /Tensordeck's service was stopped\. Remove it with: rm /);
        assert.match(removed, /Each account that used Tensordeck keeps its identity/);
        await machine.succeed("rm", [SERVICE]);
        const purged = await machine.succeed("dpkg", ["--purge", "tensordeck"]);
        assert.doesNotMatch(purged, /keeps its identity/);
        assert.deepEqual(surplusOf(before, machine.files()), []);
        assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
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
