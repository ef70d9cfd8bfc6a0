/** Certificates that no machine of Tensordeck makes, for tests that show them to one. */
import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { BasicConstraintsExtension, X509CertificateGenerator } from "@peculiar/x509";
import type { MadeCertificate } from "../../../main/peers/identity/certificate.js";

const KINDS = {
  "P-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  RSA: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
  Ed25519: { name: "Ed25519" },
} as const;

type Kind = keyof typeof KINDS;

/** A certificate with nothing wrong but perhaps the kind of its key. */
export async function selfSigned(kind: Kind): Promise<MadeCertificate> {
  const keys = await keysOf(kind);
  return await certificateOf(keys, kind, keys);
}

/** A certificate for a key of the right kind that another key signed, as an authority would. */
export async function foreignSigned(): Promise<MadeCertificate> {
  return await certificateOf(await keysOf("P-256"), "P-256", await keysOf("P-256"));
}

async function keysOf(kind: Kind): Promise<webcrypto.CryptoKeyPair> {
  const keys = await webcrypto.subtle.generateKey(KINDS[kind], true, ["sign", "verify"]);
  if (!("privateKey" in keys)) throw new Error(`${kind} has no pair of keys`);
  return keys;
}

/** Good for a year from now, the library's own choice. */
async function certificateOf(
  keys: webcrypto.CryptoKeyPair,
  signedAs: Kind,
  signer: webcrypto.CryptoKeyPair,
): Promise<MadeCertificate> {
  const certificate = await X509CertificateGenerator.create({
    subject: "CN=x",
    issuer: "CN=x",
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: KINDS[signedAs],
    extensions: [new BasicConstraintsExtension(false, undefined, true)],
  });
  return {
    certPem: certificate.toString("pem"),
    keyPem: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
