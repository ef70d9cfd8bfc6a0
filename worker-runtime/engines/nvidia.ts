import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { endWithSignal } from "./end-with-signal.js";

const DEADLINE_MILLIS = 5_000;
/** PCI's numbers: the vendor NVIDIA, and the class of display controllers (its first byte). */
const nvidiaVendor = "0x10de";
const displayClass = "0x03";

/** The GPUs that NVIDIA's driver lists: "NVIDIA GeForce RTX 4090". Empty without a driver or a GPU. */
export function nvidiaGpus(signal?: AbortSignal): Promise<string[]> {
  return new Promise((resolve) => {
    const child = execFile(
      "nvidia-smi",
      ["--query-gpu=name", "--format=csv,noheader"],
      { timeout: DEADLINE_MILLIS, windowsHide: true },
      (error, stdout) => {
        resolve(
          error === null
            ? stdout
                .split("\n")
                .map((line) => line.trim())
                .filter((line) => line !== "")
            : [],
        );
      },
    );
    endWithSignal(child, signal);
  });
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
