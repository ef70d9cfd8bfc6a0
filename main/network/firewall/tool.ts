/** The firewall of this machine, or of another one through its agent. */
import type { FirewallApply, FirewallFacts, FirewallPlan, FirewallScope } from "../../api/firewall.js";

export interface FirewallQuestion {
  /** The machine whose access is queried; absent: any machine. */
  readonly peerAddress?: string;
  readonly ports: readonly number[];
}

export interface FirewallChange {
  readonly scope: FirewallScope;
  /** TCP ports in addition to the agent's, which is always included. */
  readonly ports: readonly number[];
  /** Whether rules that block the program regardless of others are removed as well. */
  readonly removeBlockRules: boolean;
}

export interface FirewallTool {
  /**
   * The firewall as it is now, read without asking for rights. If it cannot be read without them, `problem`
   * has the code PERMISSION_DENIED, and `ownRules` is meaningless.
   */
  inspect(question: FirewallQuestion, signal: AbortSignal): Promise<FirewallFacts>;
  /**
   * Exactly what a change would do; changes nothing.
   *
   * @throws ProblemError INVALID_ARGUMENT for an invalid address or port.
   */
  plan(change: FirewallChange, signal: AbortSignal): Promise<FirewallPlan>;
  /**
   * Asks for the rights and changes the rules. The last state is final. Ends without a final state when the signal is
   * aborted; a prompt that is already open stays on the screen.
   */
  apply(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply>;
  /** Removes all rules of Tensordeck in the same way; does not restore Block rules that were removed. */
  undo(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply>;
}
