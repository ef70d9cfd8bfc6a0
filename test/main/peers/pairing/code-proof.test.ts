import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  bitsOfCode,
  CodeProof,
  commitmentOf,
  makeCode,
  OutOfTurnError,
  type ProofSide,
  ROUNDS,
  tryContext,
} from "../../../../main/peers/pairing/code-proof.js";
import type { MessageOf } from "../../../../main/peers/pairing/pairing-messages.js";

type Message = MessageOf<"commit"> | MessageOf<"reveal">;

const context = randomBytes(32);
const randomBits = (): boolean[] => Array.from({ length: ROUNDS }, () => Math.random() < 0.5);

/** Lets two sides talk until both are finished. @returns All messages, with who sent them. */
function talk(initiator: CodeProof, displayer: CodeProof): { from: ProofSide; message: Message }[] {
  const said: { from: ProofSide; message: Message }[] = [];
  let turn: { from: ProofSide; message: Message }[] = [{ from: "initiator", message: initiator.commit() }];
  while (turn.length > 0) {
    said.push(...turn);
    turn = turn.flatMap(({ from, message }) => {
      const to = from === "initiator" ? "displayer" : "initiator";
      const answers = (to === "displayer" ? displayer : initiator).receive(message);
      return answers.map((answer) => ({ from: to, message: answer }) as const);
    });
  }
  return said;
}

describe("the proof of a code", () => {
  it("succeeds for both who know it, in 20 rounds", () => {
    const bits = randomBits();
    const [initiator, displayer] = [
      new CodeProof("initiator", bits, context),
      new CodeProof("displayer", bits, context),
    ];
    expect(initiator.isProved).toBe(false);
    expect(talk(initiator, displayer)).toHaveLength(4 * ROUNDS);
    expect([initiator.isProved, displayer.isProved]).toEqual([true, true]);
  });

  it("fails for both at every single wrong bit, and takes as many messages", () => {
    const bits = randomBits();
    for (let wrong = 0; wrong < ROUNDS; wrong++) {
      const other = bits.map((bit, round) => bit !== (round === wrong));
      const initiator = new CodeProof("initiator", bits, context);
      const displayer = new CodeProof("displayer", other, context);
      expect(talk(initiator, displayer)).toHaveLength(4 * ROUNDS);
      expect([initiator.isProved, displayer.isProved]).toEqual([false, false]);
    }
  });

  it("is bound to the session and the devices", () => {
    const exporter = randomBytes(32);
    const nonces = [randomBytes(16), randomBytes(16)] as const;
    const binding = { initiatorId: "a".repeat(52), displayerId: "b".repeat(52), exporter };
    const same = tryContext(binding, ...nonces);
    expect(tryContext({ ...binding, exporter: Buffer.from(exporter) }, ...nonces)).toEqual(same);
    for (const other of [
      tryContext({ ...binding, exporter: randomBytes(32) }, ...nonces),
      tryContext(
        { ...binding, initiatorId: binding.displayerId, displayerId: binding.initiatorId },
        ...nonces,
      ),
      tryContext(binding, nonces[1], nonces[0]),
    ]) {
      expect(other).not.toEqual(same);
      const bits = randomBits();
      const [initiator, displayer] = [
        new CodeProof("initiator", bits, same),
        new CodeProof("displayer", bits, other),
      ];
      talk(initiator, displayer);
      expect([initiator.isProved, displayer.isProved]).toEqual([false, false]);
    }
  });

  it("cannot be had by sending everything back", () => {
    const bits = randomBits();
    const initiator = new CodeProof("initiator", bits, context);
    let own: Message | undefined = initiator.commit();
    while (own) own = initiator.receive(own)[0];
    expect(initiator.isFinished).toBe(true);
    expect(initiator.isProved).toBe(false);

    const displayer = new CodeProof("displayer", bits, context);
    let message: Message = { type: "commit", value: randomBytes(32) };
    while (!displayer.isFinished) {
      const answer: Message | undefined = displayer.receive(message)[0];
      // The message was its commitment or its reveal of this round: both go back as they are.
      message = answer ?? message;
      if (answer?.type === "reveal") message = { type: "commit", value: randomBytes(32) };
      else if (answer?.type === "commit") message = { type: "reveal", nonce: randomBytes(16) };
    }
    expect(displayer.isProved).toBe(false);
  });

  it("tells a guesser two bits on average, and then noise", () => {
    const runs = 1500;
    const learned: number[] = [];
    for (let run = 0; run < runs; run++) {
      const honest = new CodeProof("initiator", randomBits(), context);
      const said = talk(honest, new CodeProof("displayer", randomBits(), context));
      expect(honest.isProved).toBe(false);
      learned.push(opened(said.filter(({ from }) => from === "initiator").map(({ message }) => message)));
    }
    const mean = learned.reduce((sum, count) => sum + count, 0) / runs;
    // The bit of the round in which the guess was wrong is told too: 1 + 1/2 + 1/4 + … = 2, deviation 1.4 / √1500.
    expect(mean).toBeGreaterThan(1.8);
    expect(mean).toBeLessThan(2.2);
  });

  it("keeps to turns", () => {
    const commit: Message = { type: "commit", value: randomBytes(32) };
    const reveal: Message = { type: "reveal", nonce: randomBytes(16) };
    const displayer = new CodeProof("displayer", randomBits(), context);
    expect(() => displayer.receive(reveal)).toThrow(OutOfTurnError);
    displayer.receive(commit);
    expect(() => displayer.receive(commit)).toThrow(OutOfTurnError);
    const bits = randomBits();
    const [initiator, other] = [
      new CodeProof("initiator", bits, context),
      new CodeProof("displayer", bits, context),
    ];
    talk(initiator, other);
    expect(() => other.receive(commit)).toThrow(OutOfTurnError);
  });
});

/** In how many rounds a side's reveal fits its commitment to either bit. */
function opened(messages: readonly Message[]): number {
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [commit, reveal] = [messages[2 * round], messages[2 * round + 1]];
    if (commit?.type !== "commit" || reveal?.type !== "reveal") throw new Error("not a round");
    const fits = [true, false].some((bit) =>
      commitmentOf("initiator", round, bit, context, reveal.nonce).equals(commit.value),
    );
    if (fits) count++;
  }
  return count;
}

describe("codes", () => {
  it("are six digits, and never the same for long", () => {
    const codes = Array.from({ length: 2000 }, makeCode);
    expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBeGreaterThan(1980);
    // Each first digit is as likely: 200 each, deviation 13.
    for (let digit = 0; digit < 10; digit++) {
      const count = codes.filter((code) => code.startsWith(String(digit))).length;
      expect(count).toBeGreaterThan(120);
      expect(count).toBeLessThan(280);
    }
  });

  it("stand for other bits in every try", async () => {
    const [a, b, c] = await Promise.all([
      bitsOfCode("123456", context),
      bitsOfCode("123456", randomBytes(32)),
      bitsOfCode("123456", context),
    ]);
    expect(a).toHaveLength(ROUNDS);
    expect(a).toEqual(c);
    expect(a).not.toEqual(b);
  });
});
