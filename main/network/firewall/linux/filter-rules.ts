/** Rules of Tensordeck in the kernel's packet filter: written for nft and iptables, and read back. */
import { z } from "zod";
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import type { Family } from "../addresses.js";
import { portChunks, portsIn, portText } from "../ports.js";
import { ruleNameIn, taggedName } from "../rule-tag.js";
import type { KeptRule, Opening } from "../rules.js";
import { quote } from "../shell.js";
import { ofFamily, type Source } from "./adapters.js";
import type { IptablesCommand, NftInputChain, NftRule } from "./filter-chains.js";

/** One source may belong to several networks of the machine; the packet filter does not distinguish them. */
function textsOf(sources: readonly Source[], family: Family): string[] {
  return [...new Set(ofFamily(sources, family).map(({ text }) => text))];
}

/**
 * Commands that let the openings in, before everything else in the chain.
 *
 * @param inputChain Table and chain may be shell variables in quotation marks.
 */
export function nftCommands(
  inputChain: NftInputChain,
  wanted: readonly Opening[],
  sources: readonly Source[],
  tag: string,
): string[] {
  return nftStatements(inputChain, wanted, sources, tag).map(
    (statement) =>
      `nft insert rule ${inputChain.family} ${inputChain.table} ${inputChain.chain} ${quote(statement)}`,
  );
}

/** The same as lines of a file that nft reads. */
export function nftFileLines(
  inputChain: NftInputChain,
  wanted: readonly Opening[],
  sources: readonly Source[],
  tag: string,
): string[] {
  return nftStatements(inputChain, wanted, sources, tag).map(
    (statement) => `insert rule ${inputChain.family} ${inputChain.table} ${inputChain.chain} ${statement}`,
  );
}

function nftStatements(
  { family }: NftInputChain,
  wanted: readonly Opening[],
  sources: readonly Source[],
  tag: string,
): string[] {
  const families: Family[] = family === "ip" ? ["ipv4"] : family === "ip6" ? ["ipv6"] : ["ipv4", "ipv6"];
  return wanted.flatMap((opening) =>
    families.flatMap((one) =>
      textsOf(sources, one).map((from) => {
        const source = `${one === "ipv4" ? "ip" : "ip6"} saddr ${from}`;
        return `${source} ${nftMatch(opening, one)} accept comment "${taggedName(opening.name, tag)}"`;
      }),
    ),
  );
}

function nftMatch({ protocol, ports }: Opening, family: Family): string {
  if (protocol === "ping") return `${family === "ipv4" ? "icmp" : "icmpv6"} type echo-request`;
  return `${protocol} dport { ${portText(ports, ", ", "-")} }`;
}

/** Commands that let the openings in at the head of INPUT. */
export function iptablesCommands(
  command: IptablesCommand,
  wanted: readonly Opening[],
  sources: readonly Source[],
  tag: string,
): string[] {
  const family = command.startsWith("ip6") ? "ipv6" : "ipv4";
  return wanted.flatMap((opening) =>
    textsOf(sources, family).flatMap((from) =>
      iptablesMatches(opening, family).map(
        (match) =>
          `${command} -w -I INPUT -s ${from} ${match} -m comment --comment ${quote(taggedName(opening.name, tag))} -j ACCEPT`,
      ),
    ),
  );
}

function iptablesMatches({ protocol, ports }: Opening, family: Family): string[] {
  if (protocol === "ping") {
    return [
      family === "ipv4" ? "-p icmp --icmp-type echo-request" : "-p ipv6-icmp --icmpv6-type echo-request",
    ];
  }
  return portChunks(ports).map(
    (chunk) => `-p ${protocol} -m multiport --dports ${portText(chunk, ",", ":")}`,
  );
}

const matchSchema = z.object({
  match: z.object({
    left: z.object({ payload: z.object({ protocol: z.string(), field: z.string() }) }),
    right: z.unknown(),
  }),
});
const prefixSchema = z.object({ prefix: z.object({ addr: z.string(), len: z.number() }) });
const setSchema = z.object({ set: z.array(z.unknown()) });
const rangeSchema = z.object({ range: z.tuple([z.number(), z.number()]) });

/** Parses a rule as nft lists it; undefined if it is not one of ours. */
export function readNftRule({ comment = "", expr }: NftRule, tag: string): KeptRule | undefined {
  const name = ruleNameIn(comment, tag);
  if (name === undefined || !expr.some((expression) => "accept" in expression)) return undefined;
  let from: string | undefined;
  let protocol: KeptRule["protocol"] = "ping";
  let ports: number[] = [];
  for (const expression of expr) {
    const parsed = matchSchema.safeParse(expression);
    if (!parsed.success) continue;
    const { left, right } = parsed.data.match;
    if (left.payload.field === "saddr") from = nftAddress(right);
    if (left.payload.field === "dport") {
      protocol = left.payload.protocol === "udp" ? "udp" : "tcp";
      ports = nftPorts(right);
    }
  }
  return from === undefined ? undefined : { name, protocol, ports, from, profile: "" };
}

/** An address or network as nft lists it. */
export function nftAddress(value: unknown): string | undefined {
  if (typeof value === "string") return canonicalAddress(value);
  const parsed = prefixSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { addr, len } = parsed.data.prefix;
  return `${canonicalAddress(addr) ?? addr}/${len}`;
}

/** Ports as nft lists them: one, a range or a set. */
export function nftPorts(value: unknown): number[] {
  if (typeof value === "number") return [value];
  const range = rangeSchema.safeParse(value);
  if (range.success) return portsIn(range.data.range.join("-"));
  const set = setSchema.safeParse(value);
  return set.success ? set.data.set.flatMap(nftPorts) : [];
}

/** Rules of Tensordeck in what `iptables -S INPUT` prints. */
export function readIptablesRules(listing: string, tag: string): KeptRule[] {
  return listing.split("\n").flatMap((line): KeptRule[] => {
    const name = ruleNameIn(/--comment "([^"]*)" -j ACCEPT$/.exec(line)?.[1] ?? "", tag);
    const source = / -s (\S+)/.exec(line)?.[1];
    if (!line.startsWith("-A INPUT ") || name === undefined || source === undefined) return [];
    const protocol = / -p (tcp|udp) /.exec(line)?.[1];
    const ports = / --dports? (\S+)/.exec(line)?.[1] ?? "";
    return [
      {
        name,
        protocol: protocol === "tcp" || protocol === "udp" ? protocol : "ping",
        ports: portsIn(ports),
        from: iptablesSource(source),
        profile: "",
      },
    ];
  });
}

/** iptables writes a single address as a network of one. */
function iptablesSource(source: string): string {
  const [address = "", length] = source.split("/");
  const canonical = canonicalAddress(address) ?? address;
  const single = canonical.includes(":") ? "128" : "32";
  return length === undefined || length === single ? canonical : `${canonical}/${length}`;
}
