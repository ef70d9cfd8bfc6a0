import type { Role } from "../../api/machines.js";
import { OutOfTurnError } from "./code-proof.js";
import {
  MAX_TRIES,
  type PairingInstruction,
  PairingMachine,
  type PairingSide,
  send,
} from "./pairing-machine.js";
import { type MessageOf, PAIRING_VERSION, type PairingMessage } from "./pairing-messages.js";

/** The side that asked for the pairing, and whose user types the code. */
export class InitiatorMachine extends PairingMachine {
  protected override readonly closeReason = "cancelled";
  #welcomed: MessageOf<"welcome"> | undefined;
  /** The role last sent to the other side; a role chosen after that comes too late. */
  #toldRole: Role;

  constructor(side: PairingSide) {
    super(side, "initiator");
    this.#toldRole = side.grantedRole;
  }

  /** The time for the code that the other side announced; undefined before it answered. */
  get expiresInMillis(): number | undefined {
    return this.#welcomed?.expiresInMillis;
  }

  start(): PairingInstruction[] {
    const { name, agentPort, knowsPeer } = this.side;
    return [
      send({
        type: "hello",
        version: PAIRING_VERSION,
        name,
        agentPort,
        grantedRole: this.grantedRole,
        knowsYou: knowsPeer,
      }),
    ];
  }

  protected override codeTyped(code: string): PairingInstruction[] {
    if (this.step !== "code" && this.step !== "wrong") return [];
    this.setStep("checking");
    return [send(this.beginTry(code))];
  }

  protected override message(message: PairingMessage): PairingInstruction[] {
    switch (message.type) {
      case "welcome":
        return this.#welcome(message);
      case "try":
        return [this.derive(message.nonce)];
      case "result":
        return this.#result(message);
      default:
        throw new OutOfTurnError(`"${message.type}" from the side that shows the code`);
    }
  }

  protected override proofEnded(isProved: boolean): PairingInstruction[] {
    return [this.#resultOf(isProved)];
  }

  #welcome(message: MessageOf<"welcome">): PairingInstruction[] {
    if (this.#welcomed) throw new OutOfTurnError("a second welcome");
    // Without the device ID from this machine's user nothing identifies the machine that answers.
    if (message.byFingerprint && !this.side.knowsPeer) return this.fail({ kind: "unproved" }, "refused");
    this.#welcomed = message;
    this.peer = { name: message.name, agentPort: message.agentPort, role: undefined };
    this.triesLeft = Math.min(message.triesLeft, MAX_TRIES);
    this.setStep(message.byFingerprint ? "checking" : "code");
    return message.byFingerprint ? [this.#resultOf(true)] : [];
  }

  #resultOf(ok: boolean): PairingInstruction {
    this.#toldRole = this.grantedRole;
    return send({ type: "result", ok, grantedRole: this.grantedRole, triesLeft: this.triesLeft });
  }

  #result({ ok, grantedRole, triesLeft }: MessageOf<"result">): PairingInstruction[] {
    const byFingerprint = this.#welcomed?.byFingerprint === true;
    const { verdict } = this;
    if (!byFingerprint && verdict === undefined) throw new OutOfTurnError("a result without a try");
    if (ok && (byFingerprint || verdict)) {
      this.endTry();
      this.peer = { ...this.peer, role: grantedRole };
      this.grantedRole = this.#toldRole;
      this.setStep("paired");
      return [{ type: "trust" }, { type: "hangUp" }];
    }
    // Only a party that does not know the code reports success after a failure.
    if (ok) return this.fail({ kind: "unproved" }, "refused");
    this.endTry();
    // Never more than before: each typed code is one chance for a man in the middle.
    this.triesLeft = Math.min(triesLeft, this.triesLeft - 1);
    if (this.triesLeft <= 0) return this.fail({ kind: "tries" });
    this.setStep("wrong");
    return [];
  }
}
