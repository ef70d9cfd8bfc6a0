/** Linux on x86-64: the AppImage, deb and rpm that electron-builder makes, installed, used and removed in a Debian. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../../support/find-peers.js";
import { stopAllPeers } from "../../support/processes.js";
import type { PlatformChecks } from "../check.js";
import { deleteRoots } from "../linux/debian.js";
import { appImageChecks } from "./app-image.js";
import { debChecks } from "./deb.js";
import { DebianMachine, ROOT_NAME } from "./debian-machine.js";
import { madePackages, makePackages } from "./made-packages.js";
import { rpmChecks } from "./rpm.js";

/**
 * Options: `--only TEXT` in a check's name, `--made`, which takes the packages of the last run, `--cache FOLDER` of the roots,
 * `--mirror URL` of Debian, and `--delete`, which deletes the platform's root and does no more.
 */
export async function checks(args: readonly string[]): Promise<PlatformChecks> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: "" },
      made: { type: "boolean", default: false },
      delete: { type: "boolean", default: false },
      cache: { type: "string", default: join(repositoryRoot, ".cache", "platforms") },
      mirror: { type: "string", default: "http://deb.debian.org/debian" },
    },
  });
  if (values.delete) {
    deleteRoots(values.cache, ROOT_NAME);
    return { checks: [], dispose: () => Promise.resolve() };
  }
  const machine = await DebianMachine.open(values.cache, values.mirror);
  const packages = values.made ? madePackages() : await makePackages();
  const all = [
    ...debChecks(machine, packages.deb),
    ...rpmChecks(machine, packages.rpm),
    ...appImageChecks(machine, packages.appImage),
  ];
  return {
    checks: all.filter(({ name }) => name.includes(values.only)),
    dispose: async () => {
      await stopAllPeers();
      machine.close();
    },
  };
}
