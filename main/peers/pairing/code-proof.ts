/**
 * Proves to each side that the other knows a code of six digits, without revealing it to anyone who does not.
 *
 * As in Bluetooth's passkey entry: 20 rounds over 20 bits derived from the code. In each round both sides first commit
 * to their bit, then reveal what the commitment was made of. A party that does not know the code must guess the bit
 * before anything is revealed, and is found out at the first wrong guess: it passes 20 rounds with a chance of one in a
 * million. By then the bits are known to the other side, so a code is valid for one try only.
 *
 * The commitments are bound to the TLS session and to both device IDs. A man in the middle has two sessions, and a
 * commitment from one is worthless in the other; so are recorded ones.
 *
 * The bits are not the code's own digits in binary but come from it by scrypt with fresh nonces of this try. A man in
 * the middle, who learns a bit or two from one side before it is found out, would have to undo that to use them with
 * the other side, within the seconds that a try lasts: a million times 16 MB and some 40 ms.
 */
import { createHash, createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { COMMITMENT_BYTES, type MessageOf, NONCE_BYTES } from "./pairing-messages.js";

export const ROUNDS = 20;
const CODE_DIGITS = 6;
const SCRYPT = { N: 2 ** 14, r: 8, p: 1 } as const;
/** Names the use of the TLS exporter and of the hashes, so that they cannot be used for any other. */
export const EXPORTER_LABEL = "EXPORTER-tensordeck-pairing-1";
export const EXPORTER_BYTES = 32;

export type ProofSide = "initiator" | "displayer";

/** A fresh code, "000000" to "999999", all equally likely. */
export function makeCode(): string {
  return randomInt(10 ** CODE_DIGITS)
    .toString()
    .padStart(CODE_DIGITS, "0");
}

/** The values to which a pairing is bound. Both sides have the same values, and nobody else has the exporter. */
export interface PairingBinding {
  readonly initiatorId: string;
  readonly displayerId: string;
  /** `EXPORTER_BYTES` of keying material of the TLS session. */
  readonly exporter: Uint8Array;
}

/** The values to which one try is bound: the pairing, and a nonce of each side. */
export function tryContext(
  binding: PairingBinding,
  initiatorNonce: Uint8Array,
  displayerNonce: Uint8Array,
): Uint8Array {
  // Every part has a fixed length, so no two lists of parts read the same.
  return createHash("sha256")
    .update(EXPORTER_LABEL)
    .update(binding.initiatorId)
    .update(binding.displayerId)
    .update(binding.exporter)
    .update(initiatorNonce)
    .update(displayerNonce)
    .digest();
}

/** The bits that a code stands for in one try. */
export async function bitsOfCode(code: string, context: Uint8Array): Promise<readonly boolean[]> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    scrypt(code, context, Math.ceil(ROUNDS / 8), SCRYPT, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  return Array.from({ length: ROUNDS }, (_, round) => ((bytes[round >> 3] ?? 0) & (1 << (round & 7))) !== 0);
}

/** A commitment of one side to its bit of a round. */
export function commitmentOf(
  side: ProofSide,
  round: number,
  bit: boolean,
  context: Uint8Array,
  nonce: Uint8Array,
): Buffer {
  // The side prevents a commitment from being sent back as the answer to itself.
  return createHmac("sha256", nonce)
    .update(`${EXPORTER_LABEL} ${side} ${round} ${bit ? 1 : 0} `)
    .update(context)
    .digest();
}

/** The peer sent a message out of turn. */
export class OutOfTurnError extends Error {
  override readonly name = "OutOfTurnError";
}

/**
 * One side of one try. Pure except for its nonces: messages in, messages out. After the first wrong reveal it sends
 * noise until the last round, so that the other side learns no further bit.
 */
export class CodeProof {
  readonly #side: ProofSide;
  readonly #bits: readonly boolean[];
  readonly #context: Uint8Array;
  #round = 0;
  #ok = true;
  #nonce: Uint8Array = randomBytes(NONCE_BYTES);
  /** The peer's in this round; set if and only if its reveal is awaited. */
  #peerCommitment: Uint8Array | undefined;

  constructor(side: ProofSide, bits: readonly boolean[], context: Uint8Array) {
    this.#side = side;
    this.#bits = bits;
    this.#context = context;
  }

  get isFinished(): boolean {
    return this.#round === ROUNDS;
  }

  /** Whether the peer knows the code. Only true once all rounds are over. */
  get isProved(): boolean {
    return this.isFinished && this.#ok;
  }

  /** Begins a round. The displayer waits for the initiator's commitment instead. */
  commit(): MessageOf<"commit"> {
    this.#nonce = randomBytes(NONCE_BYTES);
    const bit = this.#bits[this.#round] ?? false;
    const value = this.#ok
      ? commitmentOf(this.#side, this.#round, bit, this.#context, this.#nonce)
      : randomBytes(COMMITMENT_BYTES);
    return { type: "commit", value };
  }

  /**
   * @returns What to answer, in order.
   * @throws OutOfTurnError
   */
  receive(message: MessageOf<"commit"> | MessageOf<"reveal">): (MessageOf<"commit"> | MessageOf<"reveal">)[] {
    if (this.isFinished || (message.type === "commit") === (this.#peerCommitment !== undefined)) {
      throw new OutOfTurnError(`"${message.type}" in round ${this.#round}`);
    }
    if (message.type === "commit") {
      this.#peerCommitment = message.value;
      return [this.#side === "displayer" ? this.commit() : this.#reveal()];
    }
    this.#check(message.nonce);
    const answers = this.#side === "displayer" ? [this.#reveal()] : [];
    this.#peerCommitment = undefined;
    this.#round++;
    return this.#side === "initiator" && !this.isFinished ? [this.commit()] : answers;
  }

  #reveal(): MessageOf<"reveal"> {
    return { type: "reveal", nonce: this.#ok ? this.#nonce : randomBytes(NONCE_BYTES) };
  }

  #check(nonce: Uint8Array): void {
    const peer = this.#side === "displayer" ? "initiator" : "displayer";
    const bit = this.#bits[this.#round] ?? false;
    const expected = commitmentOf(peer, this.#round, bit, this.#context, nonce);
    const commitment = this.#peerCommitment ?? new Uint8Array(expected.length);
    if (!timingSafeEqual(expected, commitment)) this.#ok = false;
  }
}
