/** The chains in which incoming packets are dropped when no program manages the kernel's packet filter. */
import { z } from "zod";

/** A chain of nftables that filters incoming packets. */
export interface NftInputChain {
  readonly kind: "nft";
  readonly family: "inet" | "ip" | "ip6";
  readonly table: string;
  readonly chain: string;
}

/** The INPUT chain of one of the iptables commands. */
export interface IptablesInputChain {
  readonly kind: "iptables";
  readonly command: IptablesCommand;
}

export type IptablesCommand =
  | "iptables"
  | "ip6tables"
  | "iptables-nft"
  | "ip6tables-nft"
  | "iptables-legacy"
  | "ip6tables-legacy";

export type InputChain = NftInputChain | IptablesInputChain;

const expressionSchema = z.record(z.string(), z.unknown());

export const nftRuleSchema = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  comment: z.string().optional(),
  expr: z.array(expressionSchema),
});
export type NftRule = z.infer<typeof nftRuleSchema>;

const nftChainSchema = z.object({
  family: z.string(),
  table: z.string(),
  name: z.string(),
  type: z.string().optional(),
  hook: z.string().optional(),
  policy: z.string().optional(),
});
type NftListedChain = z.infer<typeof nftChainSchema>;

const rulesetSchema = z.object({
  nftables: z.array(z.object({ chain: nftChainSchema.optional(), rule: nftRuleSchema.optional() })),
});

export interface NftRuleset {
  readonly chains: readonly NftListedChain[];
  readonly rules: readonly NftRule[];
}

/** Parses the output of `nft --json list ruleset`; undefined if it is something else. */
export function readNftRuleset(json: string): NftRuleset | undefined {
  try {
    const { nftables } = rulesetSchema.parse(JSON.parse(json));
    return {
      chains: nftables.flatMap(({ chain }) => chain ?? []),
      rules: nftables.flatMap(({ rule }) => rule ?? []),
    };
  } catch {
    return undefined;
  }
}

/** Names that need no quoting in a command; tables and chains with other names are left alone. */
const PLAIN_NAME = /^[A-Za-z_][\w.-]*$/;

/** Chains that drop or reject incoming packets. Those of iptables are changed through iptables. */
export function droppingChains({ chains, rules }: NftRuleset): NftInputChain[] {
  return chains.flatMap((base): NftInputChain[] => {
    const { family, table, name, type, hook, policy } = base;
    if (type !== "filter" || hook !== "input" || isIptablesChain(base)) return [];
    if (family !== "inet" && family !== "ip" && family !== "ip6") return [];
    if (!PLAIN_NAME.test(table) || !PLAIN_NAME.test(name)) return [];
    const own = rules.filter((rule) => rule.family === family && rule.table === table);
    return policy === "drop" || dropsSomewhere(own, name, new Set())
      ? [{ kind: "nft", family, table, chain: name }]
      : [];
  });
}

/** Whether iptables-nft filters incoming packets of a family. */
export function hasIptablesChain({ chains }: NftRuleset, family: "ip" | "ip6"): boolean {
  return chains.some((chain) => chain.family === family && isIptablesChain(chain));
}

function isIptablesChain({ family, table, name }: NftListedChain): boolean {
  return family !== "inet" && table === "filter" && name === "INPUT";
}

function dropsSomewhere(rules: readonly NftRule[], chain: string, seen: Set<string>): boolean {
  if (seen.has(chain)) return false;
  seen.add(chain);
  return rules.some((rule) => {
    if (rule.chain !== chain) return false;
    // Dropping packets that belong to no connection is good practice and does not block anyone.
    if (JSON.stringify(rule.expr).includes('"invalid"')) return false;
    return rule.expr.some((expression) => {
      if ("drop" in expression || "reject" in expression) return true;
      const next = targetOf(expression.jump) ?? targetOf(expression.goto);
      return next !== undefined && dropsSomewhere(rules, next, seen);
    });
  });
}

function targetOf(jump: unknown): string | undefined {
  const parsed = z.object({ target: z.string() }).safeParse(jump);
  return parsed.success ? parsed.data.target : undefined;
}

/** Whether the rules that `iptables -S` printed drop or reject incoming packets. */
export function iptablesDrops(listing: string): boolean {
  const lines = listing.split("\n");
  return /^-P INPUT DROP$/m.test(listing) || chainDrops(lines, "INPUT", new Set());
}

function chainDrops(lines: readonly string[], chain: string, seen: Set<string>): boolean {
  if (seen.has(chain)) return false;
  seen.add(chain);
  return lines.some((line) => {
    if (!line.startsWith(`-A ${chain} `) || /--(?:ct)?state INVALID /.test(line)) return false;
    const target = / -[jg] (\S+)/.exec(line)?.[1];
    if (target === undefined) return false;
    return target === "DROP" || target === "REJECT" || chainDrops(lines, target, seen);
  });
}
