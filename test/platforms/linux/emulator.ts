/** qemu, through which the kernel runs programs of another processor (binfmt_misc). */
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, programPath } from "../../../build/lib/programs.mjs";
import { NotPossibleHere } from "../check.js";
import type { Architecture } from "./architectures.js";
import { bringDebian } from "./debian.js";

const BINFMT = "/proc/sys/fs/binfmt_misc";
/** Both are needed at once, and come in one package. */
const EMULATORS = ["qemu-aarch64", "qemu-arm"];
/** Debian's name of the only processor that this is done on. */
const HOST = "amd64";

/** Registered for as long as it is open. */
export interface Emulation {
  close(): void;
}

/**
 * Says why nothing of another processor can be run here.
 *
 * @throws NotPossibleHere if this machine or account can never do it, and BuildError if only a program is missing
 */
export function requireEmulation({ node }: Architecture): void {
  const { platform, arch } = process;
  if (platform !== "linux" || arch !== "x64") {
    const own =
      platform === "linux" && arch === node ? " This machine is one itself: run `npm test` here." : "";
    throw new NotPossibleHere(
      `Linux on ${node} is emulated on Linux on x86-64 only, and this is ${platform} on ${arch}. ` +
        `Run it on such a machine.${own}`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new NotPossibleHere(
      "An emulated machine needs root: for its folders' owners, for mounts and for the kernel's table of emulators. " +
        "Run it as root, in a container or virtual machine if you prefer.",
    );
  }
  mountTable();
  for (const program of ["mmdebstrap", "setpriv", "unshare", "chroot"]) programPath(program);
}

function mountTable(): void {
  if (existsSync(join(BINFMT, "register"))) return;
  const { ok, errors } = ask("mount", ["-t", "binfmt_misc", "binfmt_misc", BINFMT]);
  if (ok) return;
  throw new NotPossibleHere(
    `The kernel's table of emulators cannot be mounted (${errors.trim()}). ` +
      "The kernel needs binfmt_misc (modprobe binfmt_misc), and a container the right to mount it.",
  );
}

/**
 * Makes the kernel run programs of that processor through qemu, until it is closed.
 *
 * @throws NotPossibleHere if the kernel refuses
 */
export function openEmulation(architecture: Architecture, cache: string, mirror: string): Emulation {
  const packages = ["qemu-user"];
  const folder = bringDebian({ cache, name: "qemu", mirror, architecture: HOST, packages }, (made) => {
    for (const name of EMULATORS) cpSync(join(made, "usr/bin", name), join(made, name));
    for (const rest of ["usr", "etc", "var"]) rmSync(join(made, rest), { recursive: true });
  });
  const entry = join(BINFMT, `tensordeck-${architecture.qemu}`);
  const remove = () => {
    if (existsSync(entry)) writeFileSync(entry, "-1");
  };
  remove();
  try {
    writeFileSync(join(BINFMT, "register"), registration(architecture, folder));
  } catch (error) {
    throw new NotPossibleHere(
      `The kernel refuses qemu as the emulator of ${architecture.debian} (${said(error)}). ` +
        "In a container, the machine that it is on has to allow it.",
    );
  }
  process.once("exit", remove);
  return { close: remove };
}

/**
 * The kernel's words: programs by their ELF header, executables (type 2) and position-independent ones (3). F opens the emulator
 * now, so that it is found in every root; P passes on the name that a program was called by; C has its rights.
 */
function registration({ qemu, elf }: Architecture, folder: string): string {
  const hex = (bytes: readonly number[]) => bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
  const padding = [0, 0, 0, 0, 0, 0, 0, 0];
  const magic = [0x7f, 0x45, 0x4c, 0x46, elf.bits / 32, 1, 1, 0, ...padding, 2, 0, elf.machine, 0];
  const mask = [255, 255, 255, 255, 255, 255, 255, 0, ...padding.map(() => 255), 0xfe, 255, 255, 255];
  const program = join(folder, `qemu-${qemu}`);
  return `:tensordeck-${qemu}:M::${hex(magic).join("")}:${hex(mask).join("")}:${program}:CPF`;
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
