/** Folders of Debian's packages, made once. Unless they are set up, nothing of them is run, so that another processor's take as long. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../../../build/lib/programs.mjs";
import { show } from "../installed-program.js";
import { HOSTS } from "../machine-root.js";

/** Its qemu, 10, runs ONNX Runtime and joins multicast groups; Debian 12's does neither. */
export const RELEASE = "trixie";
/** To be raised when what is made of the same packages changes. */
const RECIPE = 1;

/** The package debian-archive-keyring has it. */
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const PASSWD = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
const GROUP = "root:x:0:\nnogroup:x:65534:\n";
/** A network may have an authority of its own, which this machine knows. */
const CERTIFICATES = "etc/ssl/certs/ca-certificates.crt";

/** The one that this machine's own packages come from; Debian's where it is none. */
export function debianMirror(): string {
  const { stdout } = ask("apt-get", ["--print-uris", "update"]);
  return /'(https?:\/\/\S+\/debian)\/dists\//.exec(stdout)?.[1] ?? "http://deb.debian.org/debian";
}

/** The line for apt. Systems that are derived from Debian have its keys, but do not trust them by themselves. */
export function debianSource(mirror: string): string {
  const signed = existsSync(KEYRING) ? ` [signed-by=${KEYRING}]` : "";
  return `deb${signed} ${mirror} ${RELEASE} main`;
}

export interface DebianOptions {
  /** The folder of all platforms. */
  readonly cache: string;
  /** The beginning of the folder's name. */
  readonly name: string;
  /** Debian's mirror. */
  readonly mirror: string;
  readonly architecture: string;
  readonly packages: readonly string[];
  /** They are set up by their scripts, which takes minutes and this machine's processor; otherwise only unpacked. */
  readonly isSetUp?: boolean;
}

/**
 * Gives the folder with these packages. Its name tells them, so that a change makes another one; that one's predecessors are
 * deleted.
 *
 * @param finish Is called with a new folder before it has its name. What is not finished is made anew the next time.
 */
export function bringDebian(
  { cache, name, mirror, architecture, packages, isSetUp = false }: DebianOptions,
  finish: (folder: string) => void = () => undefined,
): string {
  const parts = [RECIPE, RELEASE, architecture, packages, ...(isSetUp ? ["set up"] : [])];
  const contents = createHash("sha256").update(JSON.stringify(parts));
  const folder = join(cache, `${name}-${contents.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  deleteRoots(cache, name);
  mkdirSync(cache, { recursive: true });
  const unfinished = `${folder}.unfinished`;
  const options = [
    `--architectures=${architecture}`,
    `--variant=${isSetUp ? "minbase" : "extract"}`,
    "--skip=check/qemu",
  ];
  const include = `--include=${packages.join(",")}`;
  show("mmdebstrap", [...options, include, RELEASE, unfinished, debianSource(mirror)]);
  finish(unfinished);
  renameSync(unfinished, folder);
  return folder;
}

/** Does what the packages' own scripts would do, as far as programs rely on it. */
export function configureRoot(folder: string): void {
  for (const [file, text] of Object.entries({ passwd: PASSWD, group: GROUP, hosts: HOSTS })) {
    writeFileSync(join(folder, "etc", file), text);
  }
  mkdirSync(join(folder, "etc/ssl/certs"), { recursive: true });
  if (existsSync(`/${CERTIFICATES}`)) cpSync(`/${CERTIFICATES}`, join(folder, CERTIFICATES));
}

/** Deletes all folders of that name, unfinished ones too. */
export function deleteRoots(cache: string, name: string): void {
  if (!existsSync(cache)) return;
  for (const entry of readdirSync(cache)) {
    const suffix = entry.slice(name.length);
    if (!entry.startsWith(name) || !/^-[0-9a-f]{12}(\.unfinished)?$/.test(suffix)) continue;
    rmSync(join(cache, entry), { recursive: true });
    console.log(`Deleted ${join(cache, entry)}`);
  }
}
