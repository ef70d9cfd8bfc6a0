import { readFileSync } from "node:fs";
import { join } from "node:path";

let knownVersion: string | undefined;

/** The version of package.json, the first one above this file: its location differs between source and build. */
export function version(): string {
  knownVersion ??= readVersion(import.meta.dirname);
  return knownVersion;
}

function readVersion(folder: string): string {
  try {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "version" in parsed) return String(parsed.version);
  } catch {
    // Not in this folder.
  }
  const parent = join(folder, "..");
  return parent === folder ? "unknown" : readVersion(parent);
}
