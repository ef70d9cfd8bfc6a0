/** The firewall of the machine that this program runs on, on any system. */
import { networkInterfaces } from "node:os";
import { isLinkLocalIpv6 } from "../../../worker-runtime/cluster/host.js";
import type { FirewallFacts } from "../../api/firewall.js";
import { isInnerInterface } from "../../machine/addresses.js";
import type { FirewallBackend } from "./backend.js";
import { runCommand } from "./command.js";
import { currentAccount } from "./linux/elevation.js";
import { linuxFirewall } from "./linux/linux-firewall.js";
import { macosFirewall } from "./macos/macos-firewall.js";
import { SystemFirewall, unknownSystem } from "./system-firewall.js";
import type { FirewallTool } from "./tool.js";
import { powershellPath } from "./windows/powershell.js";
import { windowsFirewall } from "./windows/windows-firewall.js";

export interface ThisFirewallOptions {
  /** Undefined while the agent does not listen. */
  readonly agentPort: () => number | undefined;
  /**
   * Full paths of the programs that listen: this one, and the Node that runs tasks. Windows and macOS have rules for
   * programs.
   */
  readonly programs: readonly string[];
  /** Identifies the rules of this installation. */
  readonly tag: string;
}

/** @param platform A value of `process.platform`. */
export function thisFirewall(options: ThisFirewallOptions, platform = process.platform): FirewallTool {
  return new SystemFirewall(backendOf(options, platform));
}

function backendOf(
  { agentPort, programs, tag }: ThisFirewallOptions,
  platform: NodeJS.Platform,
): FirewallBackend {
  const run = runCommand;
  const distinct = [...new Set(programs)];
  switch (platform) {
    case "linux":
      return linuxFirewall({ run, account: currentAccount(), agentPort, tag });
    case "win32":
      return windowsFirewall({ run, powershell: powershellPath(), programs: distinct, agentPort, tag });
    case "darwin":
      return macosFirewall({
        run,
        programs: distinct,
        agentPort,
        uid: process.getuid?.() ?? -1,
        adapters: currentAdapters,
      });
    default:
      return unknownSystem(platform);
  }
}

function currentAdapters(): FirewallFacts["adapters"] {
  return Object.entries(networkInterfaces()).flatMap(([name, infos]) =>
    (infos ?? [])
      .filter(({ internal, address }) => !internal && !isLinkLocalIpv6(address) && !isInnerInterface(name))
      .map(({ cidr, address }) => ({ name, profile: "", address: cidr ?? address })),
  );
}
