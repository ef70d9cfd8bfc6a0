import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Machine } from "../api/cluster.js";

const TIMEOUT_MILLIS = 10_000;

/** NVIDIA's GPUs of this machine as their driver lists them; none where there is no driver. */
export async function listGpus(signal: AbortSignal): Promise<Machine["gpus"]> {
  try {
    const { stdout } = await promisify(execFile)(
      "nvidia-smi",
      ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"],
      { timeout: TIMEOUT_MILLIS, windowsHide: true, signal },
    );
    return parseGpus(stdout);
  } catch {
    return [];
  }
}

/** From lines of a name and mebibytes: "NVIDIA H200, 143771". */
export function parseGpus(output: string): Machine["gpus"] {
  return output.split("\n").flatMap((line, index) => {
    const match = /^(.+), (\d+)\s*$/.exec(line);
    return match?.[1] === undefined
      ? []
      : [{ index, name: match[1], memoryBytes: Number(match[2]) * 2 ** 20, processes: [] }];
  });
}
