/**
 * Certificates of machines. Each machine signs its own, so there is no certificate authority: a certificate only states
 * which key a device ID stands for, and for how long.
 */
import { KeyObject, webcrypto, type X509Certificate } from "node:crypto";
import type { ProblemError } from "../../api/wire.js";
import { problem } from "../../shared/problems.js";

/** P-256, as OpenSSL calls it. */
const CURVE = "prime256v1";

/** The same curve as named by Web Crypto, with the signature algorithm. */
const SIGNATURE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** The same for every machine: a certificate is sent to anyone who connects. */
const SUBJECT = "CN=tensordeck";

const DAY_MILLIS = 24 * 60 * 60 * 1000;
const LIFETIME_YEARS = 20;
/** Clocks of one network differ. */
const BACKDATED_MILLIS = DAY_MILLIS;
/**
 * A board without a battery starts in 1970 until it has asked for the time. A certificate created then must not
 * expire before the board knows the time.
 */
const EARLIEST_CLOCK = Date.UTC(2026, 0, 1);

/** Ours have some 300 bytes. Anything much larger is not a machine's certificate. */
const MAX_CERTIFICATE_BYTES = 2048;

export interface MadeCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * A new key pair (EC P-256) with a certificate that it signed itself.
 *
 * @param now Milliseconds since the epoch.
 * @param lifetimeMillis How long it is valid; 20 years unless given.
 */
export async function makeCertificate(now = Date.now(), lifetimeMillis?: number): Promise<MadeCertificate> {
  // A machine makes one certificate in its life; so all other starts avoid loading the library.
  await import("reflect-metadata");
  const { BasicConstraintsExtension, X509CertificateGenerator } = await import("@peculiar/x509");
  const made = lifetimeMillis === undefined ? Math.max(now, EARLIEST_CLOCK) : now;
  const notAfter = new Date(made);
  if (lifetimeMillis === undefined) notAfter.setUTCFullYear(notAfter.getUTCFullYear() + LIFETIME_YEARS);
  else notAfter.setTime(made + lifetimeMillis);
  const keys = await webcrypto.subtle.generateKey(SIGNATURE, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: SUBJECT,
    notBefore: new Date(made - BACKDATED_MILLIS),
    notAfter,
    signingAlgorithm: SIGNATURE,
    keys,
    // Without any, the library writes an empty list of extensions, which RFC 5280 forbids.
    extensions: [new BasicConstraintsExtension(false, undefined, true)],
  });
  return {
    certPem: `${certificate.toString("pem")}\n`,
    keyPem: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/**
 * Why a certificate is not one that a machine may show: too large, not of EC P-256, not signed by its own key, expired or
 * not valid yet. Undefined when it is valid.
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
    return problem("UNAUTHENTICATED", `${whose} was not made by Tensordeck: ${malformed}.`, {
      reason: "Another program answers there, or somebody impersonates one of your machines.",
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
