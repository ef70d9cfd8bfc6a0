/** The user's own deny rules, which an allow rule placed before them would override. Pure. */
import { z } from "zod";
import { contains, familyOf } from "../addresses.js";
import { type Note, warning } from "../notes.js";
import { portRanges, portsIn, portText } from "../ports.js";
import type { Opening } from "../rules.js";
import type { Source } from "./adapters.js";
import type { NftInputChain, NftRule, NftRuleset } from "./filter-chains.js";
import { nftAddress, nftPorts } from "./filter-rules.js";

/** The traffic that one rule denies, as far as it can be read. */
export interface Denial {
  /** As the user knows it. */
  readonly text: string;
  /** Absent: any. */
  readonly protocol?: "tcp" | "udp" | undefined;
  readonly ports?: readonly number[] | undefined;
  readonly from?: string | undefined;
}

/** The denied traffic of a zone or chain, with its default policy of accepting or dropping. */
export interface DeniedTraffic {
  readonly name: string;
  readonly letsInTheRest: boolean;
  readonly denials: readonly Denial[];
}

/** A note for each zone or chain whose deny rules the new rules would now precede. */
export function denialNotes(
  denied: readonly DeniedTraffic[],
  wanted: readonly Opening[],
  sources: readonly Source[],
): Note[] {
  return denied.flatMap(({ name, letsInTheRest, denials }) => {
    const overruled = denials.filter((denial) => concerns(denial, wanted, sources)).map(({ text }) => text);
    if (overruled.length === 0) return [];
    const one = overruled.length === 1;
    const what = `${one ? "this rule of yours denies" : "these rules of yours deny"}: ${overruled.join("; ")}.`;
    return [
      warning(
        letsInTheRest
          ? `${name} lets in everything but what ${what} The new rules go before ${one ? "it" : "them"} and win. Removing ${one ? "it" : "them"} would work too.`
          : `In ${name} ${what} The new rules go before ${one ? "it" : "them"} and win.`,
      ),
    ];
  });
}

function concerns(
  { protocol, ports, from }: Denial,
  wanted: readonly Opening[],
  sources: readonly Source[],
): boolean {
  const opens = wanted.some(
    (opening) =>
      (protocol === undefined || protocol === opening.protocol) &&
      (ports === undefined ||
        ports.some((port) => opening.ports.some(({ first, last }) => first <= port && port <= last))),
  );
  return opens && (from === undefined || sources.some(({ text }) => overlap(text, from)));
}

function overlap(one: string, other: string): boolean {
  const [first = "", second = ""] = [one.split("/")[0], other.split("/")[0]];
  return familyOf(one) === familyOf(other) && (contains(one, second) || contains(other, first));
}

/**
 * The traffic that is denied by a chain of nftables and those that it jumps to. A last rule that denies all is no rule of its own,
 * but the policy.
 */
export function nftDenials({ chains, rules }: NftRuleset, inputChain: NftInputChain): DeniedTraffic {
  const { family, table, chain } = inputChain;
  const own = rules.filter((rule) => rule.family === family && rule.table === table);
  const base = chains.find((one) => one.family === family && one.table === table && one.name === chain);
  const denied = deniedIn(own, chain, new Set());
  const isClosed = base?.policy === "drop" || denied.some(isEverything);
  return {
    name: `${family} ${table} ${chain}`,
    letsInTheRest: !isClosed,
    denials: denied.filter((denial) => !isEverything(denial)),
  };
}

function isEverything({ protocol, ports, from, text }: Denial): boolean {
  return protocol === undefined && ports === undefined && from === undefined && !text.includes(" ");
}

const matchSchema = z.object({
  match: z.object({
    op: z.string(),
    left: z.object({ payload: z.object({ protocol: z.string(), field: z.string() }) }),
    right: z.unknown(),
  }),
});
const jumpSchema = z.object({ target: z.string() });

function deniedIn(rules: readonly NftRule[], chain: string, seen: Set<string>): Denial[] {
  if (seen.has(chain)) return [];
  seen.add(chain);
  return rules.flatMap((rule): Denial[] => {
    if (rule.chain !== chain || JSON.stringify(rule.expr).includes('"invalid"')) return [];
    return rule.expr.flatMap((expression): Denial[] => {
      if ("drop" in expression || "reject" in expression) return [nftDenial(rule, "drop" in expression)];
      const next = jumpSchema.safeParse(expression.jump ?? expression.goto);
      return next.success ? deniedIn(rules, next.data.target, seen) : [];
    });
  });
}

function nftDenial({ expr, comment }: NftRule, isDrop: boolean): Denial {
  let [protocol, ports, from]: [Denial["protocol"], Denial["ports"], string | undefined] = [
    undefined,
    undefined,
    undefined,
  ];
  let others = 0;
  for (const expression of expr) {
    const parsed = matchSchema.safeParse(expression);
    if (!parsed.success) {
      if ("match" in expression) others += 1;
      continue;
    }
    const { op, left, right } = parsed.data.match;
    if (op !== "==") others += 1;
    else if (left.payload.field === "saddr") from = nftAddress(right);
    else if (left.payload.field === "dport") {
      protocol = left.payload.protocol === "udp" ? "udp" : "tcp";
      ports = nftPorts(right);
    } else others += 1;
  }
  const words = [
    isDrop ? "drop" : "reject",
    ...(ports ? [`${protocol ?? ""} port ${portText(portRanges(ports))}`.trim()] : []),
    ...(from ? [`from ${from}`] : []),
    ...(others > 0 ? ["under conditions"] : []),
    ...(comment ? [`("${comment}")`] : []),
  ];
  return { text: words.join(" "), protocol, ports, from };
}

/** The traffic that INPUT denies, in the output of `iptables -S`. */
export function iptablesDenials(command: string, listing: string): DeniedTraffic {
  const lines = listing
    .split("\n")
    .filter((line) => /^-A INPUT .*-j (?:DROP|REJECT)\b/.test(line) && !/--(?:ct)?state INVALID /.test(line));
  const isEvery = (line: string) => /^-A INPUT -j /.test(line);
  return {
    name: `${command} INPUT`,
    letsInTheRest: !/^-P INPUT DROP$/m.test(listing) && !lines.some(isEvery),
    denials: lines
      .filter((line) => !isEvery(line))
      .map((line) => {
        const protocol = / -p (tcp|udp) /.exec(line)?.[1];
        const ports = / --dports? (\S+)/.exec(line)?.[1];
        return {
          text: line.replace("-A INPUT ", ""),
          protocol: protocol === "tcp" || protocol === "udp" ? protocol : undefined,
          ports: ports === undefined ? undefined : portsIn(ports),
          from: / -s (\S+)/.exec(line)?.[1],
        };
      }),
  };
}

/** The traffic that ufw denies, in the output of `ufw show added`. */
export function ufwDenials(added: string): DeniedTraffic {
  const lines = added.split("\n").map((line) => line.trim());
  const denials = lines.flatMap((line): Denial[] => {
    if (!/^ufw (?:prepend |insert \d+ )?(?:deny|reject|limit)\b/.test(line) || / out /.test(line)) return [];
    const port = /\bport (\S+)/.exec(line)?.[1] ?? /^ufw \w+ (?:in )?([\d:,]+)(?:\/\w+)?/.exec(line)?.[1];
    const protocol = /\bproto (tcp|udp)\b/.exec(line)?.[1] ?? /\/(tcp|udp)\b/.exec(line)?.[1];
    const from = /\bfrom (\S+)/.exec(line)?.[1];
    return [
      {
        text: line.replace(/^ufw /, ""),
        protocol: protocol === "tcp" || protocol === "udp" ? protocol : undefined,
        ports: port === undefined ? undefined : portsIn(port),
        from: from === "any" ? undefined : from,
      },
    ];
  });
  return { name: "ufw", letsInTheRest: false, denials };
}

/** The traffic that firewalld's rich rules deny, in the output of `--list-all-zones`. */
export function firewalldDenials(listing: string): DeniedTraffic {
  const denials = listing.split("\n").flatMap((line): Denial[] => {
    const text = line.trim();
    if (!/^rule .*\b(?:drop|reject)\b/.test(text)) return [];
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
    const ports = attribute("port port");
    const protocol = attribute("protocol");
    return [
      {
        text,
        protocol: protocol === "tcp" || protocol === "udp" ? protocol : undefined,
        ports: ports === undefined ? undefined : portsIn(ports),
        from: attribute("address"),
      },
    ];
  });
  return { name: "firewalld", letsInTheRest: false, denials };
}
