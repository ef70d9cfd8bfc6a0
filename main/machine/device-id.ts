/** The name by which machines identify each other: it cannot be chosen, only derived from a key. */
import { createHash } from "node:crypto";

/** RFC 4648, in lower case: valid in a DNS label. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BITS_PER_LETTER = 5;

/** The SHA-256 of a certificate in DER as 52 characters of unpadded lower-case base32. */
export function deviceIdOf(der: Uint8Array): string {
  return base32(createHash("sha256").update(der).digest());
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let heldBits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    heldBits += 8;
    while (heldBits >= BITS_PER_LETTER) {
      heldBits -= BITS_PER_LETTER;
      text += BASE32.charAt((held >> heldBits) & 31);
    }
    held &= (1 << heldBits) - 1;
  }
  return heldBits === 0 ? text : text + BASE32.charAt((held << (BITS_PER_LETTER - heldBits)) & 31);
}

const SHORT_LETTERS = 8;

/** The beginning of a device ID, for sentences in which the name of a machine is not known. */
export function shortDeviceId(deviceId: string): string {
  return `${deviceId.slice(0, SHORT_LETTERS)}…`;
}
