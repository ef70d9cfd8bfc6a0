/** TLS options that both ends of a connection between agents share, whichever library opens it. */
import { constants } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { Identity } from "../identity/identity.js";
import { cipherOrder } from "./cipher-order.js";

/**
 * Server name in the handshake. Only the device ID matters; an address here would cause a warning from Node.
 */
export const SERVER_NAME = "tensordeck";

/**
 * TLS 1.3 with the machine's own certificate. Only signatures by P-256 are accepted, so that a peer cannot make us check
 * others; sessions are not resumed, so that every connection proves its key again.
 */
export function secureContextOptions(identity: Identity): SecureContextOptions {
  return {
    key: identity.keyPem,
    cert: identity.certPem,
    minVersion: "TLSv1.3",
    maxVersion: "TLSv1.3",
    sigalgs: "ecdsa_secp256r1_sha256",
    ecdhCurve: "X25519:P-256",
    ciphers: cipherOrder(),
    // A caller that puts ChaCha20 first is the one that suffers most from AES.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_PRIORITIZE_CHACHA,
  };
}

const contexts = new WeakMap<Identity, SecureContext>();

/**
 * The same, created once per identity: parsing the keys each time would cost each tunnel connection a
 * millisecond.
 */
export function secureContextOf(identity: Identity): SecureContext {
  let context = contexts.get(identity);
  if (!context) {
    context = createSecureContext(secureContextOptions(identity));
    contexts.set(identity, context);
  }
  return context;
}
