/** Child processes of tests and benchmarks: started, waited for by a line they print, and always ended. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export { freePort } from "./free-port.js";

export interface SpawnPeerOptions {
  /** Resolves once a line of stdout or stderr matches. Without it the call resolves as soon as the process runs. */
  readonly ready?: RegExp;
  /** Default 120 s. */
  readonly readyTimeoutMillis?: number;
  /** Replaces the environment; without it the child inherits ours less proxy variables. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Written to the child's stdin, which is then closed. */
  readonly input?: string;
  /** Also ends the children of the child. For launchers such as npx. Not on Windows. */
  readonly group?: boolean;
  /** Opens a channel to the child, which is a Node process: `child.send` and its event "message", with cloned values. */
  readonly channel?: boolean;
}

export interface PeerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface PeerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The match of `ready`; undefined when no `ready` was given. */
  readonly match: RegExpExecArray | undefined;
  /** All that the child has written so far, stdout and stderr in the order of arrival. */
  output(): string;
  /** What the child has written to stdout so far. */
  stdout(): string;
  /** Resolves with the first match in what the child has written or writes next; rejects when it ends before that. */
  waitForOutput(pattern: RegExp, timeoutMillis?: number): Promise<RegExpExecArray>;
  /** Resolves when the process has ended and its output is complete. */
  readonly exited: Promise<PeerExit>;
  /** Sends SIGTERM (or the given signal), SIGKILL after 30 s, and resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<PeerExit>;
}

/** Timeout for hanging processes: importing TensorFlow takes seconds, and much longer on a busy machine. */
const DEFAULT_READY_TIMEOUT_MILLIS = 120_000;
/** For processes that ignore SIGTERM; on a busy machine a clean shutdown may take long. */
const KILL_AFTER_MILLIS = 30_000;
const PROXY_VARIABLES = ["http_proxy", "https_proxy", "all_proxy", "grpc_proxy", "no_proxy"];

const running = new Map<PeerProcess, () => void>();

// A test runner that gives up on a file ends this process without running its hooks; the children must still end.
process.on("exit", () => {
  for (const kill of running.values()) kill();
});

/** Our environment without proxy variables: TensorFlow's gRPC would send calls to 127.0.0.1 to the proxy. */
export function environmentWithoutProxies(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !PROXY_VARIABLES.includes(name.toLowerCase())),
  );
}

/**
 * Starts a child process and waits for the line that says it is ready.
 *
 * @throws Error with the child's output when it ends or the time runs out before that.
 */
export async function spawnPeer(
  command: string,
  args: readonly string[],
  options: SpawnPeerOptions = {},
): Promise<PeerProcess> {
  const group = options.group === true && process.platform !== "win32";
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? environmentWithoutProxies(),
    stdio: [
      options.input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      ...(options.channel === true ? (["ipc"] as const) : []),
    ],
    serialization: "advanced",
    detached: group,
  });
  const described = [command, ...args].join(" ");
  let all = "";
  let out = "";
  let ended: PeerExit | undefined;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    all += text;
    out += text;
    notify();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    all += text;
    notify();
  });
  const exited = new Promise<PeerExit>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${described} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      ended = { code, signal };
      running.delete(peer);
      resolve(ended);
      notify();
    });
  });
  // A child that cannot be started is reported by the call below; `exited` need not be awaited.
  exited.catch(() => undefined);

  const kill = (signal: NodeJS.Signals) => {
    if (ended !== undefined || child.pid === undefined) return;
    try {
      process.kill(group ? -child.pid : child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };

  const waitForOutput = (pattern: RegExp, timeoutMillis = DEFAULT_READY_TIMEOUT_MILLIS) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        listeners.delete(check);
        settle();
      };
      const check = () => {
        // An incomplete line could match with only part of its text.
        const whole = ended === undefined ? all.slice(0, all.lastIndexOf("\n") + 1) : all;
        const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(whole);
        if (found !== null) finish(() => resolve(found));
        else if (ended !== undefined) {
          const how = ended.signal ?? `code ${ended.code}`;
          finish(() => reject(new Error(`${described} ended (${how}) without printing ${pattern}:\n${all}`)));
        }
      };
      const timer = setTimeout(() => {
        finish(() =>
          reject(new Error(`${described} did not print ${pattern} within ${timeoutMillis} ms:\n${all}`)),
        );
      }, timeoutMillis);
      listeners.add(check);
      check();
    });

  let match: RegExpExecArray | undefined;
  const peer: PeerProcess = {
    child,
    get pid() {
      return child.pid ?? -1;
    },
    get match() {
      return match;
    },
    output: () => all,
    stdout: () => out,
    waitForOutput,
    exited,
    stop: async (signal = "SIGTERM") => {
      if (ended !== undefined) return ended;
      kill(signal);
      const timer = setTimeout(() => kill("SIGKILL"), KILL_AFTER_MILLIS);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };

  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    exited.catch(reject);
  });
  running.set(peer, () => kill("SIGKILL"));
  if (options.input !== undefined) child.stdin?.end(options.input);
  if (options.ready !== undefined) {
    try {
      match = await waitForOutput(options.ready, options.readyTimeoutMillis);
    } catch (error) {
      await peer.stop("SIGKILL");
      throw error;
    }
  }
  return peer;
}

/** Resident memory of a process (POSIX). Linux has it without ps, which small systems lack. */
export function residentBytes(pid: number): number {
  const kilobytes =
    process.platform === "linux"
      ? /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) * 1024;
}

/** The most resident memory that a process has had (Linux). */
export function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** Ends every process that `spawnPeer` started and that still runs. */
export async function stopAllPeers(): Promise<void> {
  await Promise.all([...running.keys()].map((peer) => peer.stop()));
}
