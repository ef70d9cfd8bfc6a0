/**
 * The system commands that create a network namespace and run a program in it, and why they may be unavailable.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { errnoOf } from "../../shared/problems.js";

/** A way to create network namespaces that works for this user. */
export interface NamespaceCommand {
  /** Starts a program in a new namespace. The program's command line is appended. */
  readonly make: readonly string[];
  /** Starts a program in the namespace of a process. The program's command line is appended. */
  enter(pid: number): readonly string[];
}

export type NamespaceSupport =
  | { readonly ok: true; readonly command: NamespaceCommand }
  /** Why not, as a sentence for the user. */
  | { readonly ok: false; readonly reason: string };

const PROBE_TIMEOUT_MILLIS = 5_000;

/** Root can create them directly. */
const asRoot: NamespaceCommand = {
  make: ["unshare", "--net", "--"],
  enter: (pid) => ["nsenter", `--target=${pid}`, "--net", "--"],
};

/** Others need a user namespace around it, in which they are root; outside of it they gain no rights. */
const asUser: NamespaceCommand = {
  make: ["unshare", "--user", "--map-root-user", "--net", "--"],
  enter: (pid) => ["nsenter", `--target=${pid}`, "--user", "--preserve-credentials", "--net", "--"],
};

/**
 * Detects which way works on this system. Takes about ten milliseconds.
 *
 * @param isRoot Whether this process has root's rights.
 */
export async function findNamespaceCommand(
  platform: NodeJS.Platform = process.platform,
  isRoot = process.getuid?.() === 0,
): Promise<NamespaceSupport> {
  if (platform !== "linux") {
    return { ok: false, reason: "Only Linux can run a task in its own network namespace." };
  }
  const candidates = isRoot ? [asRoot, asUser] : [asUser];
  let failure: unknown;
  for (const command of candidates) {
    try {
      await run([...command.make, "true"]);
      await run(["nsenter", "--version"]);
      return { ok: true, command };
    } catch (error) {
      failure ??= error;
    }
  }
  return { ok: false, reason: await reasonOf(failure) };
}

function run([program = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: PROBE_TIMEOUT_MILLIS }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/** Settings with which a system forbids users to create namespaces, and the forbidding value. */
const switches = [
  {
    path: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    forbidden: "1",
    reason: "This system's AppArmor does not let programs create network namespaces.",
  },
  {
    path: "/proc/sys/kernel/unprivileged_userns_clone",
    forbidden: "0",
    reason: "This system's kernel lets only root create network namespaces (unprivileged_userns_clone is 0).",
  },
  {
    path: "/proc/sys/user/max_user_namespaces",
    forbidden: "0",
    reason: "This system's kernel allows no user namespaces (max_user_namespaces is 0).",
  },
] as const;

async function reasonOf(failure: unknown): Promise<string> {
  if (errnoOf(failure) === "ENOENT") {
    return "The programs unshare and nsenter (util-linux), which create network namespaces, are not installed.";
  }
  for (const { path, forbidden, reason } of switches) {
    if ((await readFile(path, "utf8").catch(() => "")).trim() === forbidden) return reason;
  }
  return "This system does not let programs create network namespaces, as is usual in a container.";
}
