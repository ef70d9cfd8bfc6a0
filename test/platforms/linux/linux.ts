/** Linux on ARM, as on a Raspberry Pi with a 64-bit or a 32-bit system, by qemu. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGED_NODES } from "../../../build/lib/dist/fetched-parts.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import { stopAllPeers } from "../../support/processes.js";
import type { PlatformChecks } from "../check.js";
import { ARM64, ARMHF, type Architecture } from "./architectures.js";
import { commands } from "./commands.js";
import { debianMirror, deleteRoots } from "./debian.js";
import { EmulatedMachine } from "./emulated-machine.js";
import { type LinuxCheck, ofForm } from "./forms.js";
import { globalInstall } from "./global-install.js";
import { nativeModules } from "./native-modules.js";
import { pairedMachines } from "./paired-machines.js";
import { stockClients } from "./stock-clients.js";
import { withoutWheels, withWheels } from "./tensorflow-engine.js";

type ChecksOf = (machine: EmulatedMachine) => readonly LinuxCheck[];

export const arm64 = platform(ARM64, (machine) => [
  nativeModules(machine, ["koffi", "onnxruntime-node"]),
  ...commands(machine),
  ...stockClients(machine),
  pairedMachines(machine),
  globalInstall(machine),
  withWheels(machine),
]);

/** ONNX Runtime has no package for it. */
export const armhf = platform(ARMHF, (machine) => [
  nativeModules(machine, ["koffi"]),
  ...commands(machine),
  ...stockClients(machine),
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
      const machine = await EmulatedMachine.open({
        architecture,
        cache: values.cache,
        mirror: values.mirror ?? debianMirror(),
        nodeVersion: values.node,
      });
      const checks = ofForm(checksOf(machine), values.short ? "short" : values.long ? "long" : "full");
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
