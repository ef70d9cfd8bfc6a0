import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { runProgram } from "../programs/run-program.js";

const DEADLINE_MILLIS = 5_000;
/** PCI's numbers: the vendor NVIDIA, and the class of display controllers (its first byte). */
const nvidiaVendor = "0x10de";
const displayClass = "0x03";

/** The GPUs that NVIDIA's driver lists: "NVIDIA GeForce RTX 4090". Empty without a driver or a GPU. */
export async function nvidiaGpus(signal?: AbortSignal): Promise<string[]> {
  const { error, stdout } = await runProgram("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"], {
    timeoutMillis: DEADLINE_MILLIS,
    signal,
  });
  const lines = error === undefined ? stdout.split("\n") : [];
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Whether NVIDIA's driver is running on this Linux: its control device, or WSL's. Costs nothing. */
export function hasNvidiaDriver(): boolean {
  return ["/dev/nvidiactl", "/dev/dxg"].some((device) => existsSync(device));
}

/**
 * Whether the machine has an NVIDIA GPU, with or without a driver. Undefined where only the driver could tell and there
 * is none.
 */
export async function hasNvidiaGpu(signal?: AbortSignal): Promise<boolean | undefined> {
  if ((await nvidiaGpus(signal)).length > 0) {
    return true;
  }
  if (process.platform === "darwin") {
    // Apple's last machines with NVIDIA GPUs are older than any libtensorflow for macOS with CUDA.
    return false;
  }
  if (process.platform !== "linux") {
    return undefined;
  }
  const bus = "/sys/bus/pci/devices";
  for (const device of await readdir(bus).catch(() => [])) {
    const read = (name: string) => readFile(`${bus}/${device}/${name}`, "utf8").catch(() => "");
    if ((await read("vendor")).trim() === nvidiaVendor && (await read("class")).startsWith(displayClass)) {
      return true;
    }
  }
  return false;
}
