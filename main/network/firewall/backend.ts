/** The operations that a firewall of one system implements; the code around them is shared (system-firewall.ts). */
import type { FirewallApply, FirewallFacts, FirewallPlan } from "../../api/firewall.js";
import type { FirewallChange, FirewallQuestion } from "./tool.js";

/** A firewall as it was found: a plan depends on nothing else. */
export interface Inspection {
  readonly facts: FirewallFacts;
  /** How the rights would be asked for. */
  readonly elevation: FirewallPlan["elevation"];
  /**
   * Pure. A plan without rules means that nothing has to be changed.
   *
   * @throws ProblemError INVALID_ARGUMENT for an invalid address or port.
   */
  plan(change: FirewallChange): FirewallPlan;
  /** How rules are removed: the script and its one-line form. */
  readonly undo: { readonly script: string; readonly command: string };
}

/** How running a script with an administrator's rights ended. */
export type Outcome = Pick<FirewallApply, "problem"> & {
  readonly state: "applied" | "already" | "declined" | "failed";
};

export interface FirewallBackend {
  inspect(question: FirewallQuestion, signal: AbortSignal): Promise<Inspection>;
  /** Runs a script with the rights that it needs; asks the user for them if the system works that way. */
  execute(
    script: string,
    elevation: Exclude<FirewallPlan["elevation"], "by-hand">,
    signal: AbortSignal,
  ): Promise<Outcome>;
}
