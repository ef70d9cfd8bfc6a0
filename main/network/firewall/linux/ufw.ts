/** Ubuntu's ufw, through its own command, which keeps the rules for the next start as well. */

import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import type { FirewallFacts } from "../../../api/firewall.js";
import { problem } from "../../../shared/problems.js";
import type { Inspection } from "../backend.js";
import { ok, warning } from "../notes.js";
import { portChunks, portsIn, portText } from "../ports.js";
import { ruleNameIn, taggedName } from "../rule-tag.js";
import { type KeptRule, type Opening, ownRuleTexts, ruleNames } from "../rules.js";
import { quote, unlessUnchanged } from "../shell.js";
import type { Source } from "./adapters.js";
import { denialNotes, ufwDenials } from "./denials.js";
import { adapterFacts, type LinuxContext, type LinuxSteps, linuxInspection } from "./linux-inspection.js";

/**
 * The comments of our rules in ufw: with the tag of this installation, or exactly as versions without tags wrote them.
 */
function namePattern(tag: string): string {
  return `(${[ruleNames.agent, ruleNames.tasks, ruleNames.discovery].join("|")})( ${tag})?`;
}

function listing(tag: string): string {
  return `{ ufw show added | grep -E "^ufw (prepend )?allow from .* comment '${namePattern(tag)}'$" || true; }`;
}

/** Numbered rules are deleted from the highest number down, since the following ones move up. */
function removeOwn(tag: string): string {
  const numbers = `sed -nE 's/^\\[ *([0-9]+)\\].* ALLOW IN .*# ${namePattern(tag)} *$/\\1/p'`;
  return `for number in $(ufw status numbered | ${numbers} | sort -rn); do ufw --force delete "$number"; done`;
}

/** The active ufw; undefined if it is missing or switched off. */
export async function inspectUfw(context: LinuxContext): Promise<Inspection | undefined> {
  const { run, signal, uid, adapters } = context;
  // Everyone may read its settings, but only the administrator its rules.
  const settings = await run("cat", ["/etc/ufw/ufw.conf"], { signal });
  if (!/^\s*ENABLED\s*=\s*"?yes/im.test(settings.stdout)) return undefined;
  const version = await run("ufw", ["version"], { signal });
  if (version.code !== 0) return undefined;
  const facts: FirewallFacts = {
    tool: "ufw",
    name: /^ufw [\d.]+/m.exec(version.stdout)?.[0] ?? "ufw",
    active: true,
    adapters: adapterFacts(adapters),
    blockRules: [],
    ownRules: [],
  };
  const inspected = (own: Partial<FirewallFacts>, pingIsLetIn: boolean | undefined, added = "") =>
    linuxInspection(
      context,
      { ...facts, ...own },
      (wanted, sources) => {
        const steps = ufwSteps(wanted, sources, pingIsLetIn, context.tag);
        return { ...steps, notes: [...denialNotes([ufwDenials(added)], wanted, sources), ...steps.notes] };
      },
      unlessUnchanged(listing(context.tag), [removeOwn(context.tag)]),
    );
  if (uid !== 0) {
    const hidden = problem("PERMISSION_DENIED", "Only an administrator can read the rules of ufw.", {
      remedy: "A test from the other machine shows what they do.",
    });
    return inspected({ problem: hidden.problem }, undefined);
  }
  const status = await run("ufw", ["status"], { signal });
  if (!/^Status: active/m.test(status.stdout)) return undefined;
  const added = await run("ufw", ["show", "added"], { signal });
  const before = await run("cat", ["/etc/ufw/before.rules"], { signal });
  const pingIsLetIn = /^-A ufw-before-input -p icmp --icmp-type echo-request -j ACCEPT/m.test(before.stdout);
  return inspected(
    { ownRules: ownRuleTexts(readUfwRules(added.stdout, context.tag)) },
    pingIsLetIn,
    added.stdout,
  );
}

/** Rules of Tensordeck in what `ufw show added` prints. */
function readUfwRules(text: string, tag: string): KeptRule[] {
  return text.split("\n").flatMap((line): KeptRule[] => {
    const match =
      /^ufw (?:prepend )?allow from (\S+) to any port (\S+) proto (tcp|udp) comment '([^']*)'$/.exec(
        line.trim(),
      );
    const [, from = "", ports = "", protocol, comment = ""] = match ?? [];
    const name = ruleNameIn(comment, tag);
    if (!match || name === undefined) return [];
    return [
      {
        name,
        protocol: protocol === "udp" ? "udp" : "tcp",
        ports: portsIn(ports),
        from: canonicalSource(from),
        profile: "",
      },
    ];
  });
}

function canonicalSource(from: string): string {
  const [address = "", length] = from.split("/");
  const canonical = canonicalAddress(address) ?? address;
  return length === undefined ? canonical : `${canonical}/${length}`;
}

/**
 * @param pingIsLetIn Undefined if that cannot be read. ufw has no command for pings.
 */
function ufwSteps(
  wanted: readonly Opening[],
  sources: readonly Source[],
  pingIsLetIn: boolean | undefined,
  tag: string,
): LinuxSteps {
  const lines = wanted
    .filter(({ protocol }) => protocol !== "ping")
    .flatMap(({ name, protocol, ports }) =>
      portChunks(ports).flatMap((chunk) =>
        distinctTexts(sources).map(
          // Prepended, since the first rule that matches decides.
          (from) =>
            `ufw prepend allow from ${from} to any port ${portText(chunk, ",", ":")} proto ${protocol} comment ${quote(taggedName(name, tag))}`,
        ),
      ),
    );
  return {
    lines: unlessUnchanged(listing(tag), [removeOwn(tag), ...lines]),
    without: [ruleNames.ping],
    notes: [pingNote(pingIsLetIn)],
  };
}

function pingNote(isLetIn: boolean | undefined) {
  if (isLetIn === false) {
    return warning("ufw is configured not to answer pings (/etc/ufw/before.rules); this is not changed.");
  }
  return ok(
    isLetIn
      ? "ufw answers pings by itself (/etc/ufw/before.rules), so they need no rule."
      : "ufw answers pings by itself unless /etc/ufw/before.rules was changed, so they need no rule.",
  );
}

function distinctTexts(sources: readonly Source[]): string[] {
  return [...new Set(sources.map(({ text }) => text))];
}
