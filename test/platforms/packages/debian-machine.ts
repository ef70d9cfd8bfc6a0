/** A Debian of this machine's processor, in which packages are installed as users do. It shares processes and the network. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { programPath } from "../../../build/lib/programs.mjs";
import { libtensorflowDir } from "../../support/find-peers.js";
import { type PeerProcess, type SpawnPeerOptions, spawnPeer } from "../../support/processes.js";
import { bringDebian } from "../linux/debian.js";
import { takeAlone } from "../linux/sole-use.js";
import { HOSTS, MachineRoot } from "../machine-root.js";

/** The beginning of its folder's name. */
export const ROOT_NAME = "linux-amd64";
/** By the names that the deb depends on; Debian 13 has some of them by other packages, which provide them. */
const DEPENDENCIES = [
  ...["libgtk-3-0", "libnotify4", "libnss3", "libxss1", "libxtst6", "xdg-utils", "libatspi2.0-0", "libuuid1"],
  ...["libsecret-1-0", "libatomic1"],
];
/** Programs that read desktop files and kinds of files, install an rpm, and mount an AppImage. */
const TOOLS = [
  ...["ca-certificates", "desktop-file-utils", "shared-mime-info", "procps", "rpm"],
  ...["fuse3", "libfuse2t64", "squashfuse", "squashfs-tools"],
];
/** The machine's folder with the TensorFlow of this one. */
export const TENSORFLOW = "/tensorflow";
/** The unit of a background agent, as its guide has it written. */
export const SERVICE = "/etc/systemd/system/tensordeck.service";
/** This only ends what hangs. */
const HANGING_MILLIS = 600_000;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface StartOptions extends RunOptions, Pick<SpawnPeerOptions, "ready" | "channel"> {}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

export class DebianMachine extends MachineRoot {
  readonly #tensorflow: string;
  readonly #leave: () => void;

  private constructor(root: string, tensorflow: string, leave: () => void) {
    super(root);
    this.#tensorflow = tensorflow;
    this.#leave = leave;
  }

  /**
   * The first time it takes minutes and 1 GB.
   *
   * @throws Error if there can be no such machine here, with the reason and what to do.
   */
  static async open(cache: string, mirror: string): Promise<DebianMachine> {
    const tensorflow = libtensorflowDir();
    programPath("mmdebstrap");
    const leave = await takeAlone(ROOT_NAME);
    const packages = [...TOOLS, ...DEPENDENCIES];
    const options = { cache, name: ROOT_NAME, mirror, architecture: "amd64", packages, isSetUp: true };
    const machine = new DebianMachine(bringDebian(options), tensorflow, leave);
    writeFileSync(machine.file("/etc/hosts"), HOSTS);
    machine.empty("/trial");
    return machine;
  }

  /** Starts a program; waits for a line if one is given. */
  start(command: string, args: readonly string[], options: StartOptions = {}): Promise<PeerProcess> {
    const { ready, channel = false, cwd = "/trial", env = {} } = options;
    // rpm wants the root to be a mount.
    const script =
      'root=$1 tensorflow=$2 folder=$3; shift 3; mount --make-rprivate / && mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && ' +
      'mount -t sysfs sysfs "$root/sys" && mount --rbind /dev "$root/dev" && ' +
      `mkdir -p "$root${TENSORFLOW}" && mount --bind "$tensorflow" "$root${TENSORFLOW}" && ` +
      'exec chroot "$root" env -C "$folder" "$@"';
    const variables = {
      HOME: "/root",
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      LANG: "C.UTF-8",
      XDG_DATA_HOME: "/trial/share",
      ...env,
    };
    // A killed run takes what it started along.
    const wrapped = [
      "--pdeathsig",
      "KILL",
      "--",
      programPath("unshare"),
      "--mount",
      "sh",
      "-c",
      script,
      "sh",
    ];
    return spawnPeer(
      programPath("setpriv"),
      [...wrapped, this.root, this.#tensorflow, cwd, command, ...args],
      {
        env: variables,
        channel,
        readyTimeoutMillis: HANGING_MILLIS,
        ...(ready && { ready }),
      },
    );
  }

  /** Runs a program to its end. @throws Error with its output if it hangs. */
  async run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const peer = await this.start(command, args, options);
    const timer = setTimeout(() => void peer.stop("SIGKILL"), HANGING_MILLIS);
    const { code, signal } = await peer.exited;
    clearTimeout(timer);
    assert.notEqual(signal, "SIGKILL", `${command} did not end:\n${peer.output()}`);
    return { code, output: peer.output() };
  }

  /** The output of a program. @throws Error with its output if it does not end with 0. */
  async succeed(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, output } = await this.run(command, args, options);
    assert.equal(code, 0, `${[command, ...args].join(" ")}:\n${output}`);
    return output;
  }

  /** Removes what an earlier run may have left. */
  async forgetPackages(): Promise<void> {
    await this.run("dpkg", ["--purge", "tensordeck"]);
    await this.run("rpm", ["--erase", "--nodeps", "tensordeck"]);
    await this.succeed("rm", ["-rf", "/opt/Tensordeck", SERVICE]);
    await this.succeed("update-mime-database", ["/usr/share/mime"]);
  }

  /** Every file and folder, with its kind, rights and owner, and where a link leads; not the contents, nor what changes by itself. */
  files(): readonly string[] {
    const left = ["proc", "sys", "dev", "tmp", "trial", "run", "var/log", "var/cache", "root"];
    const skipped = left.flatMap((path, at) => [...(at === 0 ? [] : ["-o"]), "-path", `./${path}`]);
    const format = ["-printf", "%P %y %m %u:%g %l\\n"];
    const args = [".", "(", ...skipped, ")", "-prune", "-o", ...format];
    const output = execFileSync("find", args, { cwd: this.root, encoding: "utf8", maxBuffer: 1e9 });
    return output
      .split("\n")
      .filter((line) => line !== "")
      .sort();
  }

  close(): void {
    this.#leave();
  }
}
