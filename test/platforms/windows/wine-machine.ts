/**
 * A Windows machine: Wine 10 in a Debian 13 of its own, with a Node for Windows and this program as it is built here. It shares
 * the network with this machine, and its drive Z: is the root of that Debian.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpackNode } from "../../../build/lib/node-binary.mjs";
import { programPath } from "../../../build/lib/programs.mjs";
import type { Host } from "../../net/support/network.js";
import { type PeerProcess, type SpawnPeerOptions, spawnPeer } from "../../support/processes.js";
import { installProgram, shellWord, show } from "../installed-program.js";
import { HOSTS, MachineRoot } from "../machine-root.js";

/** Wine of Debian 12 has no `taskkill /T`. */
const DEBIAN = "trixie";
/** Installers made by NSIS are 32-bit programs. */
const ARCHITECTURES = "amd64,i386";
const PACKAGES = ["ca-certificates", "wine", "wine64", "wine32:i386"];
/** Which of its own libraries Wine takes, in the form of WINEDLLOVERRIDES. */
export const DLL_OVERRIDES = "mscoree,mshtml=;winemenubuilder.exe=d";
const TARGET = { platform: "win32", architecture: "x64", name: "win32-x64" } as const;
/** Where the disk `S:` is within the Debian. */
const DISK = "/small-disk";
/** The programs write into files of such names in /tmp. */
const OUTPUT = "output-";
/** Wine starts slowly the first time. */
const READY_MILLIS = 300_000;

export interface WineMachineOptions {
  /** The folder of the Debian; made unless it is there. */
  readonly root: string;
  /** Debian's mirror. */
  readonly mirror: string;
  readonly nodeVersion: string;
}

export interface StartOptions extends Pick<SpawnPeerOptions, "ready"> {
  /** Working folder, as a path of the Debian. */
  readonly cwd?: string;
  /** Folders that PATH begins with. */
  readonly path?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The host of a simulated network that the machine is on. All that runs at the same time is on the same one. */
  readonly host?: Host;
  /**
   * The size of a disk `S:`, in KiB, which is new and ends with the program. Wine's server opens the files, so that only the
   * first program of a machine without others can have it.
   */
  readonly diskKib?: number;
  /** Gives the program a console, to which its output goes: where there is none, nothing can be pressed. */
  readonly console?: boolean;
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Its paths are those of its Debian; Windows' programs have others for them. */
export class WineMachine extends MachineRoot {
  readonly #node: string;
  #outputs = 0;

  private constructor(root: string, node: string) {
    super(root);
    this.#node = node;
  }

  /** Brings everything up to date. The first time it takes some minutes and 2 GB. */
  static async open({ root, mirror, nodeVersion }: WineMachineOptions): Promise<WineMachine> {
    const node = `node-${nodeVersion}`;
    const machine = new WineMachine(root, node);
    if (!existsSync(join(root, "usr/lib/wine"))) {
      mkdirSync(dirname(root), { recursive: true });
      const options = [
        "--variant=minbase",
        `--architectures=${ARCHITECTURES}`,
        `--include=${PACKAGES.join(",")}`,
      ];
      show("mmdebstrap", [...options, DEBIAN, root, `deb ${mirror} ${DEBIAN} main`]);
      writeFileSync(join(root, "etc/hosts"), HOSTS);
    }
    if (!existsSync(join(root, node))) {
      const files = { program: join(root, node, "node.exe"), licence: join(root, node, "LICENSE") };
      await unpackNode(TARGET, nodeVersion, files);
    }
    installProgram(join(root, "tensordeck"), { os: "win32", cpu: "x64" });
    if (!existsSync(join(root, "root/wine/system.reg"))) {
      const setUp = await machine.#shell("wineboot -i; wine winecfg -v win10", {});
      await setUp.exited;
    }
    for (const name of readdirSync(join(root, "tmp"))) {
      if (name.startsWith(OUTPUT)) rmSync(join(root, "tmp", name));
    }
    mkdirSync(join(root, DISK), { recursive: true });
    const drive = join(root, "root/wine/dosdevices/s:");
    rmSync(drive, { force: true });
    symlinkSync(DISK, drive);
    return machine;
  }

  /** Node's program, as a path of the Debian. */
  get nodeProgram(): string {
    return `/${this.#node}/node.exe`;
  }

  /** The path that Windows' programs have for it. */
  windowsPath(path: string): string {
    return `Z:${path.replaceAll("/", "\\")}`;
  }

  /** Starts any program of Windows, given by Windows' path or by its name if it comes with Windows. */
  program(name: string, args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    return this.#shell(["wine", name, ...args].map(shellWord).join(" "), options);
  }

  /** Runs a program to its end. */
  async runProgram(name: string, args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    const peer = await this.program(name, args, options);
    const { code } = await peer.exited;
    return { code, output: peer.output() };
  }

  /** Starts `tensordeck`. */
  tensordeck(args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    return this.node([this.windowsPath("/tensordeck/build/bin/tensordeck.mjs"), ...args], options);
  }

  /** Runs `tensordeck` to its end. */
  async runTensordeck(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    const peer = await this.tensordeck(args, options);
    const { code } = await peer.exited;
    return { code, output: peer.output() };
  }

  /** Runs Node with a script, given as a path of the Debian, or with its own arguments. */
  node(args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    const words = ["wine", this.nodeProgram, ...args].map(shellWord).join(" ");
    const command =
      options.console === true ? `script -qefc ${shellWord(words)} /dev/null </dev/null` : words;
    return this.#shell(command, options);
  }

  /**
   * The output of an ES module, given as its source.
   *
   * @throws Error with all that it has written if it does not end with 0.
   */
  async evaluate(source: string, options: StartOptions = {}): Promise<string> {
    const peer = await this.node(["--input-type=module", "-e", source], options);
    const { code } = await peer.exited;
    if (code !== 0) throw new Error(`It ended with ${code}:\n${peer.output()}`);
    return peer.output();
  }

  /** The address by which a module imports a file of the built program: "main/tasks/usage-reader.js". */
  moduleUrl(path: string): string {
    return `file:///Z:/tensordeck/build/out/${path}`;
  }

  /** Ends all programs of the machine, and Wine's server, which has the network that the first of them was started on. */
  async close(): Promise<void> {
    const ending = await this.#shell("wineserver -k; wineserver -w", {});
    await ending.exited;
  }

  /**
   * Wine's programs cannot write to a pipe of this machine: their output goes through a file.
   */
  async #shell(
    command: string,
    { ready, cwd = "/", path = [], env = {}, host, diskKib = 0 }: StartOptions,
  ): Promise<PeerProcess> {
    const output = `/tmp/${OUTPUT}${process.pid}-${++this.#outputs}`;
    const script =
      "root=$1 folder=$2 inside=$3 disk=$4; shift 4; " +
      'mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && ' +
      `{ [ "$disk" = 0 ] || mount -t tmpfs -o "size=\${disk}k" disk "$root${DISK}"; } && ` +
      'exec chroot "$root" env -i -C "$folder" "$@" sh -c "$inside"';
    const inside = `: > ${output}; (${command}) > ${output} 2>&1 & tail -n +1 -f --pid=$! ${output}; wait $!`;
    const variables = {
      HOME: "/root",
      // Names of files are in UTF-8.
      LC_ALL: "C.UTF-8",
      PATH: "/usr/bin:/bin",
      WINEPREFIX: "/root/wine",
      WINEDEBUG: "-all",
      WINEDLLOVERRIDES: DLL_OVERRIDES,
      WINEPATH: [...path, this.windowsPath(`/${this.#node}`)].join(";"),
      ...env,
    };
    const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const program = programPath("unshare");
    const args = [
      "--mount",
      "sh",
      "-c",
      script,
      "sh",
      this.root,
      cwd,
      inside,
      String(diskKib),
      ...assignments,
    ];
    const [first, ...rest] = host?.commandLine(program, args) ?? [program, ...args];
    const options = { group: true, readyTimeoutMillis: READY_MILLIS };
    return await spawnPeer(first, rest, { ...options, ...(ready !== undefined && { ready }) });
  }
}
