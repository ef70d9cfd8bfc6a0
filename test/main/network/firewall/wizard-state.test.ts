import { describe, expect, it } from "vitest";
import {
  type FirewallWizard,
  firewallApplySchema,
  firewallWizardSchema,
} from "../../../../main/api/firewall.js";
import { nextState, type WizardEvent } from "../../../../main/network/firewall/wizard/wizard-state.js";
import fc from "../../../support/seeded-check.js";

const start: FirewallWizard = {
  machine: { id: "gpu", name: "gpu-pc" },
  peer: { id: "pi", name: "raspberrypi", address: "192.168.1.31" },
  ports: [2220],
  scope: { kind: "subnet" },
  removeBlockRules: false,
  step: "blocked",
  busy: true,
  headline: "",
  explanation: "",
  proof: [],
  verification: [],
};

const plan: NonNullable<FirewallWizard["plan"]> = {
  rules: [],
  removals: [],
  script: "script",
  undoScript: "undo",
  elevation: "none",
  command: "command",
  notes: [],
};
const findings = { headline: "found", explanation: "why", proof: [] };
const problem = { code: "UNAVAILABLE", message: "gone" };

const events: fc.Arbitrary<WizardEvent> = fc.oneof(
  fc.constantFrom<WizardEvent[]>(
    { kind: "busy" },
    { kind: "failed", problem },
    { kind: "diagnosed", findings },
    { kind: "configured", scope: { kind: "peer", address: "10.0.0.1" }, removeBlockRules: true },
    { kind: "planned", plan },
    { kind: "went", step: "blocked" },
    { kind: "went", step: "change" },
    { kind: "applying", since: 1 },
    { kind: "undoing", since: 2 },
    { kind: "by-hand-done", apply: { state: "applied", since: 3 } },
    { kind: "verified", findings, passed: true },
    { kind: "verified", findings, passed: false },
  ),
  fc
    .constantFrom(...firewallApplySchema.shape.state.options)
    .map((state): WizardEvent => ({ kind: "applied", apply: { state, since: 4 } })),
);

describe("the wizard's state", () => {
  it("is valid whatever happens in whatever order, and changes nothing that was given", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (happened) => {
        const frozen = JSON.stringify(start);
        const end = happened.reduce(nextState, start);
        firewallWizardSchema.parse(end);
        expect(JSON.stringify(start)).toBe(frozen);
      }),
    );
  });

  it("verifies only what was applied or undone, and waits for nothing that is over", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (happened) => {
        const before = happened.reduce(nextState, start);
        const declined = nextState(before, { kind: "applied", apply: { state: "declined", since: 5 } });
        expect([declined.busy, declined.step]).toEqual([false, before.step]);
        const left = nextState(before, { kind: "went", step: "change" });
        expect([left.step, left.busy, left.apply]).toEqual(["change", false, undefined]);
        const failed = nextState(before, { kind: "failed", problem });
        expect(failed.busy).toBe(false);
        expect([failed.problem, failed.apply?.problem]).toContain(problem);
      }),
    );
  });

  it("forgets a plan that was made for something else", () => {
    const planned = nextState(start, { kind: "planned", plan });
    const scope = { kind: "subnet" } as const;
    expect(nextState(planned, { kind: "configured", scope, removeBlockRules: true }).plan).toBeUndefined();
  });

  it("drops a diagnosis that comes when the user has gone on", () => {
    const gone = nextState(start, { kind: "went", step: "change" });
    expect(nextState(gone, { kind: "diagnosed", findings })).toBe(gone);
  });
});
