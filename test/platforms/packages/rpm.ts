/**
 * The rpm, by rpm itself, in a Debian: it runs the package's scripts as Fedora and openSUSE do, but knows none of the packages
 * that it requires.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import type { Check } from "../check.js";
import { DESKTOP_FILE } from "./deb.js";
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

const FILE = "/trial/tensordeck.rpm";
const OPTIONS = ["--nodeps"];
/** By names that Fedora and openSUSE have; "(A or B)" where they differ. */
const REQUIRED = [
  ...["gtk3", "libnotify", "nss", "libXScrnSaver", "(libXtst or libXtst6)", "xdg-utils", "at-spi2-core"],
  ...["(libuuid or libuuid1)", "libatomic"],
];

export function rpmChecks(machine: DebianMachine, rpm: string): readonly Check[] {
  const installed: InstalledPackage = {
    machine,
    resources: "/opt/Tensordeck/resources",
    program: ["tensordeck"],
  };
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
        const command = await machine.succeed("readlink", ["-f", "/usr/bin/tensordeck"]);
        assert.equal(command.trim(), "/opt/Tensordeck/tensordeck");
        await offersDocuments(machine, DESKTOP_FILE);
      },
    },
    {
      name: "rpm: its Node loads koffi and ONNX Runtime, by require and import",
      run: () => loadsNativeModules(installed),
    },
    {
      name: "rpm: runtime list finds a TensorFlow, and a stock client uses a worker of each engine",
      run: () => computesForClients(installed),
    },
    {
      name: "rpm: the desktop program starts by its command, runs a graph and opens a document",
      run: () => opensItsWindow(installed),
    },
    {
      name: "rpm: updated, command, service and data stay",
      run: async () => {
        writeFileSync(machine.file(SERVICE), "ExecStart=/opt/Tensordeck/resources/node/bin/node\n");
        const update = await machine.succeed("rpm", ["--reinstall", ...OPTIONS, FILE]);
        assert.doesNotMatch(update, /service was stopped|keeps its identity/);
        assert.equal(
          (await machine.succeed("readlink", ["-f", "/usr/bin/tensordeck"])).trim(),
          "/opt/Tensordeck/tensordeck",
        );
        assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
      },
    },
    {
      name: "rpm: removed, it says what remains, and nothing but the account's data and the service's file does",
      run: async () => {
        const removed = await machine.succeed("rpm", ["--erase", ...OPTIONS, "tensordeck"]);
        assert.match(removed, /Tensordeck's service was stopped\. Remove it with: rm /);
        assert.match(removed, /Each account that used Tensordeck keeps its identity/);
        await machine.succeed("rm", [SERVICE]);
        assert.deepEqual(surplusOf(before, machine.files()), []);
        assert.ok(existsSync(machine.file(`${DATA}/settings.json`)));
      },
    },
  ];
}
