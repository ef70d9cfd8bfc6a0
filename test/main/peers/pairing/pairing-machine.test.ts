import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ROUNDS } from "../../../../main/peers/pairing/code-proof.js";
import { DisplayerMachine } from "../../../../main/peers/pairing/displayer-machine.js";
import { InitiatorMachine } from "../../../../main/peers/pairing/initiator-machine.js";
import type {
  PairingEvent,
  PairingInstruction,
  PairingMachine,
} from "../../../../main/peers/pairing/pairing-machine.js";
import type { PairingMessage } from "../../../../main/peers/pairing/pairing-messages.js";
import fc from "../../../support/seeded-check.js";

const CODE = "042917";
const binding = { initiatorId: "a".repeat(52), displayerId: "b".repeat(52), exporter: randomBytes(32) };
const bitsOf = (code: string): boolean[] =>
  Array.from({ length: ROUNDS }, (_, round) => (Number(code) & (1 << round)) !== 0);

const makeInitiator = (knowsPeer = false): InitiatorMachine =>
  new InitiatorMachine({ name: "desk", agentPort: 1, binding, knowsPeer, grantedRole: "view" });
const makeDisplayer = (knowsPeer = false, newCode = () => CODE): DisplayerMachine =>
  new DisplayerMachine(
    { name: "box", agentPort: 2, binding, knowsPeer, grantedRole: "run" },
    120_000,
    newCode,
  );

/** Two machines and what is on its way between them. Bits are computed when the test says so. */
class Wire {
  readonly done: { who: PairingMachine; instruction: PairingInstruction }[] = [];
  readonly derivations: { who: PairingMachine; code: string }[] = [];
  readonly #queue: { to: PairingMachine; message: PairingMessage }[] = [];
  constructor(
    readonly initiator: InitiatorMachine,
    readonly displayer: DisplayerMachine,
  ) {
    this.#follow(initiator, initiator.start());
    this.flow();
  }

  do(who: PairingMachine, event: PairingEvent): void {
    this.#follow(who, who.handle(event));
    this.flow();
  }

  /** Hands over all messages. */
  flow(): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#follow(next.to, next.to.handle({ type: "message", message: next.message }));
    }
  }

  derive(who?: PairingMachine): void {
    const at = this.derivations.findIndex((derivation) => !who || derivation.who === who);
    const [derivation] = this.derivations.splice(at, 1);
    if (derivation) this.do(derivation.who, { type: "derived", bits: bitsOf(derivation.code) });
  }

  trusted(): PairingMachine[] {
    return this.done.flatMap(({ who, instruction }) => (instruction.type === "trust" ? [who] : []));
  }

  #follow(who: PairingMachine, instructions: readonly PairingInstruction[]): void {
    for (const instruction of instructions) {
      this.done.push({ who, instruction });
      if (instruction.type === "send") {
        this.#queue.push({
          to: who === this.initiator ? this.displayer : this.initiator,
          message: instruction.message,
        });
      }
      if (instruction.type === "derive") this.derivations.push({ who, code: instruction.code });
    }
  }
}

describe("the two sides of a pairing", () => {
  it.each(["initiator", "displayer"] as const)("pair, whichever computes first: the %s", (first) => {
    const wire = new Wire(makeInitiator(), makeDisplayer());
    expect([wire.initiator.step, wire.displayer.step, wire.displayer.code]).toEqual(["code", "code", CODE]);
    wire.do(wire.initiator, { type: "code", code: CODE });
    expect([wire.initiator.step, wire.displayer.step, wire.displayer.code]).toEqual([
      "checking",
      "checking",
      undefined,
    ]);
    wire.derive(wire[first]);
    wire.derive();
    // The displayer trusts first: when the initiator hears of it, it may come at once.
    expect(wire.trusted()).toEqual([wire.displayer, wire.initiator]);
    expect([wire.initiator.told, wire.displayer.told]).toEqual([
      { name: "box", agentPort: 2, role: "run" },
      { name: "desk", agentPort: 1, role: "view" },
    ]);
  });

  it("take the role that holds when the code was proved", () => {
    const wire = new Wire(makeInitiator(), makeDisplayer());
    wire.do(wire.initiator, { type: "code", code: CODE });
    wire.displayer.grantedRole = "manage";
    wire.initiator.grantedRole = "run";
    wire.derive();
    wire.derive();
    expect(wire.initiator.told.role).toBe("manage");
    expect(wire.displayer.told.role).toBe("run");
  });

  it("count tries alike, and burn each code", () => {
    let code = 0;
    const wire = new Wire(
      makeInitiator(),
      makeDisplayer(false, () => String(++code).padStart(6, "0")),
    );
    for (const [shown, left] of [
      ["000001", 2],
      ["000002", 1],
    ] as const) {
      expect(wire.displayer.code).toBe(shown);
      wire.do(wire.initiator, { type: "code", code: "999999" });
      wire.derive();
      wire.derive();
      for (const side of [wire.initiator, wire.displayer]) {
        expect([side.step, side.triesLeft]).toEqual(["wrong", left]);
      }
    }
    wire.do(wire.initiator, { type: "code", code: "999999" });
    wire.derive();
    wire.derive();
    expect([wire.initiator.failure, wire.displayer.failure]).toEqual([{ kind: "tries" }, { kind: "tries" }]);
    expect(wire.done.filter(({ instruction }) => instruction.type === "countTry")).toHaveLength(3);
    expect(wire.trusted()).toEqual([]);
  });

  it("count a try that was not ended, from whichever point", () => {
    for (const event of [{ type: "lost" }, { type: "expired" }, { type: "closed" }] as const) {
      const wire = new Wire(makeInitiator(), makeDisplayer());
      wire.do(wire.initiator, { type: "code", code: CODE });
      wire.do(wire.displayer, event);
      expect(wire.done.some(({ instruction }) => instruction.type === "countTry")).toBe(true);
      // The result that was still being computed comes too late.
      wire.derive();
      wire.derive();
      expect([wire.initiator.step, wire.displayer.step, wire.trusted()]).toEqual([
        event.type === "lost" ? "checking" : "failed",
        "failed",
        [],
      ]);
    }
  });

  it("need no code if and only if both know the other", () => {
    for (const [initiatorKnows, displayerKnows] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const wire = new Wire(makeInitiator(initiatorKnows), makeDisplayer(displayerKnows));
      const both = initiatorKnows && displayerKnows;
      expect(wire.trusted()).toHaveLength(both ? 2 : 0);
      expect(wire.displayer.code).toBe(both ? undefined : CODE);
    }
  });

  it("ignore what a user types at the wrong time", () => {
    const wire = new Wire(makeInitiator(), makeDisplayer());
    wire.do(wire.displayer, { type: "code", code: CODE });
    wire.do(wire.initiator, { type: "code", code: CODE });
    wire.do(wire.initiator, { type: "code", code: "000000" });
    wire.derive();
    wire.derive();
    expect(wire.trusted()).toHaveLength(2);
    wire.do(wire.initiator, { type: "closed" });
    expect(wire.initiator.step).toBe("paired");
  });
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const anyMessage: fc.Arbitrary<PairingMessage> = fc.oneof(
  fc.record({
    type: fc.constant("hello" as const),
    version: fc.constant(1),
    name: fc.string(),
    grantedRole: fc.constant("manage" as const),
    agentPort: fc.nat(),
    knowsYou: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("welcome" as const),
    name: fc.string(),
    agentPort: fc.nat(),
    byFingerprint: fc.boolean(),
    expiresInMillis: fc.nat(),
    triesLeft: fc.nat(10),
  }),
  fc.record({ type: fc.constant("try" as const), nonce: bytes(16) }),
  fc.record({ type: fc.constant("commit" as const), value: bytes(32) }),
  fc.record({ type: fc.constant("reveal" as const), nonce: bytes(16) }),
  fc.record({
    type: fc.constant("result" as const),
    ok: fc.boolean(),
    grantedRole: fc.constant("manage" as const),
    triesLeft: fc.nat(10),
  }),
);
/** Messages of a peer that knows no code, in likely and unlikely orders, and what else may happen. */
const anyEvent: fc.Arbitrary<PairingEvent> = fc.oneof(
  { weight: 8, arbitrary: anyMessage.map((message) => ({ type: "message", message }) as const) },
  { weight: 2, arbitrary: fc.constant({ type: "code", code: CODE } as const) },
  { weight: 2, arbitrary: fc.constant({ type: "derived", bits: bitsOf(CODE) } as const) },
);

describe("any messages of a peer that does not know the code", () => {
  it.each([
    ["initiator", () => makeInitiator()],
    ["displayer", () => makeDisplayer()],
    ["displayer that was given its device ID", () => makeDisplayer(true)],
  ] as const)("never makes the %s trust it by anything but that ID", (what, make) => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const machine = make();
        const instructions = events.flatMap((event) => machine.handle(event));
        const isTrusted = instructions.some(({ type }) => type === "trust");
        const isKnown = what.includes("device ID");
        expect(isTrusted && !isKnown).toBe(false);
        expect(machine.step === "paired").toBe(isTrusted);
        // Once it hangs up it says nothing more.
        const hangUp = instructions.findIndex(({ type }) => type === "hangUp");
        if (hangUp !== -1) expect(instructions).toHaveLength(hangUp + 1);
      }),
      { numRuns: 500 },
    );
  });
});
