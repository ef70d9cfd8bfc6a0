/** Windows, by Wine. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGED_NODES } from "../../../build/lib/dist/fetched-parts.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import type { Check, PlatformChecks } from "../check.js";
import { commands } from "./commands.js";
import { fullDisk } from "./full-disk.js";
import { installer } from "./installer/installer.js";
import { measurements } from "./measurements.js";
import { desktopPackage } from "./package.js";
import { pairedMachines } from "./paired-machines.js";
import { plantedPrograms } from "./planted-programs.js";
import { readmeWalk } from "./readme-walk.js";
import { stockClients } from "./stock-clients.js";
import { submit } from "./submit.js";
import { tensorflowEngine } from "./tensorflow-engine.js";
import { windowOfHost } from "./window.js";
import { WineMachine } from "./wine-machine.js";

/**
 * Options: `--only TEXT` chooses checks by a text in their names, `--long` downloads anew what an earlier run has left,
 * `--root FOLDER` of the Debian, `--mirror URL` that it comes from, `--node VERSION`.
 */
export async function checks(args: readonly string[]): Promise<PlatformChecks> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: "" },
      long: { type: "boolean", default: false },
      root: { type: "string", default: join(repositoryRoot, ".cache", "platforms", "windows") },
      mirror: { type: "string", default: "http://deb.debian.org/debian" },
      node: { type: "string", default: PACKAGED_NODES["win32-x64"].version },
    },
  });
  const { root, mirror, node } = values;
  const machine = await WineMachine.open({ root, mirror, nodeVersion: node });
  const all: readonly Check[] = [
    ...commands(machine),
    ...stockClients(machine),
    ...tensorflowEngine(machine, values.long),
    ...submit(machine),
    ...windowOfHost(machine),
    ...fullDisk(machine),
    ...pairedMachines(machine),
    ...readmeWalk(machine),
    ...desktopPackage(machine),
    ...installer(machine),
    ...measurements(machine),
    ...plantedPrograms(machine),
  ];
  return { checks: all.filter(({ name }) => name.includes(values.only)), dispose: () => machine.close() };
}
