/**
 * Certificates of machines. Each machine signs its own, so there is no authority to ask: a certificate says which key a
 * device ID stands for and for how long, nothing else.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, type X509Certificate } from "node:crypto";
import type { ProblemError } from "../api/wire.js";
import { problem } from "../problems.js";
import * as der from "./der.js";

/** P-256, as OpenSSL calls it. */
const CURVE = "prime256v1";

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const X509_VERSION_3 = 2;
const SERIAL_BYTES = 16;

const DAY_MILLIS = 24 * 60 * 60 * 1000;
const LIFETIME_YEARS = 20;
/** Clocks of one network differ. */
const BACKDATED_MILLIS = DAY_MILLIS;
/**
 * A board without a battery starts in 1970 until it has asked for the time. A certificate that it makes then must not
 * have ended before the board knows better.
 */
const EARLIEST_CLOCK = Date.UTC(2026, 0, 1);

/** Ours have some 300 bytes. Whatever is much larger is no certificate of a machine. */
const MAX_CERTIFICATE_BYTES = 2048;

export interface MadeCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * A new key pair (EC P-256) with a certificate that it signed itself.
 *
 * @param now Milliseconds since the epoch.
 * @param lifetimeMillis How long it is good for; 20 years unless given.
 */
export function makeCertificate(now = Date.now(), lifetimeMillis?: number): MadeCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: CURVE });
  const made = lifetimeMillis === undefined ? Math.max(now, EARLIEST_CLOCK) : now;
  const notAfter = new Date(made);
  if (lifetimeMillis === undefined) notAfter.setUTCFullYear(notAfter.getUTCFullYear() + LIFETIME_YEARS);
  else notAfter.setTime(made + lifetimeMillis);
  const algorithm = der.sequence(der.objectIdentifier(ECDSA_WITH_SHA256));
  // The same for every machine: a certificate is shown to whoever dials.
  const name = der.sequence(
    der.set(der.sequence(der.objectIdentifier(COMMON_NAME), der.utf8String("tensordeck"))),
  );
  // TBSCertificate of RFC 5280, without extensions: nobody but us reads it, and all that counts is the key.
  const content = der.sequence(
    der.explicit(0, der.positiveInteger(Uint8Array.of(X509_VERSION_3))),
    der.positiveInteger(randomBytes(SERIAL_BYTES)),
    algorithm,
    name,
    der.sequence(der.time(new Date(made - BACKDATED_MILLIS)), der.time(notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const certificate = der.sequence(content, algorithm, der.bitString(sign("sha256", content, privateKey)));
  return {
    certPem: pem("CERTIFICATE", certificate),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/**
 * Why a certificate is not one that a machine may show: too large, not of EC P-256, not signed by its own key, expired or
 * not valid yet. Undefined when it is right.
 *
 * @param whose Begins the sentence: "The certificate of gpu-pc".
 * @param now Milliseconds since the epoch.
 */
export function certificateProblem(
  certificate: X509Certificate,
  whose: string,
  now = Date.now(),
): ProblemError | undefined {
  const malformed = malformation(certificate);
  if (malformed !== undefined) {
    return problem("UNAUTHENTICATED", `${whose} is not one that Tensordeck makes: ${malformed}.`, {
      reason: "Another program answers there, or somebody pretends to be a machine of yours.",
      remedy: "Check the address.",
    });
  }
  const notBefore = Date.parse(certificate.validFrom);
  const notAfter = Date.parse(certificate.validTo);
  if (now < notBefore) {
    return problem("UNAUTHENTICATED", `${whose} is not valid before ${dayOf(notBefore)}.`, {
      reason: `The clock of this machine says ${dayOf(now)}; probably one of the two clocks is wrong.`,
      remedy: "Set the clocks of both machines.",
    });
  }
  if (now > notAfter) {
    return problem("UNAUTHENTICATED", `${whose} expired on ${dayOf(notAfter)}.`, {
      reason: `The clock of this machine says ${dayOf(now)}.`,
      remedy:
        "If that is right, remove identity.pem from that machine's data folder, start Tensordeck there and pair again.",
    });
  }
  return undefined;
}

function malformation(certificate: X509Certificate): string | undefined {
  if (certificate.raw.length > MAX_CERTIFICATE_BYTES) return `it has ${certificate.raw.length} bytes`;
  let key: KeyObject;
  try {
    key = certificate.publicKey;
  } catch {
    return "its key is of an unknown kind";
  }
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== CURVE) {
    return "its key is not of EC P-256";
  }
  if (!certificate.verify(key)) return "its own key did not sign it";
  return Number.isNaN(Date.parse(certificate.validFrom) + Date.parse(certificate.validTo))
    ? "its dates cannot be read"
    : undefined;
}

function dayOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10);
}
