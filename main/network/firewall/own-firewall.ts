/** The firewall of this machine, with the tag that this installation stores. */
import { nodeCommand } from "../../../worker-runtime/engines/package-root.js";
import { loadRuleTag } from "./rule-tag.js";
import { type ThisFirewallOptions, thisFirewall } from "./this-firewall.js";
import type { FirewallTool } from "./tool.js";

export interface OwnFirewallOptions extends Pick<ThisFirewallOptions, "agentPort"> {
  readonly dataDir: string;
}

/** @throws ProblemError when the data folder cannot be read or written. */
export async function openOwnFirewall({ dataDir, agentPort }: OwnFirewallOptions): Promise<FirewallTool> {
  const tag = await loadRuleTag(dataDir);
  return thisFirewall({ agentPort, programs: [process.execPath, nodeCommand().command], tag });
}
