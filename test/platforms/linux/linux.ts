/** Linux on ARM, as on a Raspberry Pi with a 64-bit or a 32-bit system, by qemu. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGED_NODES } from "../../../build/lib/dist/fetched-parts.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import { stopAllPeers } from "../../support/processes.js";
import type { PlatformChecks } from "../check.js";
import { ARM64, ARMHF, type Architecture } from "./architectures.js";
import { commands } from "./commands.js";
import { debianPackage } from "./deb.js";
import { debianMirror, deleteRoots } from "./debian.js";
import { EmulatedMachine } from "./emulated-machine.js";
import { type LinuxCheck, ofForm } from "./forms.js";
import { fullDisk } from "./full-disk.js";
import { globalInstall } from "./global-install.js";
import { memoryLimit } from "./memory-limit.js";
import { nativeModules } from "./native-modules.js";
import { pairedMachines } from "./paired-machines.js";
import { stockClients } from "./stock-clients.js";
import { submittedScript } from "./submitted-script.js";
import { withoutWheels, withWheels } from "./tensorflow-engine.js";
import { windowOfHost } from "./window.js";

type ChecksOf = (machine: EmulatedMachine, mirror: string) => readonly LinuxCheck[];

export const arm64 = platform(ARM64, (machine, mirror) => [
  nativeModules(machine, ["koffi", "onnxruntime-node"]),
  ...commands(machine),
  ...stockClients(machine),
  memoryLimit(machine),
  ...fullDisk(machine),
  submittedScript(machine, "aarch64"),
  windowOfHost(machine),
  ...debianPackage(machine, mirror),
  pairedMachines(machine),
  globalInstall(machine),
  withWheels(machine),
]);

/** ONNX Runtime has no package for it. */
export const armhf = platform(ARMHF, (machine) => [
  nativeModules(machine, ["koffi"]),
  ...commands(machine),
  ...stockClients(machine),
  ...fullDisk(machine),
  submittedScript(machine, "armv7l"),
  windowOfHost(machine),
  withoutWheels(machine),
]);

/**
 * Options: `--short` and `--long` forms, `--only TEXT` in a check's name, `--cache FOLDER` of the roots, `--mirror URL` of Debian,
 * `--node VERSION`, and `--delete`, which deletes the platform's root and does no more.
 */
function platform(architecture: Architecture, checksOf: ChecksOf) {
  return {
    async checks(args: readonly string[]): Promise<PlatformChecks> {
      const { values } = parseArgs({
        args: [...args],
        options: {
          short: { type: "boolean", default: false },
          long: { type: "boolean", default: false },
          only: { type: "string", default: "" },
          delete: { type: "boolean", default: false },
          cache: { type: "string", default: join(repositoryRoot, ".cache", "platforms") },
          mirror: { type: "string" },
          node: { type: "string", default: PACKAGED_NODES["linux-arm64"].version },
        },
      });
      if (values.delete) {
        deleteRoots(values.cache, `linux-${architecture.debian}`);
        return { checks: [], dispose: () => Promise.resolve() };
      }
      const { cache, mirror = debianMirror(), node: nodeVersion } = values;
      const machine = await EmulatedMachine.open({ architecture, cache, mirror, nodeVersion });
      const checks = ofForm(
        checksOf(machine, mirror),
        values.short ? "short" : values.long ? "long" : "full",
      );
      return {
        checks: checks.filter(({ name }) => name.includes(values.only)),
        dispose: async () => {
          await stopAllPeers();
          machine.close();
        },
      };
    },
  };
}
