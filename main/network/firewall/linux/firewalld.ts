/** firewalld, through rich rules: in effect at once and kept for the next start. */

import type { FirewallFacts } from "../../../api/firewall.js";
import { problem } from "../../../shared/problems.js";
import type { Inspection } from "../backend.js";
import { ok } from "../notes.js";
import { type PortRange, portsIn, portText } from "../ports.js";
import { type KeptRule, type Opening, ownRuleTexts, type RuleName, ruleNames } from "../rules.js";
import { quote, unlessUnchanged } from "../shell.js";
import type { Source } from "./adapters.js";
import { denialNotes, firewalldDenials } from "./denials.js";
import { adapterFacts, type LinuxContext, type LinuxSteps, linuxInspection } from "./linux-inspection.js";

/** In the order of their priorities. */
const ORDER: readonly RuleName[] = [ruleNames.agent, ruleNames.tasks, ruleNames.discovery, ruleNames.ping];
/** The priority of the first rule in versions whose rules had no tag. */
const FORMER_PRIORITY = -2220;
const HIGHEST_PRIORITY = -2300;
/** Priorities go down to -32768. */
const PRIORITY_RANGE = 7000;

/**
 * Rich rules have no name, so Tensordeck recognises its own by their priority, which is derived from the tag of the
 * installation, and by their form. A negative priority precedes rules that deny. Each opening has its own, since ports
 * alone do not distinguish the agent from a task.
 */
function priorityOf(name: RuleName, tag: string): number {
  const index = Number.parseInt(tag.slice(0, 12), 16) % PRIORITY_RANGE;
  return HIGHEST_PRIORITY - index * ORDER.length - ORDER.indexOf(name);
}

function nameOfPriority(priority: number, tag: string): RuleName | undefined {
  return ORDER.find(
    (name, index) => priority === priorityOf(name, tag) || priority === FORMER_PRIORITY - index,
  );
}

/** A rule of ours as firewalld prints it, for awk. */
function rulePattern(tag: string): string {
  const priorities = ORDER.flatMap((name, index) => [priorityOf(name, tag), FORMER_PRIORITY - index]).join(
    "|",
  );
  const what = '(port port="[0-9-]+" protocol="(tcp|udp)"|icmp-type name="echo-request")';
  return `rule priority="(${priorities})" family="ipv[46]" source address="[^"]+" ${what} accept$`;
}

/** Prints "zone<TAB>rule" for each of our rules; `$1` is --permanent or nothing. */
function ownFunction(tag: string): string {
  return (
    "own_rules() { firewall-cmd $1 --list-all-zones | " +
    `awk '/^[^ \\t]/ { zone = $1 } /^[ \\t]+${rulePattern(tag)}/ { sub(/^[ \\t]+/, ""); print zone "\\t" $0 }'; }`
  );
}

/** One call for each zone: each takes firewalld a third of a second. xargs parses the quotation marks. */
const REMOVE_FUNCTION =
  'remove() { own_rules "$1" | ' +
  `awk -F '\\t' '{ all[$1] = all[$1] " \\047--remove-rich-rule=" $2 "\\047" } END { for (zone in all) print "--zone=" zone all[zone] }' | ` +
  'while IFS= read -r arguments; do printf "%s\\n" "$arguments" | xargs firewall-cmd -q $1; done; }';

const REMOVE_OWN = ['remove ""', "remove --permanent"];
const LISTING = '{ own_rules ""; own_rules --permanent; }';

/** The running firewalld; undefined if it is not running. */
export async function inspectFirewalld(context: LinuxContext): Promise<Inspection | undefined> {
  const { run, signal, adapters, tag } = context;
  const ask = (...args: string[]) => run("firewall-cmd", args, { signal });
  const state = await ask("--state");
  if (state.stdout.trim() !== "running") return undefined;
  const [version, fallback, active, zones] = await Promise.all([
    ask("--version"),
    ask("--get-default-zone"),
    ask("--get-active-zones"),
    ask("--list-all-zones"),
  ]);
  const zoneOf = zoneFinder(active.stdout, fallback.stdout.trim());
  const failed = [fallback, active, zones].find(({ code }) => code !== 0);
  const facts: FirewallFacts = {
    tool: "firewalld",
    name: `firewalld ${version.stdout.trim()}`.trim(),
    active: true,
    adapters: adapterFacts(adapters, zoneOf),
    blockRules: [],
    ownRules: ownRuleTexts(readRichRules(zones.stdout, tag)),
    ...(failed && {
      problem: problem("PERMISSION_DENIED", "This account may not ask firewalld for its rules.", {
        details: failed.stderr.trim(),
      }).problem,
    }),
  };
  const steps = (wanted: readonly Opening[], sources: readonly Source[]) => {
    const { notes, ...rest } = firewalldSteps(wanted, sources, zoneOf, tag);
    const denials = denialNotes([firewalldDenials(zones.stdout)], wanted, sources);
    return { ...rest, notes: [...denials, ...notes] };
  };
  return linuxInspection(context, facts, steps, [ownFunction(tag), REMOVE_FUNCTION, ...REMOVE_OWN]);
}

/**
 * The zone of an interface, or the default one.
 *
 * @param active What `--get-active-zones` prints: the zone, then its interfaces indented.
 */
export function zoneFinder(active: string, fallback: string): (adapter: string | undefined) => string {
  const zones = new Map<string, string>();
  let zone = "";
  for (const line of active.split("\n")) {
    if (/^\S/.test(line)) zone = line.split(" ")[0] ?? "";
    const interfaces = /^\s+interfaces:(.*)$/.exec(line)?.[1] ?? "";
    for (const name of interfaces.split(/\s+/)) if (name !== "") zones.set(name, zone);
  }
  const safe = (name: string) => (/^[\w-]+$/.test(name) ? name : "public");
  return (adapter) => safe((adapter !== undefined ? zones.get(adapter) : undefined) ?? fallback);
}

/** Rules of Tensordeck in what `--list-all-zones` prints. */
function readRichRules(text: string, tag: string): KeptRule[] {
  let zone = "";
  return text.split("\n").flatMap((line): KeptRule[] => {
    if (/^\S/.test(line)) zone = line.split(" ")[0] ?? "";
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(line)?.[1];
    if (!/^\s+rule .*accept$/.test(line)) return [];
    const name = nameOfPriority(Number(attribute("priority")), tag);
    const from = attribute("address");
    if (name === undefined || from === undefined) return [];
    const protocol = attribute("protocol");
    const ports = portsIn(attribute("port port") ?? "");
    return [
      {
        name,
        protocol: protocol === "tcp" || protocol === "udp" ? protocol : "ping",
        ports,
        from,
        profile: zone,
      },
    ];
  });
}

/** @param zoneOf The zone of an interface, or the default one; only letters, digits, "_" and "-". */
function firewalldSteps(
  wanted: readonly Opening[],
  sources: readonly Source[],
  zoneOf: (adapter: string | undefined) => string,
  tag: string,
): LinuxSteps {
  const zones = [...new Set(sources.map(({ adapter }) => zoneOf(adapter)))];
  const lines = zones.flatMap((zone) => {
    const own = sources.filter(({ adapter }) => zoneOf(adapter) === zone);
    const rules = wanted.flatMap((opening) => own.flatMap((source) => richRules(opening, source, tag)));
    const added = [...new Set(rules)].map((rule) => `--add-rich-rule=${quote(rule)}`).join(" ");
    return ["", " --permanent"].map((kept) => `firewall-cmd -q${kept} --zone=${zone} ${added}`);
  });
  return {
    lines: [ownFunction(tag), REMOVE_FUNCTION, ...unlessUnchanged(LISTING, [...REMOVE_OWN, ...lines])],
    zones: zones.map((zone) => ({
      profile: zone,
      sources: sources.filter(({ adapter }) => zoneOf(adapter) === zone),
    })),
    notes: [ok(`Zones other than ${zones.join(" and ")} stay as they are.`)],
  };
}

/** Exactly as firewalld prints them, since they are found again by their text. */
function richRules({ name, protocol, ports }: Opening, { family, text }: Source, tag: string): string[] {
  const head = `rule priority="${priorityOf(name, tag)}" family="${family}" source address="${text}"`;
  if (protocol === "ping") return [`${head} icmp-type name="echo-request" accept`];
  return ports.map((range) => `${head} port port="${onePort(range)}" protocol="${protocol}" accept`);
}

function onePort(range: PortRange): string {
  return portText([range], ",", "-");
}
