import { runProgram } from "../../worker-runtime/programs/run-program.js";
import { type GpuUsageReader, LinuxGpuUsage, parseIoreg } from "./gpu-usage.js";
import { WindowsGpuUsage } from "./windows-gpu-usage.js";

const TIMEOUT_MILLIS = 10_000;

/** Reads how busy a GPU is on a system. */
export function gpuUsageReader(platform: NodeJS.Platform = process.platform): GpuUsageReader {
  switch (platform) {
    case "linux": {
      const usage = new LinuxGpuUsage();
      return ({ vendor }) => usage.read(vendor);
    }
    case "win32": {
      const usage = new WindowsGpuUsage();
      return (gpu) => usage.read(gpu);
    }
    case "darwin":
      return async (_, signal) => parseIoreg(await output(MAC_COMMAND, signal));
    default:
      return () => Promise.resolve({});
  }
}

const MAC_COMMAND = ["/usr/sbin/ioreg", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator"] as const;

/** Empty if the program is missing or fails. */
async function output(
  [program, ...args]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<string> {
  const { error, stdout } = await runProgram(program, args, { timeoutMillis: TIMEOUT_MILLIS, signal });
  return error === undefined ? stdout : "";
}
