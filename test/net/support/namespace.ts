/**
 * Linux namespaces that live exactly as long as this process wants them: a network, a host name and a view of /etc and
 * /run of their own. A namespace is held by one process that waits on a pipe from here; when the pipe closes, because
 * of `dispose` or because this process was killed, the holder ends every process in the namespace and then itself, and
 * the kernel removes the interfaces. Nothing has a name that a crashed run could leave behind.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { withDeadline } from "../../support/deadline.js";
import { requirePeer } from "../../support/find-peers.js";
import {
  environmentWithoutProxies,
  type PeerProcess,
  type SpawnPeerOptions,
  spawnPeer,
} from "../../support/processes.js";

/** Ends what hangs: on a busy machine a Python with TensorFlow takes a minute. */
const COMMAND_MILLIS = 120_000;

/** The result of a command that ran to its end. */
export interface CommandResult {
  /** Exit status; 128 and more where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Default: ours less proxy variables. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: this process's. */
  readonly cwd?: string;
  readonly input?: string;
  /** Default 120 s; the command is killed then. */
  readonly timeoutMillis?: number;
}

/**
 * Prepares the namespace, says "ready" and waits for its standard input to end. /etc is a copy, so that firewalls and
 * resolvers can be configured; /run is empty, so that daemons find no sockets of this machine's. Duplicate address
 * detection is off: it would keep IPv6 addresses from being used for a second or two. The ports that are chosen inside
 * are none that this machine gives out, so that a carrier can have the same one outside.
 */
const HOLDER = `
set -e
mount --make-rprivate /
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/etc
cp -a /etc/. /run/etc/
mount --bind /run/etc /etc
hostname "$1"
echo 0 > /proc/sys/net/ipv6/conf/all/accept_dad
echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad
echo "10000 19999" > /proc/sys/net/ipv4/ip_local_port_range
ip link set lo up
echo ready
cat > /dev/null
own=$(readlink /proc/self/ns/uts)
left=yes
while [ -n "$left" ]; do
  left=
  for process in /proc/[0-9]*; do
    pid=\${process#/proc/}
    [ "$pid" = "$$" ] && continue
    [ "$(readlink "$process/ns/uts" 2> /dev/null)" = "$own" ] || continue
    kill -9 "$pid" 2> /dev/null && left=yes || true
  done
done
`;

export class Namespace {
  readonly hostname: string;
  /** The holder; `nsenter -t` takes it. */
  readonly pid: number;
  readonly #release: () => Promise<void>;

  private constructor(hostname: string, pid: number, release: () => Promise<void>) {
    this.hostname = hostname;
    this.pid = pid;
    this.#release = release;
  }

  /** @throws Error with what the system said, when this process may not make namespaces. */
  static async create(hostname: string): Promise<Namespace> {
    requirePeer("namespaces");
    const holder = spawn("unshare", ["--net", "--uts", "--mount", "sh", "-c", HOLDER, "holder", hostname], {
      stdio: ["pipe", "pipe", "pipe"],
      // An interrupt from the terminal must not end the holder before it has cleaned up.
      detached: true,
    });
    const ended = once(holder, "close");
    ended.catch(() => undefined);
    let said = "";
    holder.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const first = Promise.race([
      once(holder.stdout, "data").then(() => true),
      ended.then(
        () => false,
        () => false,
      ),
    ]);
    const ready = await withDeadline(`The namespace of ${hostname}`, first);
    if (!ready || holder.pid === undefined) throw new Error(`No namespace could be made: ${said}`);
    holder.stdin.on("error", () => undefined);
    return new Namespace(hostname, holder.pid, async () => {
      holder.stdin.end();
      await ended;
    });
  }

  /** A command line, as program and arguments, that runs another one inside. The process keeps its pid all along. */
  commandLine(command: string, args: readonly string[], cwd = process.cwd()): [string, ...string[]] {
    const enter = ["nsenter", "-t", String(this.pid), "--net", "--uts", "--mount", "--", "env", "-C", cwd];
    // A killed test process takes what it started along.
    return ["setpriv", "--pdeathsig", "KILL", "--", ...enter, command, ...args];
  }

  /** Runs a command to its end. @throws Error with its output when it fails. */
  async run(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<string> {
    const result = await this.exec(command, args, options);
    if (result.code === 0) return result.stdout;
    const line = [command, ...args].join(" ");
    throw new Error(
      `"${line}" ended with ${result.code} on ${this.hostname}:\n${result.stdout}${result.stderr}`,
    );
  }

  /** Runs a command to its end, whatever that is. */
  exec(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    const [program, ...rest] = this.commandLine(command, args, options.cwd);
    return new Promise((resolve) => {
      const child = execFile(
        program,
        rest,
        {
          encoding: "utf8",
          env: options.env ?? environmentWithoutProxies(),
          timeout: options.timeoutMillis ?? COMMAND_MILLIS,
          killSignal: "SIGKILL",
          maxBuffer: 64 << 20,
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : 128;
          resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(options.input ?? "");
    });
  }

  /** Starts a process inside; see `spawnPeer`. */
  spawn(command: string, args: readonly string[] = [], options: SpawnPeerOptions = {}): Promise<PeerProcess> {
    const [program, ...rest] = this.commandLine(command, args, options.cwd);
    return spawnPeer(program, rest, options);
  }

  /** Ends every process inside and resolves when they and the namespace are gone. */
  async dispose(): Promise<void> {
    await this.#release();
  }
}
