import { type ReadUsage, readLinuxUsage, readPsUsage } from "./process-usage.js";
import { windowsUsageReader } from "./windows-usage.js";

/** Reads the resource usage of processes on a platform. */
export function usageReader(platform: NodeJS.Platform = process.platform): ReadUsage {
  if (platform === "linux") return readLinuxUsage;
  return platform === "win32" ? windowsUsageReader() : readPsUsage;
}
