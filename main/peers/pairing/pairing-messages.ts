/**
 * The messages that two machines exchange while they pair, inside TLS. The initiator (whose user types the code) speaks
 * first.
 *
 *     initiator                              displayer (whose user sees the code)
 *     hello          →
 *                    ←  welcome              or bye: busy, pause, version
 *     try            →                       the code was typed
 *                    ←  try
 *     commit, reveal ⇄  commit, reveal       20 rounds, see code-proof.ts
 *     result         →
 *                    ←  result               paired, or one try less and a fresh code
 *
 * Where both users gave the other's device ID themselves, `result` follows `welcome` at once.
 */
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { roleSchema } from "../../api/machines.js";

export const PAIRING_VERSION = 1;
export const NONCE_BYTES = 16;
export const COMMITMENT_BYTES = 32;

/** Every message is small; a peer that announces a larger one is cut off before it is read. */
export const MAX_MESSAGE_BYTES = 1024;
const MAX_NAME_LENGTH = 63;

const bytes = (length: number) =>
  z.custom<Uint8Array>(
    (value) => value instanceof Uint8Array && value.length === length,
    `expected ${length} bytes`,
  );

const nameSchema = z.string().max(MAX_NAME_LENGTH).transform(printable);

/** Without characters that could pass for something else on a screen or in a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim();
}

const portSchema = z.number().int().min(0).max(65_535);
const triesSchema = z.number().int().min(0).max(10);

const byeReasonSchema = z.enum([
  /** Another pairing is in progress there. */
  "busy",
  /** Too many failed from here; `waitMillis` says how long to wait. */
  "pause",
  /** Too many failed from elsewhere; `waitMillis` says when the next machine may try. */
  "crowd",
  /** The other program uses another version of this protocol. */
  "version",
  /** The user of the machine that was asked said no. */
  "refused",
  /** The user who started it cancelled. */
  "cancelled",
  "expired",
  /** The last try was wrong. */
  "tries",
]);
export type ByeReason = z.infer<typeof byeReasonSchema>;

export const pairingMessageSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    version: z.number().int(),
    name: nameSchema,
    /** The rights that the displayer will have on the initiator. */
    grantedRole: roleSchema,
    /** 0: its agent does not listen. */
    agentPort: portSchema,
    /** Whether the initiator's user gave the displayer's device ID, which then replaces the code. */
    knowsYou: z.boolean(),
  }),
  z.strictObject({
    type: z.literal("welcome"),
    name: nameSchema,
    agentPort: portSchema,
    /** Whether both know the other's device ID, and no code is needed. */
    byFingerprint: z.boolean(),
    expiresInMillis: z.number().min(0).max(3_600_000),
    triesLeft: triesSchema,
  }),
  z.strictObject({ type: z.literal("try"), nonce: bytes(NONCE_BYTES) }),
  z.strictObject({ type: z.literal("commit"), value: bytes(COMMITMENT_BYTES) }),
  z.strictObject({ type: z.literal("reveal"), nonce: bytes(NONCE_BYTES) }),
  z.strictObject({
    type: z.literal("result"),
    /** Whether the other side proved that it knows the code. */
    ok: z.boolean(),
    /** The rights that the receiver will have on the sender. */
    grantedRole: roleSchema,
    triesLeft: triesSchema,
  }),
  z.strictObject({
    type: z.literal("bye"),
    reason: byeReasonSchema,
    waitMillis: z.number().min(0).max(86_400_000).optional(),
  }),
]);
export type PairingMessage = z.infer<typeof pairingMessageSchema>;
export type MessageOf<T extends PairingMessage["type"]> = Extract<PairingMessage, { type: T }>;

const LENGTH_BYTES = 2;

/** A message prefixed with its length. */
export function encodeFrame(message: PairingMessage): Buffer {
  const content = encode(message);
  const frame = Buffer.alloc(LENGTH_BYTES + content.length);
  frame.writeUInt16BE(content.length);
  frame.set(content, LENGTH_BYTES);
  return frame;
}

/** Takes messages out of a stream of bytes. After an error it must not be used again. */
export class FrameReader {
  #held = Buffer.alloc(0);

  /** @throws Error for bytes that are not a message. */
  push(chunk: Uint8Array): PairingMessage[] {
    this.#held = Buffer.concat([this.#held, chunk]);
    const messages: PairingMessage[] = [];
    while (this.#held.length >= LENGTH_BYTES) {
      const length = this.#held.readUInt16BE();
      if (length > MAX_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`);
      if (this.#held.length < LENGTH_BYTES + length) break;
      const content = this.#held.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      messages.push(
        pairingMessageSchema.parse(decode(content, { maxExtLength: 0, maxMapLength: 16, maxArrayLength: 0 })),
      );
      this.#held = this.#held.subarray(LENGTH_BYTES + length);
    }
    return messages;
  }
}
