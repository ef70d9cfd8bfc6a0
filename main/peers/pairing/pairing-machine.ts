/**
 * Parts that both sides of a pairing share: events, instructions, and the proof of the code. The sides are state
 * machines without sockets, timers or files: events in, instructions out.
 */
import { randomBytes } from "node:crypto";
import type { Role } from "../../api/machines.js";
import { CodeProof, OutOfTurnError, type PairingBinding, type ProofSide, tryContext } from "./code-proof.js";
import { type ByeReason, type MessageOf, NONCE_BYTES, type PairingMessage } from "./pairing-messages.js";
import type { PairingFailure } from "./pairing-problems.js";

/** Everything that happens to a pairing arrives as one of these. */
export type PairingEvent =
  | { readonly type: "message"; readonly message: PairingMessage }
  /** The user typed it. Initiator only. */
  | { readonly type: "code"; readonly code: string }
  /** The result of the instruction "derive". */
  | { readonly type: "derived"; readonly bits: readonly boolean[] }
  /** The time is up. */
  | { readonly type: "expired" }
  /** The user of this machine cancels it. */
  | { readonly type: "closed" }
  /** Another machine is served instead. */
  | { readonly type: "displaced" }
  /** The connection ended. */
  | { readonly type: "lost" }
  /** Invalid bytes were received. */
  | { readonly type: "garbage"; readonly details: string };

export type PairingInstruction =
  | { readonly type: "send"; readonly message: PairingMessage }
  /** Compute `bitsOfCode` and come back with "derived". */
  | { readonly type: "derive"; readonly code: string; readonly context: Uint8Array }
  /** Both have proved themselves: trust the other machine from now on. */
  | { readonly type: "trust" }
  /** A try was wrong or not completed; it counts against the other machine. */
  | { readonly type: "countTry" }
  /** End the connection once everything has been sent. */
  | { readonly type: "hangUp" };

/** The other machine's report about itself. */
export interface PairingPeer {
  readonly name: string;
  /** 0: its agent does not listen. */
  readonly agentPort: number;
  /** The rights of this machine there. */
  readonly role: Role | undefined;
}

/** As `PairingState` of the contract. */
export type PairingStep = "connecting" | "code" | "checking" | "wrong" | "paired" | "failed";

export interface PairingSide {
  /** This machine's report about itself. */
  readonly name: string;
  readonly agentPort: number;
  readonly binding: PairingBinding;
  /** Whether this machine's user gave the other's device ID. */
  readonly knowsPeer: boolean;
  /** The rights that the other machine will have here. */
  readonly grantedRole: Role;
}

export const MAX_TRIES = 3;

/** One try, from the typed code until both sides have sent their result. */
interface Try {
  readonly code: string;
  readonly nonce: Uint8Array;
  /** Absent until the other side's nonce came. */
  context?: Uint8Array;
  /** Absent while the bits are computed. */
  proof?: CodeProof;
  /** The first commitment of a side that computed faster. */
  early?: MessageOf<"commit">;
}

export abstract class PairingMachine {
  protected readonly side: PairingSide;
  readonly #proofSide: ProofSide;
  #step: PairingStep = "connecting";
  #failure: PairingFailure | undefined;
  #try: Try | undefined;
  protected peer: PairingPeer = { name: "", agentPort: 0, role: undefined };
  grantedRole: Role;
  triesLeft = MAX_TRIES;

  protected constructor(side: PairingSide, proofSide: ProofSide) {
    this.side = side;
    this.#proofSide = proofSide;
    this.grantedRole = side.grantedRole;
  }

  get step(): PairingStep {
    return this.#step;
  }

  /** Set if and only if the step is "failed". */
  get failure(): PairingFailure | undefined {
    return this.#failure;
  }

  get isOver(): boolean {
    return this.#step === "paired" || this.#step === "failed";
  }

  /** The other machine's report about itself so far. */
  get told(): PairingPeer {
    return this.peer;
  }

  /** The instructions for an event. Events after the end are ignored. */
  handle(event: PairingEvent): PairingInstruction[] {
    if (this.isOver) return [];
    switch (event.type) {
      case "message":
        return this.#received(event.message);
      case "code":
        return this.codeTyped(event.code);
      case "derived":
        return this.#derived(event.bits);
      case "expired":
        return this.fail({ kind: "expired" }, "expired");
      case "closed":
        return this.fail({ kind: "closed" }, this.closeReason);
      case "displaced":
        return this.fail({ kind: "displaced" }, "busy");
      case "lost":
        return this.fail({ kind: "lost" });
      case "garbage":
        return this.fail({ kind: "garbage", details: event.details });
    }
  }

  /** The reason sent to the other side when this side's user cancels. */
  protected abstract readonly closeReason: ByeReason;
  protected abstract codeTyped(code: string): PairingInstruction[];
  /** Everything but the proof and "bye". @throws OutOfTurnError */
  protected abstract message(message: PairingMessage): PairingInstruction[];
  /** All rounds are over. */
  protected abstract proofEnded(isProved: boolean): PairingInstruction[];

  protected setStep(step: Exclude<PairingStep, "failed">): void {
    this.#step = step;
  }

  /** @param reason Why, for the other side; left out where it knows or cannot be told. */
  protected fail(failure: PairingFailure, reason?: ByeReason): PairingInstruction[] {
    const inTry = this.#try !== undefined;
    this.#try = undefined;
    this.#step = "failed";
    this.#failure = failure;
    return [
      ...(inTry ? [{ type: "countTry" } as const] : []),
      ...(reason === undefined ? [] : [send({ type: "bye", reason })]),
      { type: "hangUp" },
    ];
  }

  /** The result of this try's proof; undefined while it is running, or outside of a try. */
  protected get verdict(): boolean | undefined {
    const proof = this.#try?.proof;
    return proof?.isFinished ? proof.isProved : undefined;
  }

  protected get isTrying(): boolean {
    return this.#try !== undefined;
  }

  /** @returns This side's nonce, to be sent. */
  protected beginTry(code: string): MessageOf<"try"> {
    const nonce = randomBytes(NONCE_BYTES);
    this.#try = { code, nonce };
    return { type: "try", nonce };
  }

  /** Asks for the bits of the code, now that both nonces are known. */
  protected derive(peerNonce: Uint8Array): PairingInstruction {
    const current = this.#try;
    if (!current || current.context) throw new OutOfTurnError("an unexpected nonce");
    const [initiator, displayer] =
      this.#proofSide === "initiator" ? [current.nonce, peerNonce] : [peerNonce, current.nonce];
    current.context = tryContext(this.side.binding, initiator, displayer);
    return { type: "derive", code: current.code, context: current.context };
  }

  protected endTry(): void {
    this.#try = undefined;
  }

  #received(message: PairingMessage): PairingInstruction[] {
    try {
      switch (message.type) {
        case "bye":
          return this.fail({ kind: "bye", bye: message });
        case "commit":
        case "reveal":
          return this.#prove(message);
        default:
          return this.message(message);
      }
    } catch (error) {
      if (!(error instanceof OutOfTurnError)) throw error;
      return this.fail({ kind: "garbage", details: error.message });
    }
  }

  #derived(bits: readonly boolean[]): PairingInstruction[] {
    const current = this.#try;
    if (!current?.context || current.proof) return [];
    current.proof = new CodeProof(this.#proofSide, bits, current.context);
    if (this.#proofSide === "initiator") return [send(current.proof.commit())];
    return current.early ? this.#received(current.early) : [];
  }

  #prove(message: MessageOf<"commit"> | MessageOf<"reveal">): PairingInstruction[] {
    const current = this.#try;
    if (!current?.context) throw new OutOfTurnError(`"${message.type}" outside of a try`);
    if (!current.proof) {
      if (current.early || message.type !== "commit") throw new OutOfTurnError(`"${message.type}" too early`);
      current.early = message;
      return [];
    }
    const answers = current.proof.receive(message).map(send);
    return current.proof.isFinished ? [...answers, ...this.proofEnded(current.proof.isProved)] : answers;
  }
}

export function send(message: PairingMessage): PairingInstruction {
  return { type: "send", message };
}
