import { readdir, readFile, readlink } from "node:fs/promises";
import { runProgram } from "../programs/run-program.js";
import { listenerOf } from "../windows/listeners.js";
import { listProcesses } from "../windows/processes.js";

/** Asking the system is an extra to an error message, so it may not take long. */
const DEADLINE_MILLIS = 3_000;

export interface PortHolder {
  readonly pid: number;
  /** The program's name, "node"; empty when the system does not tell. */
  readonly name: string;
}

/**
 * The process that listens on a TCP port of this machine. Undefined if there is none, or if the process belongs to
 * another user and the system does not reveal it.
 */
export async function portHolder(
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortHolder | undefined> {
  try {
    switch (platform) {
      case "linux":
        return await linuxHolder(port);
      case "win32":
        return windowsHolder(port);
      default:
        return parseLsof(await outputOf("lsof", lsofArguments(port)));
    }
  } catch {
    return undefined;
  }
}

/** "port 2222 is in use by python3 (process 4711)". */
export async function portInUseText(port: number): Promise<string> {
  const holder = await portHolder(port);
  if (holder === undefined) {
    return `port ${port} is in use by a process that this user cannot see`;
  }
  return `port ${port} is in use by ${holder.name || "a program"} (process ${holder.pid})`;
}

async function linuxHolder(port: number): Promise<PortHolder | undefined> {
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const inode of listeningInodes(await readFile(table, "latin1").catch(() => ""), port)) {
      inodes.add(`socket:[${inode}]`);
    }
  }
  if (inodes.size === 0) {
    return undefined;
  }
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) {
      continue;
    }
    // Other users' processes cannot be looked into, and processes end while we look.
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
      if (inodes.has(link)) {
        const name = (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
        return { pid: Number(pid), name };
      }
    }
  }
  return undefined;
}

/** Socket numbers of the listeners on a port in the text of /proc/net/tcp or tcp6. */
export function listeningInodes(table: string, port: number): string[] {
  const listen = "0A";
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hexPort}`) && fields[3] === listen)
    .map((fields) => fields[9] ?? "")
    .filter((inode) => inode !== "" && inode !== "0");
}

function lsofArguments(port: number): string[] {
  return ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"];
}

/** lsof's field output: a line "p<pid>", then "c<command>". */
export function parseLsof(output: string): PortHolder | undefined {
  const lines = output.split("\n");
  const pid = lines.find((line) => /^p\d+$/.test(line));
  const name = lines.find((line) => line.startsWith("c"));
  return pid === undefined ? undefined : { pid: Number(pid.slice(1)), name: name?.slice(1) ?? "" };
}

function windowsHolder(port: number): PortHolder | undefined {
  const pid = listenerOf(port);
  return pid === undefined ? undefined : { pid, name: nameOf(pid) };
}

function nameOf(pid: number): string {
  return listProcesses().find((process) => process.pid === pid)?.name ?? "";
}

/** The output of one of the system's programs; empty where it is missing. */
async function outputOf(program: string, args: readonly string[]): Promise<string> {
  return (await runProgram(program, args, { timeoutMillis: DEADLINE_MILLIS })).stdout;
}
