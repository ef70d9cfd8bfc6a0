import { execFileSync } from "node:child_process";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deviceIdSchema } from "../../../../main/api/machines.js";
import { deviceIdOf } from "../../../../main/machine/device-id.js";
import { certificateProblem, makeCertificate } from "../../../../main/peers/identity/certificate.js";
import { IDENTITY_FILE, loadIdentity } from "../../../../main/peers/identity/identity.js";
import { peerMissing } from "../../../support/peers.js";

const YEAR_MILLIS = 365 * 24 * 60 * 60 * 1000;

let folder: string;
const file = () => join(folder, "data", IDENTITY_FILE);
const load = () => loadIdentity(join(folder, "data"));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-identity-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a device ID", () => {
  it("is the SHA-256 in base32, without padding", () => {
    // sha256("") is e3b0c442…b855; its base32 by RFC 4648 as coreutils' base32 writes it.
    expect(deviceIdOf(new Uint8Array())).toBe("4oymiquy7qobjgx36tejs35zeqt24qpemsnzgtfeswmrw6csxbkq");
    expect(deviceIdSchema.parse(deviceIdOf(Uint8Array.of(1, 2, 3)))).toHaveLength(52);
  });
});

describe("an identity", () => {
  it("is made once and stays", async () => {
    const made = await load();
    expect(deviceIdOf(new X509Certificate(made.certPem).raw)).toBe(made.deviceId);
    expect(await load()).toEqual(made);
  });

  it("is read without the library that makes certificates", async () => {
    const made = await load();
    vi.doMock("@peculiar/x509", () => {
      throw new Error("loaded");
    });
    try {
      await expect(makeCertificate()).rejects.toThrow();
      expect(await load()).toEqual(made);
    } finally {
      vi.doUnmock("@peculiar/x509");
    }
  });

  it("is the same for processes that make it at once", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, load));
    expect(new Set(made.map(({ deviceId }) => deviceId)).size).toBe(1);
  });

  it.skipIf(process.platform === "win32")("is readable by its account alone", async () => {
    await load();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    await chmod(file(), 0o644);
    await load();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it("is never replaced when its file is broken", async () => {
    const { certPem } = await load();
    const { keyPem } = await makeCertificate();
    for (const broken of [
      "",
      certPem,
      `${keyPem}${certPem}`,
      `${keyPem}-----BEGIN CERTIFICATE-----\nAA==\n`,
    ]) {
      await writeFile(file(), broken);
      await expect(load()).rejects.toMatchObject({ problem: { code: "FAILED_PRECONDITION" } });
      expect(await readFile(file(), "utf8")).toBe(broken);
    }
  });
});

describe("a certificate", () => {
  it("is of EC P-256, signed by itself and good for 20 years", async () => {
    const now = Date.UTC(2026, 10, 21, 13);
    const certificate = new X509Certificate((await makeCertificate(now)).certPem);
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=tensordeck");
    expect(certificate.issuer).toBe("CN=tensordeck");
    expect(certificate.ca).toBe(false);
    expect(new Date(certificate.validTo).toISOString()).toBe("2046-11-21T13:00:00.000Z");
    expect(certificate.raw.length).toBeLessThan(500);
    expect(certificateProblem(certificate, "It", now)).toBeUndefined();
  });

  // Certificates are looked at with somebody else's eyes.
  it.skipIf(peerMissing("openssl"))("is accepted by OpenSSL's own program", async () => {
    const path = join(folder, "cert.pem");
    for (const lifetime of [YEAR_MILLIS, 40 * YEAR_MILLIS]) {
      await writeFile(path, (await makeCertificate(Date.now(), lifetime)).certPem);
      expect(
        execFileSync("openssl", ["verify", "-x509_strict", "-partial_chain", "-CAfile", path, path], {
          encoding: "utf8",
        }),
      ).toContain("OK");
    }
  });

  it("made while the clock says 1970 is good when the clock is right", async () => {
    const certificate = new X509Certificate((await makeCertificate(Date.UTC(1970, 0, 1))).certPem);
    expect(certificateProblem(certificate, "It", Date.UTC(2026, 10, 21))).toBeUndefined();
  });

  it("is refused out of its time, with both dates", async () => {
    const now = Date.UTC(2026, 5, 15);
    const certificate = new X509Certificate((await makeCertificate(now, YEAR_MILLIS)).certPem);
    expect(
      certificateProblem(certificate, "The certificate of pi", now + 2 * YEAR_MILLIS)?.problem,
    ).toMatchObject({
      code: "UNAUTHENTICATED",
      message: "The certificate of pi expired on 2027-06-15.",
      reason: "The clock of this machine says 2028-06-14.",
    });
    expect(certificateProblem(certificate, "The certificate of pi", 0)?.problem.message).toBe(
      "The certificate of pi is not valid before 2026-06-14.",
    );
  });

  it("is refused when another key signed it, or its bytes are changed", async () => {
    const [a, b] = (await Promise.all([makeCertificate(), makeCertificate()])).map(
      ({ certPem }) => new X509Certificate(certPem).raw,
    );
    const spki = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({
      type: "spki",
      format: "der",
    });
    const at = a?.indexOf(spki.subarray(0, 26)) ?? -1;
    const forged = Buffer.from(a ?? []);
    forged.set(spki, at);
    expect(at).toBeGreaterThan(0);
    expect(a?.equals(b ?? Buffer.alloc(0))).toBe(false);
    expect(certificateProblem(new X509Certificate(forged), "It")?.problem.message).toContain(
      "its own key did not sign it",
    );
  });
});
