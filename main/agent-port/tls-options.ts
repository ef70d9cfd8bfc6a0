/** What both ends of a connection between agents agree on, whichever library makes it. */
import { constants } from "node:crypto";
import type { CommonConnectionOptions, SecureContextOptions } from "node:tls";
import type { Identity } from "../identity/identity.js";

/** Name in the handshake. The device ID counts, not this; an address there would be a warning of Node's. */
export const SERVER_NAME = "tensordeck";

/**
 * TLS 1.3 with the machine's own certificate. Only signatures by P-256 are accepted, so that a peer cannot make us check
 * others; sessions are not resumed, so that every connection proves its key anew.
 */
export function secureContextOptions(identity: Identity): SecureContextOptions & CommonConnectionOptions {
  return {
    key: identity.keyPem,
    cert: identity.certPem,
    minVersion: "TLSv1.3",
    maxVersion: "TLSv1.3",
    sigalgs: "ecdsa_secp256r1_sha256",
    ecdhCurve: "X25519:P-256",
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
