/** Windows, by Wine. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGED_NODES } from "../../../build/lib/dist/fetched-parts.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import type { Check } from "../check.js";
import { measurements } from "./measurements.js";
import { plantedPrograms } from "./planted-programs.js";
import { WineMachine } from "./wine-machine.js";

/**
 * @param args `--root FOLDER` of the Debian, `--mirror URL` that it comes from, `--node VERSION`.
 */
export async function checks(
  args: readonly string[],
): Promise<{ readonly checks: readonly Check[]; dispose(): Promise<void> }> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      root: { type: "string", default: join(repositoryRoot, ".cache", "platforms", "windows") },
      mirror: { type: "string", default: "http://deb.debian.org/debian" },
      node: { type: "string", default: PACKAGED_NODES["win32-x64"].version },
    },
  });
  const machine = await WineMachine.open({
    root: values.root,
    mirror: values.mirror,
    nodeVersion: values.node,
  });
  return { checks: [...measurements(machine), ...plantedPrograms(machine)], dispose: () => machine.close() };
}
