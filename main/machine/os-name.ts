/** The operating system's own name for itself, for people to recognise a machine by. */
import { readFile } from "node:fs/promises";
import { version } from "node:os";
import { runProgram } from "../../worker-runtime/programs/run-program.js";

const TOOL_TIMEOUT_MILLIS = 5000;

/**
 * "Debian GNU/Linux 12 (bookworm)", "macOS 15.1", "Windows 11 Pro"; the kernel's version if nothing better is known.
 */
export async function osName(platform: NodeJS.Platform = process.platform): Promise<string> {
  if (platform === "linux") return (await linuxName()) ?? version();
  if (platform === "darwin") return (await macName()) ?? version();
  return version();
}

async function linuxName(): Promise<string | undefined> {
  for (const path of ["/etc/os-release", "/usr/lib/os-release"]) {
    try {
      return prettyName(await readFile(path, "utf8"));
    } catch {
      // The second path is for systems without /etc.
    }
  }
  return undefined;
}

/** PRETTY_NAME of an os-release file, whose values are quoted as a shell would. */
export function prettyName(osRelease: string): string | undefined {
  const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1]?.trim();
  const unquoted = value?.replace(/^(["'])(.*)\1$/, "$2").replace(/\\(["'$`\\])/g, "$1");
  return unquoted === "" ? undefined : unquoted;
}

async function macName(): Promise<string | undefined> {
  const { stdout } = await runProgram("sw_vers", [], { timeoutMillis: TOOL_TIMEOUT_MILLIS });
  return nameOfSwVers(stdout);
}

/** "macOS 15.1" from the output of sw_vers. */
export function nameOfSwVers(output: string): string | undefined {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, "m").exec(output)?.[1]?.trim();
  const product = field("ProductName");
  return product === undefined ? undefined : `${product} ${field("ProductVersion") ?? ""}`.trim();
}
