import { makeCode, OutOfTurnError } from "./code-proof.js";
import { type PairingInstruction, PairingMachine, type PairingSide, send } from "./pairing-machine.js";
import { type MessageOf, PAIRING_VERSION, type PairingMessage } from "./pairing-messages.js";

/** The side that was asked and shows the code: a person who can read it there may be admitted. */
export class DisplayerMachine extends PairingMachine {
  protected override readonly closeReason = "refused";
  readonly #expiresInMillis: number;
  readonly #newCode: () => string;
  /** Set after "hello" unless no code is needed; another one after each try. */
  #code: string | undefined;
  #byFingerprint = false;

  /** @param newCode Makes codes; random unless given. */
  constructor(side: PairingSide, expiresInMillis: number, newCode = makeCode) {
    super(side, "displayer");
    this.#expiresInMillis = expiresInMillis;
    this.#newCode = newCode;
  }

  /** The code to show; undefined while there is nothing to type. */
  get code(): string | undefined {
    return this.step === "code" || this.step === "wrong" ? this.#code : undefined;
  }

  protected override codeTyped(): PairingInstruction[] {
    return [];
  }

  protected override message(message: PairingMessage): PairingInstruction[] {
    switch (message.type) {
      case "hello":
        return this.#hello(message);
      case "try":
        return this.#try(message);
      case "result":
        return this.#result(message);
      default:
        throw new OutOfTurnError(`"${message.type}" from the side that types the code`);
    }
  }

  protected override proofEnded(): PairingInstruction[] {
    // The verdict is kept; the other side says first what it found.
    return [];
  }

  #hello(message: MessageOf<"hello">): PairingInstruction[] {
    if (this.step !== "connecting") throw new OutOfTurnError("a second hello");
    this.peer = { name: message.name, agentPort: message.agentPort, role: message.grantedRole };
    if (message.version !== PAIRING_VERSION) {
      return this.fail({ kind: "bye", bye: { type: "bye", reason: "version" } }, "version");
    }
    this.#byFingerprint = this.side.knowsPeer && message.knowsYou;
    if (!this.#byFingerprint) this.#code = this.#newCode();
    this.setStep(this.#byFingerprint ? "checking" : "code");
    const { name, agentPort } = this.side;
    return [
      send({
        type: "welcome",
        name,
        agentPort,
        byFingerprint: this.#byFingerprint,
        expiresInMillis: this.#expiresInMillis,
        triesLeft: this.triesLeft,
      }),
    ];
  }

  #try(message: MessageOf<"try">): PairingInstruction[] {
    const code = this.#code;
    if (code === undefined || this.isTrying) throw new OutOfTurnError("an unexpected try");
    // Used up from here on, whatever the outcome.
    this.#code = undefined;
    this.setStep("checking");
    return [send(this.beginTry(code)), this.derive(message.nonce)];
  }

  #result({ ok, grantedRole }: MessageOf<"result">): PairingInstruction[] {
    const { verdict } = this;
    if (!this.#byFingerprint && verdict === undefined) throw new OutOfTurnError("a result without a try");
    this.peer = { ...this.peer, role: grantedRole };
    if (ok && (this.#byFingerprint || verdict)) {
      this.endTry();
      this.setStep("paired");
      return [{ type: "trust" }, this.#resultOf(true), { type: "hangUp" }];
    }
    if (this.#byFingerprint) return this.fail({ kind: "unproved" }, "refused");
    this.endTry();
    this.triesLeft--;
    const told: PairingInstruction[] = [{ type: "countTry" }, this.#resultOf(false)];
    if (this.triesLeft <= 0) return [...told, ...this.fail({ kind: "tries" })];
    this.#code = this.#newCode();
    this.setStep("wrong");
    return told;
  }

  #resultOf(ok: boolean): PairingInstruction {
    return send({ type: "result", ok, grantedRole: this.grantedRole, triesLeft: this.triesLeft });
  }
}
