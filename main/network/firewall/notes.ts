/** The notes of a plan besides its rules. */
import type { FirewallFacts, FirewallPlan, FirewallScope } from "../../api/firewall.js";
import { ruleNames, ruleText } from "./rules.js";

/** The comments in the first line of scripts. */
export const titles = {
  apply: "Lets other machines reach Tensordeck, replacing its earlier rules.",
  undo: "Removes every rule of Tensordeck and nothing else.",
} as const;

export type Note = FirewallPlan["notes"][number];

export const ok = (text: string): Note => ({ kind: "ok", text });
export const warning = (text: string): Note => ({ kind: "warning", text });

/** The notes that every system has: who gets access, that task ports have no password, and which rules are replaced. */
export function commonNotes(
  rules: FirewallPlan["rules"],
  facts: FirewallFacts,
  scope: FirewallScope,
  who: string,
): Note[] {
  const notes = [ok(`Only ${who} can connect; everyone else stays shut out.`)];
  if (rules.some(({ name }) => name === ruleNames.tasks)) {
    const users = scope.kind === "peer" ? "That machine" : "Any device on this subnet";
    notes.push(warning(`Task ports have no password. ${users} can use them while tasks run.`));
  }
  const wanted = new Set(rules.map(ruleText));
  const replaced = facts.ownRules.filter((text) => !wanted.has(text));
  if (facts.problem) {
    notes.push(
      ok(
        "The existing rules cannot be read now; only those of this installation are replaced: they carry its mark, or are exactly as an earlier version of Tensordeck made them.",
      ),
    );
  }
  if (replaced.length > 0) {
    notes.push(warning(`Earlier rules of Tensordeck are replaced: ${replaced.join("; ")}.`));
  }
  return notes;
}
