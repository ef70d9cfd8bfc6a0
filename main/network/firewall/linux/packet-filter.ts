/**
 * The kernel's packet filter when no program manages it: rules of nft, of iptables, or of both. An accept in a table of
 * our own would not overrule another table's drop, so rules go into the very chains that drop.
 */

import type { FirewallFacts } from "../../../api/firewall.js";
import { problem } from "../../../shared/problems.js";
import type { Inspection } from "../backend.js";
import { type KeptRule, ownRuleTexts } from "../rules.js";
import { type DeniedTraffic, denialNotes, iptablesDenials, nftDenials } from "./denials.js";
import {
  droppingChains,
  hasIptablesChain,
  type InputChain,
  type IptablesCommand,
  iptablesDrops,
  type NftRuleset,
  readNftRuleset,
} from "./filter-chains.js";
import { readIptablesRules, readNftRule } from "./filter-rules.js";
import { filterSteps, removalSteps, unknownFilterSteps } from "./filter-script.js";
import { adapterFacts, type LinuxContext, linuxInspection, nothingToDo } from "./linux-inspection.js";

/** File that nftables' service loads when the machine starts. */
const NFT_FILE = "/etc/nftables.conf";

/** Inspects what the packet filter blocks; the inspection has no rules if it blocks nothing. */
export async function inspectPacketFilter(context: LinuxContext): Promise<Inspection> {
  return context.uid === 0 ? await inspectAsRoot(context) : await inspectFromOutside(context);
}

async function inspectAsRoot(context: LinuxContext): Promise<Inspection> {
  const { run, signal, adapters } = context;
  const nft = await run("nft", ["--json", "list", "ruleset"], { signal });
  const ruleset = readNftRuleset(nft.stdout) ?? { chains: [], rules: [] };
  const nftFound = droppingChains(ruleset);
  const tables = await readIptables(context, ruleset);
  const chains: InputChain[] = [
    ...nftFound,
    ...tables.filter(({ drops }) => drops).map(({ command }) => ({ kind: "iptables" as const, command })),
  ];
  if (chains.length === 0) {
    return nothingToDo(context, {
      tool: "none",
      name: "no firewall",
      active: false,
      adapters: adapterFacts(adapters),
      blockRules: [],
      ownRules: [],
    });
  }
  const denying = [
    ...nftFound.map((inputChain) => nftDenials(ruleset, inputChain)),
    ...tables.filter(({ drops }) => drops).map(({ denials }) => denials),
  ];
  const file = nftFound.length > 0 ? (await run("cat", [NFT_FILE], { signal })).stdout : "";
  const facts: FirewallFacts = {
    tool: nftFound.length > 0 ? "nftables" : "iptables",
    name: [
      ...(nftFound.length > 0 ? [await nftVersion(context)] : []),
      ...(chains.length > nftFound.length ? ["iptables"] : []),
    ].join(" and "),
    active: true,
    adapters: adapterFacts(adapters),
    blockRules: [],
    ownRules: ownRules(ruleset, tables, chains, context.tag),
  };
  return linuxInspection(
    context,
    facts,
    (wanted, sources) => {
      const steps = filterSteps(chains, wanted, sources, file, context.tag);
      return { ...steps, notes: [...denialNotes(denying, wanted, sources), ...steps.notes] };
    },
    removalSteps(context.tag),
  );
}

async function nftVersion({ run, signal }: LinuxContext): Promise<string> {
  const { stdout } = await run("nft", ["--version"], { signal });
  const version = /v([\d.]+)/.exec(stdout)?.[1];
  return version === undefined ? "nftables" : `nftables ${version}`;
}

interface IptablesTable {
  readonly command: IptablesCommand;
  readonly drops: boolean;
  readonly own: readonly KeptRule[];
  readonly denials: DeniedTraffic;
}

/** Queries only the iptables commands that are in use: merely querying the older one creates its tables. */
async function readIptables(
  { run, signal, tag }: LinuxContext,
  ruleset: NftRuleset,
): Promise<IptablesTable[]> {
  const [names, names6] = await Promise.all([
    run("cat", ["/proc/net/ip_tables_names"], { signal }),
    run("cat", ["/proc/net/ip6_tables_names"], { signal }),
  ]);
  const used: (readonly [IptablesCommand, IptablesCommand])[] = [];
  if (hasIptablesChain(ruleset, "ip")) used.push(["iptables-nft", "iptables"]);
  if (hasIptablesChain(ruleset, "ip6")) used.push(["ip6tables-nft", "ip6tables"]);
  if (/^filter$/m.test(names.stdout)) used.push(["iptables-legacy", "iptables"]);
  if (/^filter$/m.test(names6.stdout)) used.push(["ip6tables-legacy", "ip6tables"]);
  const tables = await Promise.all(
    used.map(async ([exact, plain]) => {
      for (const command of [exact, plain]) {
        const { code, stdout } = await run(command, ["-w", "-S"], { signal });
        if (code !== 0) continue;
        return {
          ...{ command, drops: iptablesDrops(stdout), own: readIptablesRules(stdout, tag) },
          denials: iptablesDenials(command, stdout),
        };
      }
      return undefined;
    }),
  );
  return tables.filter((table) => table !== undefined);
}

/**
 * The rules that every chain has: a rule that one of them lacks is not in effect.
 */
function ownRules(
  ruleset: NftRuleset,
  tables: readonly IptablesTable[],
  chains: readonly InputChain[],
  tag: string,
): string[] {
  const lists = chains.map((inputChain) => {
    if (inputChain.kind === "iptables")
      return tables.find(({ command }) => command === inputChain.command)?.own ?? [];
    return ruleset.rules
      .filter(
        ({ family, table, chain }) =>
          family === inputChain.family && table === inputChain.table && chain === inputChain.chain,
      )
      .flatMap((rule) => readNftRule(rule, tag) ?? []);
  });
  const all = lists.flat();
  const kept = all.filter((rule) =>
    lists.every((list, index) => !concerns(chains[index], rule) || list.some((other) => same(other, rule))),
  );
  return ownRuleTexts(kept);
}

/** Whether the chain sees packets of the rule's family at all. */
function concerns(inputChain: InputChain | undefined, { from }: KeptRule): boolean {
  const six = from.includes(":");
  if (inputChain?.kind === "nft")
    return inputChain.family === "inet" || (inputChain.family === "ip6") === six;
  return inputChain?.command.startsWith("ip6") === six;
}

function same(one: KeptRule, other: KeptRule): boolean {
  return (
    one.name === other.name &&
    one.from === other.from &&
    one.protocol === other.protocol &&
    one.ports.join() === other.ports.join()
  );
}

/** The rules cannot be read without rights; the files that are loaded at startup suggest which rules there are. */
async function inspectFromOutside(context: LinuxContext): Promise<Inspection> {
  const { run, signal, adapters } = context;
  const [nft, files] = await Promise.all([
    run("nft", ["--version"], { signal }),
    Promise.all(
      [NFT_FILE, "/etc/sysconfig/nftables.conf", "/etc/iptables/rules.v4", "/etc/sysconfig/iptables"].map(
        (file) => run("cat", [file], { signal }),
      ),
    ),
  ]);
  const drops = files.some(({ stdout }) => /hook input[^}]*(?:drop|reject)|^:INPUT DROP/m.test(stdout));
  const facts: FirewallFacts = {
    tool: nft.code === 0 ? "nftables" : "iptables",
    name: nft.code === 0 ? "nftables" : "iptables",
    active: drops,
    adapters: adapterFacts(adapters),
    blockRules: [],
    ownRules: [],
    problem: problem("PERMISSION_DENIED", "Only an administrator can read the rules of the packet filter.", {
      reason: drops
        ? "A file that is loaded when the machine starts drops connections, so they are probably dropped."
        : "No file that is loaded when the machine starts drops connections, so nothing is probably blocked.",
      remedy: "A test from the other machine shows what is blocked.",
    }).problem,
  };
  return linuxInspection(
    context,
    facts,
    (wanted, sources) => unknownFilterSteps(wanted, sources, context.tag),
    removalSteps(context.tag),
  );
}
