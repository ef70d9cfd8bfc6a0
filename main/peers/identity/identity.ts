/**
 * The identity of this installation: a key that never leaves the data folder, and the certificate that others
 * pin.
 */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { chmod, constants, copyFile, link, open, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { deviceIdOf } from "../../machine/device-id.js";
import { errnoOf, fileProblem, messageOf, problem } from "../../shared/problems.js";
import { makePrivateFolder } from "../../storage/private-files.js";
import { certificateProblem, makeCertificate } from "./certificate.js";

export const IDENTITY_FILE = "identity.pem";

/** Only the account itself may read the key. */
const OWNER_ONLY = 0o600;

export interface Identity {
  readonly deviceId: string;
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * The identity kept in the data folder. Created if absent; two processes that do so at once get the same one.
 *
 * @throws ProblemError when the file cannot be read, written or understood. It is never overwritten: every machine that
 *   was paired knows this one by it.
 */
export async function loadIdentity(dataDir: string): Promise<Identity> {
  const path = join(dataDir, IDENTITY_FILE);
  try {
    const text = (await readIfThere(path)) ?? (await make(dataDir, path));
    return parse(text, path);
  } catch (error) {
    throw fileProblem(`The identity of this machine could not be kept in ${path}`, error);
  }
}

/** An identity from the text of its file: a private key and a certificate in PEM. @throws Error when it is neither. */
export function identityOf(pem: string): Identity {
  const keyPem = block(pem, "PRIVATE KEY");
  const certPem = block(pem, "CERTIFICATE");
  const certificate = new X509Certificate(certPem);
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) {
    throw new Error("the key does not belong to the certificate");
  }
  const wrong = certificateProblem(certificate, "This machine's certificate");
  if (wrong) throw wrong;
  return { deviceId: deviceIdOf(certificate.raw), certPem, keyPem };
}

function block(pem: string, label: string): string {
  const match = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`).exec(pem);
  if (!match) throw new Error(`it holds no ${label.toLowerCase()}`);
  return `${match[0]}\n`;
}

function parse(pem: string, path: string): Identity {
  try {
    return identityOf(pem);
  } catch (error) {
    throw problem("FAILED_PRECONDITION", `The identity of this machine in ${path} cannot be used.`, {
      reason: messageOf(error),
      remedy:
        "Restore the file from a backup. Or remove it: this machine is then a new one that must be paired again.",
    });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, "utf8");
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) await chmod(path, OWNER_ONLY);
    return text;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Written to a temporary file and then moved into place whole, which fails if another process was faster. */
async function make(dataDir: string, path: string): Promise<string> {
  const { certPem, keyPem } = await makeCertificate();
  await makePrivateFolder(dataDir);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", OWNER_ONLY);
    try {
      await file.writeFile(`${keyPem}${certPem}`);
      await file.sync();
    } finally {
      await file.close();
    }
    await putOnce(temporary, path);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  return await readFile(path, "utf8");
}

/** Gives a file its final name unless that exists already. */
async function putOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return;
    // A file system without hard links, such as that of a memory card.
    await copyFile(from, to, constants.COPYFILE_EXCL).catch((failure: unknown) => {
      if (errnoOf(failure) !== "EEXIST") throw failure;
    });
  }
}
