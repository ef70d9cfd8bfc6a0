/** Parts that the kinds of firewalls on Linux share. */
import { isLinkLocalIpv6 } from "../../../../worker-runtime/cluster/host.js";
import type { FirewallFacts, FirewallPlan, FirewallRule } from "../../../api/firewall.js";
import type { Inspection } from "../backend.js";
import type { RunCommand } from "../command.js";
import { commonNotes, type Note, ok, titles } from "../notes.js";
import { firewallRule, type Opening, openings, sourceText } from "../rules.js";
import { type ShellScript, shellScript } from "../shell.js";
import type { FirewallChange } from "../tool.js";
import { type AdapterAddress, publicAddresses, type Source, sourcesOf } from "./adapters.js";

/** The context that every kind of firewall is inspected with. */
export interface LinuxContext {
  readonly run: RunCommand;
  readonly uid: number;
  readonly elevation: FirewallPlan["elevation"];
  readonly adapters: readonly AdapterAddress[];
  readonly agentPort: number | undefined;
  /** Identifies the rules of this installation. */
  readonly tag: string;
  readonly signal: AbortSignal;
}

/** A script's steps for one change: its commands, and what the user should know of them. */
export interface LinuxSteps {
  readonly lines: readonly string[];
  /** If rules differ by zone: the sources of each zone. */
  readonly zones?: readonly { readonly profile: string; readonly sources: readonly Source[] }[];
  readonly notes: readonly Note[];
  /** Openings that need no rule here, because the firewall lets them in anyway. */
  readonly without?: readonly Opening["name"][];
}

export function adapterFacts(
  adapters: readonly AdapterAddress[],
  profileOf: (adapter: string) => string = () => "",
): FirewallFacts["adapters"] {
  return adapters
    .filter(({ address }) => !isLinkLocalIpv6(address))
    .map(({ adapter, address, prefixLength }) => ({
      name: adapter,
      profile: profileOf(adapter),
      address: `${address}/${prefixLength}`,
    }));
}

/**
 * @param steps Pure: the steps that allow these openings from these sources, replacing what was allowed before.
 * @param undoLines Removes all rules of Tensordeck.
 */
export function linuxInspection(
  { elevation, adapters, agentPort }: LinuxContext,
  facts: FirewallFacts,
  steps: (wanted: readonly Opening[], sources: readonly Source[]) => LinuxSteps,
  undoLines: readonly string[],
): Inspection {
  const undo = shellScript(titles.undo, undoLines);
  return {
    facts,
    elevation,
    undo,
    plan: (change) => {
      const wanted = openings(change.ports, agentPort);
      const sources = sourcesOf(change.scope, adapters);
      const { lines, zones = [{ profile: "", sources }], notes, without = [] } = steps(wanted, sources);
      const rules = wanted
        .filter(({ name }) => !without.includes(name))
        .flatMap((opening) =>
          zones.map((zone) => firewallRule(opening, sourceText(zone.sources), zone.profile)),
        );
      return planOf(rules, shellScript(titles.apply, lines), undo, elevation, [
        ...commonNotes(rules, facts, change.scope, sourceText(sources)),
        ...closedNotes(change, adapters),
        ...notes,
      ]);
    },
  };
}

/** If nothing is blocked, nothing has to be changed. */
export function nothingToDo(context: LinuxContext, facts: FirewallFacts): Inspection {
  const nothing = { script: "", command: "" };
  return {
    facts,
    elevation: context.elevation,
    undo: nothing,
    plan: (change) => {
      // Checked nevertheless, so that an invalid address is reported as on other systems.
      if (change.scope.kind === "peer") sourcesOf(change.scope, context.adapters);
      openings(change.ports, context.agentPort);
      return planOf([], nothing, nothing, "none", [ok("Nothing on this machine blocks connections.")]);
    },
  };
}

function planOf(
  rules: FirewallRule[],
  { script, command }: ShellScript,
  undo: ShellScript,
  elevation: FirewallPlan["elevation"],
  notes: Note[],
): FirewallPlan {
  return { rules, removals: [], script, undoScript: undo.script, elevation, command, notes };
}

function closedNotes({ scope }: FirewallChange, adapters: readonly AdapterAddress[]): Note[] {
  if (scope.kind === "peer") return [];
  const closed = publicAddresses(adapters).map(({ adapter, address }) => `${adapter} (${address})`);
  return closed.length === 0 ? [] : [ok(`Public networks stay closed: ${closed.join(", ")}.`)];
}
