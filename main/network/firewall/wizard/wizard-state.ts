/**
 * The wizard's state as a pure function of events; events that are impossible in the current step are ignored.
 */
import type {
  FirewallApply,
  FirewallFacts,
  FirewallPlan,
  FirewallScope,
  FirewallWizard,
  Proof,
} from "../../../api/firewall.js";
import type { Problem } from "../../../api/problem.js";

/** The results, and their meaning in words. */
export interface Findings {
  readonly headline: string;
  readonly explanation: string;
  readonly proof: readonly Proof[];
}

export type WizardEvent =
  /** Work has begun that ends with another event. */
  | { readonly kind: "busy" }
  /** The attempt failed. */
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "inspected"; readonly facts: FirewallFacts; readonly peerAddress?: string }
  | { readonly kind: "diagnosed"; readonly findings: Findings }
  | { readonly kind: "configured"; readonly scope: FirewallScope; readonly removeBlockRules: boolean }
  | { readonly kind: "planned"; readonly plan: FirewallPlan }
  | { readonly kind: "went"; readonly step: "blocked" | "change" }
  /** The user wants the change; nothing has been asked for yet. */
  | { readonly kind: "applying"; readonly since: number }
  | { readonly kind: "applied"; readonly apply: FirewallApply }
  /** A test showed that the change was made by hand. */
  | { readonly kind: "by-hand-done"; readonly apply: FirewallApply }
  /** Tested after a change. `passed`: nothing that was tested failed. */
  | { readonly kind: "verified"; readonly findings: Findings; readonly passed: boolean }
  /** The machine was told to remove the rules. */
  | { readonly kind: "undoing"; readonly since: number };

/** The state after something happened. Pure. */
export function nextState(state: FirewallWizard, event: WizardEvent): FirewallWizard {
  switch (event.kind) {
    case "busy":
      return { ...without(state, "problem"), busy: true };
    case "failed":
      return failed(state, event.problem);
    case "inspected":
      return inspected(state, event.facts, event.peerAddress);
    case "diagnosed": {
      const { headline, explanation, proof } = event.findings;
      return state.step === "blocked"
        ? { ...state, headline, explanation, proof: [...proof], busy: false }
        : state;
    }
    case "configured":
      // A plan that was made for other settings must not be applied.
      return {
        ...without(state, "plan"),
        scope: event.scope,
        removeBlockRules: event.removeBlockRules,
      };
    case "planned":
      return { ...state, plan: event.plan, busy: false };
    case "went":
      return { ...without(state, "apply", "problem"), step: event.step, busy: false, verification: [] };
    case "applying":
      return {
        ...without(state, "problem"),
        step: "apply",
        busy: true,
        verification: [],
        apply: { state: "waiting", since: event.since },
      };
    case "undoing":
      return {
        ...without(state, "problem"),
        busy: true,
        verification: [],
        apply: { state: "waiting", since: event.since },
      };
    case "applied":
      return applied(state, event.apply);
    case "by-hand-done":
      return { ...state, apply: event.apply };
    case "verified":
      return verified(state, event.findings, event.passed);
  }
}

function inspected(
  state: FirewallWizard,
  facts: FirewallFacts,
  peerAddress: string | undefined,
): FirewallWizard {
  const { peer } = state;
  return peer && peerAddress !== undefined
    ? { ...state, facts, peer: { ...peer, address: peerAddress } }
    : { ...state, facts };
}

/** The next step when the request for rights has progressed. */
function applied(state: FirewallWizard, apply: FirewallApply): FirewallWizard {
  const next = { ...state, apply };
  switch (apply.state) {
    case "waiting":
      return next;
    case "applied":
    case "already":
      return { ...next, step: "verify", busy: true };
    case "undone":
      return { ...next, busy: true };
    case "declined":
    case "failed":
      return { ...next, busy: false, ...(state.step === "verify" && { problem: rulesStay(apply) }) };
    case "by-hand":
      return { ...next, step: "apply", busy: false };
  }
}

/** Removing the rules was declined or failed, which is shown where the rules are. */
function rulesStay({ state, problem }: FirewallApply): Problem {
  if (problem) return problem;
  const message = "The rules were not removed.";
  return state === "declined"
    ? { code: "CANCELLED", message, reason: "The prompt was declined." }
    : { code: "ABORTED", message };
}

function verified(state: FirewallWizard, findings: Findings, passed: boolean): FirewallWizard {
  const { headline, explanation, proof } = findings;
  const tested = { ...state, busy: false, verification: [...proof], headline, explanation };
  if (state.step !== "apply") return tested;
  if (passed) return { ...tested, step: "verify" };
  // The user has to run a command: the step that shows it stays, with the result of the test.
  const { apply } = state;
  const problem: Problem = { code: "FAILED_PRECONDITION", message: headline, reason: explanation };
  return apply ? { ...tested, apply: { ...apply, problem } } : { ...tested, problem };
}

function failed(state: FirewallWizard, problem: Problem): FirewallWizard {
  const { apply } = state;
  if (apply?.state !== "waiting") return { ...state, busy: false, problem };
  return { ...state, busy: false, apply: { ...apply, state: "failed", problem } };
}

function without<K extends "plan" | "apply" | "problem">(
  state: FirewallWizard,
  ...keys: K[]
): FirewallWizard {
  const kept = { ...state };
  for (const key of keys) delete kept[key];
  return kept;
}
