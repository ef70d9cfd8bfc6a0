/** A Python for Windows, which Maven Central has among the packages of JavaCPP. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import type { StartOptions, WineMachine } from "./wine-machine.js";

const VERSION = "3.13.5";
const ARCHIVE = `cpython-${VERSION}-1.5.12-windows-x86_64.jar`;
const ADDRESS = `https://repo.maven.apache.org/maven2/org/bytedeco/cpython/${VERSION}-1.5.12/${ARCHIVE}`;
const SHA256 = "cfe5502ffa7ea369be707b6d88bf68344732a7800450665080fb4267c01bfeae";
/** Where the Python lies in the archive; its own tests are not needed. */
const WITHIN = /^org\/bytedeco\/cpython\/windows-x86_64\/(?!lib\/test\/|include\/|share\/)(.*[^/])$/;
const FOLDER = `/python-${VERSION}`;
/** A network may have an authority of its own, which this machine knows. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** Set by whoever has an index or a proxy of their own. */
const NETWORK_VARIABLES = /^(PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|PIP_TRUSTED_HOST|\w+_proxy)$/i;

/** Fetches it once. Gives what a program is started with that finds it as `python`, with pip. */
export async function bringPython(
  machine: WineMachine,
): Promise<Required<Pick<StartOptions, "path" | "env">>> {
  const folder = machine.file(FOLDER);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    for (const [name, content] of await unpacked()) {
      const file = join(unfinished, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    renameSync(unfinished, folder);
  }
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, machine.file(CERTIFICATES));
  const variables = Object.entries(process.env).filter(([name]) => NETWORK_VARIABLES.test(name));
  return {
    path: [machine.windowsPath(FOLDER)],
    env: { ...Object.fromEntries(variables), PIP_CERT: machine.windowsPath(CERTIFICATES) },
  };
}

async function unpacked(): Promise<readonly (readonly [string, Uint8Array])[]> {
  console.error(`Fetching ${ARCHIVE}`);
  const answer = await fetch(ADDRESS);
  if (!answer.ok) throw new Error(`${ADDRESS} cannot be fetched: ${answer.status} ${answer.statusText}.`);
  const archive = Buffer.from(await answer.arrayBuffer());
  const found = createHash("sha256").update(archive).digest("hex");
  if (found !== SHA256)
    throw new Error(`${ADDRESS} is another file: its SHA-256 is ${found}, not ${SHA256}.`);
  const files = Object.entries(unzipSync(archive, { filter: ({ name }) => WITHIN.test(name) }));
  return files.map(([name, content]) => [WITHIN.exec(name)?.[1] ?? "", content]);
}
