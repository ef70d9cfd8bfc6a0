/**
 * The system commands that create a network namespace and run a program in it, and why they may be unavailable.
 */
import { readFile } from "node:fs/promises";
import { findProgram } from "../../../worker-runtime/programs/find-program.js";
import { runProgram } from "../../../worker-runtime/programs/run-program.js";

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

/** The full paths of util-linux's programs. */
interface NamespacePrograms {
  readonly unshare: string;
  readonly nsenter: string;
}

/** Root can create them directly. */
const asRoot = ({ unshare, nsenter }: NamespacePrograms): NamespaceCommand => ({
  make: [unshare, "--net", "--"],
  enter: (pid) => [nsenter, `--target=${pid}`, "--net", "--"],
});

/** Others need a user namespace around it, in which they are root; outside of it they gain no rights. */
const asUser = ({ unshare, nsenter }: NamespacePrograms): NamespaceCommand => ({
  make: [unshare, "--user", "--map-root-user", "--net", "--"],
  enter: (pid) => [nsenter, `--target=${pid}`, "--user", "--preserve-credentials", "--net", "--"],
});

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
  const [unshare, nsenter] = [findProgram("unshare"), findProgram("nsenter")];
  if (unshare === undefined || nsenter === undefined) {
    return {
      ok: false,
      reason:
        "The programs unshare and nsenter (util-linux), which create network namespaces, are not installed.",
    };
  }
  const candidates = isRoot ? [asRoot, asUser] : [asUser];
  for (const candidate of candidates) {
    const command = candidate({ unshare, nsenter });
    if (await succeeds([...command.make, nsenter, "--version"])) return { ok: true, command };
  }
  return { ok: false, reason: await reasonOf() };
}

async function succeeds([program = "", ...args]: readonly string[]): Promise<boolean> {
  const { error } = await runProgram(program, args, { timeoutMillis: PROBE_TIMEOUT_MILLIS });
  return error === undefined;
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

async function reasonOf(): Promise<string> {
  for (const { path, forbidden, reason } of switches) {
    if ((await readFile(path, "utf8").catch(() => "")).trim() === forbidden) return reason;
  }
  return "This system does not let programs create network namespaces, as is usual in a container.";
}
