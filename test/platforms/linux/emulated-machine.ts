/**
 * A Linux machine with another processor: folders of its Debian's packages, Node, and this program as it is built here, run by
 * qemu. It shares processes and the network with this machine.
 */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { unpackNode } from "../../../build/lib/node-binary.mjs";
import { programPath } from "../../../build/lib/programs.mjs";
import { type PeerProcess, type SpawnPeerOptions, spawnPeer } from "../../support/processes.js";
import { installProgram } from "../installed-program.js";
import { MachineRoot } from "../machine-root.js";
import type { Architecture } from "./architectures.js";
import { bringDebian, configureRoot } from "./debian.js";
import { openEmulation, requireEmulation } from "./emulator.js";
import { takeAlone } from "./sole-use.js";

/** This only ends what hangs: emulated programs are five to twenty times slower, and more so on a busy machine. */
export const HANGING_MILLIS = 600_000;
/** For what is downloaded and unpacked. */
export const DOWNLOAD_MILLIS = 3_600_000;
/** As a path of the machine. */
export const PROGRAM = "/tensordeck/build/bin/tensordeck.mjs";
/** Set by whoever has an index, proxy or authority of their own; pip and npm in the machine follow them, too. */
const NETWORK_VARIABLES =
  /^(PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|PIP_TRUSTED_HOST|npm_config_registry|\w+_proxy)$/i;

export interface EmulatedMachineOptions {
  readonly architecture: Architecture;
  /** The folder of all platforms' roots. */
  readonly cache: string;
  /** Debian's mirror. */
  readonly mirror: string;
  /** The version from npm; where npm has none for the processor, Debian's is taken. */
  readonly nodeVersion: string;
}

export interface StartOptions extends Pick<SpawnPeerOptions, "ready"> {
  /** Working folder, as a path of the machine. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of the machine that is a disk of 1 MiB, empty, and gone when the program has ended. */
  readonly smallDisk?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

export class EmulatedMachine extends MachineRoot {
  readonly architecture: Architecture;
  readonly #node: string;
  readonly #close: () => void;

  private constructor(architecture: Architecture, root: string, node: string, close: () => void) {
    super(root);
    this.architecture = architecture;
    this.#node = node;
    this.#close = close;
  }

  /**
   * Brings everything up to date.
   *
   * @throws Error if there can be no such machine here, with the reason and what to do.
   */
  static async open(options: EmulatedMachineOptions): Promise<EmulatedMachine> {
    const { architecture, cache, mirror, nodeVersion } = options;
    requireEmulation(architecture);
    const { node, debian, packages, nodeTarget } = architecture;
    const name = `linux-${debian}`;
    const leave = await takeAlone(name);
    const root = bringDebian({ cache, name, mirror, architecture: debian, packages }, configureRoot);
    const emulation = openEmulation(architecture, cache, mirror);
    const folder = nodeTarget === undefined ? "/usr" : `/node-${nodeVersion}`;
    if (nodeTarget !== undefined && !existsSync(join(root, folder))) {
      const unpacked = join(root, `${folder}.unfinished`);
      const files = { program: join(unpacked, "bin/node"), licence: join(unpacked, "LICENSE") };
      await unpackNode({ platform: "linux", name: nodeTarget }, nodeVersion, files);
      renameSync(unpacked, join(root, folder));
    }
    installProgram(join(root, "tensordeck"), { os: "linux", cpu: node, libc: "glibc" });
    const machine = new EmulatedMachine(architecture, root, `${folder}/bin`, () => {
      emulation.close();
      leave();
    });
    machine.empty("/tmp");
    machine.empty("/trial");
    return machine;
  }

  /** A command line of this machine that runs a program on the emulated one. It keeps its process all along. */
  commandLine(
    command: string,
    args: readonly string[],
    { cwd = "/trial", env = {}, smallDisk }: Omit<StartOptions, "ready"> = {},
  ): [string, ...string[]] {
    // Node reads the limit of its control group.
    const script =
      'root=$1 folder=$2; shift 2; mount --make-rprivate / && mount -t proc proc "$root/proc" && ' +
      'mount -t sysfs sysfs "$root/sys" && mount --rbind /dev "$root/dev" && ' +
      'if [ -e /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"; fi && ' +
      'if [ "$1" ]; then mkdir -p "$root$1" && mount -t tmpfs -o size=1m tmpfs "$root$1"; fi && shift && ' +
      'exec chroot "$root" env -i -C "$folder" "$@"';
    const variables = {
      HOME: "/root",
      PATH: `${this.#node}:/usr/bin:/usr/sbin:/bin`,
      LANG: "C.UTF-8",
      TENSORDECK_DATA_DIR: "/trial/data",
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK_VARIABLES.test(name))),
      ...env,
    };
    const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const inside = [...assignments, command, ...args];
    // A killed run takes what it started along.
    const unshare = [
      programPath("setpriv"),
      "--pdeathsig",
      "KILL",
      "--",
      programPath("unshare"),
      "--mount",
    ] as const;
    return [...unshare, "sh", "-c", script, "sh", this.root, cwd, smallDisk ?? "", ...inside];
  }

  /** Starts a program; waits for a line if one is given. */
  spawn(command: string, args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    const { ready } = options;
    const [program, ...rest] = this.commandLine(command, args, options);
    return spawnPeer(program, rest, { readyTimeoutMillis: HANGING_MILLIS, ...(ready && { ready }) });
  }

  /** Starts `tensordeck` with arguments. */
  tensordeck(args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    return this.spawn("node", [PROGRAM, ...args], options);
  }

  /** Runs `tensordeck` to its end. */
  runTensordeck(
    args: readonly string[],
    options: StartOptions & { readonly hangingMillis?: number } = {},
  ): Promise<Finished> {
    return this.run("node", [PROGRAM, ...args], options);
  }

  /** Runs a program to its end. */
  async run(
    command: string,
    args: readonly string[],
    { hangingMillis, ...options }: StartOptions & { readonly hangingMillis?: number } = {},
  ): Promise<Finished> {
    return await toItsEnd(await this.spawn(command, args, options), hangingMillis);
  }

  close(): void {
    this.#close();
  }
}

/** The end of a process. @throws Error with its output if it hangs. */
export async function toItsEnd(peer: PeerProcess, hangingMillis = HANGING_MILLIS): Promise<Finished> {
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    void peer.stop("SIGKILL");
  }, hangingMillis);
  try {
    const { code } = await peer.exited;
    if (hangs) throw new Error(`It did not end within ${hangingMillis / 60_000} minutes:\n${peer.output()}`);
    return { code, output: peer.output() };
  } finally {
    clearTimeout(timer);
  }
}
