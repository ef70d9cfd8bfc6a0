/** The firewall of a Linux machine: whichever tool owns the rules. None is ever switched on. */
import type { FirewallBackend, Inspection } from "../backend.js";
import type { RunCommand } from "../command.js";
import type { FirewallQuestion } from "../tool.js";
import { readAdapters } from "./adapters.js";
import { executeScript, type LinuxAccount, linuxElevation } from "./elevation.js";
import { inspectFirewalld } from "./firewalld.js";
import type { LinuxContext } from "./linux-inspection.js";
import { inspectPacketFilter } from "./packet-filter.js";
import { inspectUfw } from "./ufw.js";

export interface LinuxFirewallOptions {
  readonly run: RunCommand;
  readonly account: LinuxAccount;
  readonly agentPort: () => number | undefined;
  /** Identifies the rules of this installation. */
  readonly tag: string;
}

/** The firewalls of Linux as the wizard uses them; each inspection finds out which of them this machine has. */
export function linuxFirewall({ run, account, agentPort, tag }: LinuxFirewallOptions): FirewallBackend {
  return {
    inspect: async (_: FirewallQuestion, signal: AbortSignal): Promise<Inspection> => {
      const [addresses, elevation] = await Promise.all([
        run("ip", ["-json", "address", "show"], { signal }),
        linuxElevation(run, account, signal),
      ]);
      const context: LinuxContext = {
        run,
        uid: account.uid,
        elevation,
        adapters: readAdapters(addresses.stdout),
        agentPort: agentPort(),
        tag,
        signal,
      };
      return (
        (await inspectUfw(context)) ??
        (await inspectFirewalld(context)) ??
        (await inspectPacketFilter(context))
      );
    },
    execute: (script, elevation, signal) => executeScript(run, script, elevation, signal),
  };
}
