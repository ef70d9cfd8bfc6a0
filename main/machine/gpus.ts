/** The NVIDIA GPUs of this machine, as reported by the driver's tool. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { endWithSignal } from "../../worker-runtime/engines/end-with-signal.js";
import type { Gpu } from "../api/machines.js";
import type { GpuLoad } from "../api/samples.js";
import { defined } from "../shared/problems.js";

const TIMEOUT_MILLIS = 10_000;
const MEBIBYTE = 2 ** 20;

/** A GPU and how much of it is used, at one moment. */
export type GpuReading = Gpu & GpuLoad;

/** Runs nvidia-smi with arguments and returns its output. @throws where there is none, or no driver. */
export type NvidiaSmi = (args: readonly string[], signal: AbortSignal) => Promise<string>;

const nvidiaSmi: NvidiaSmi = async (args, signal) => {
  const running = promisify(execFile)("nvidia-smi", [...args], {
    timeout: TIMEOUT_MILLIS,
    windowsHide: true,
  });
  endWithSignal(running.child, signal);
  return (await running).stdout;
};

/** None where there is no driver. Processes are identified by pid; the caller maps them to tasks. */
export async function listGpus(signal: AbortSignal, ask: NvidiaSmi = nvidiaSmi): Promise<GpuReading[]> {
  const csv = "--format=csv,noheader,nounits";
  try {
    const devices = await ask(
      ["--query-gpu=index,uuid,memory.total,memory.used,utilization.gpu,name", csv],
      signal,
    );
    // Without a GPU there is nothing more to query; if this fails (some virtual GPUs), the devices are still valid.
    if (devices.trim() === "") return [];
    const processes = await ask(
      ["--query-compute-apps=gpu_uuid,pid,used_memory,process_name", csv],
      signal,
    ).catch(() => "");
    return parseGpus(devices, processes);
  } catch {
    return [];
  }
}

/**
 * From lines "0, GPU-5f…, 143771, 512, 3, NVIDIA H200" and "GPU-5f…, 4242, 498, python"; sizes in mebibytes. Values
 * that the driver does not report are "[N/A]" or "[Not Supported]".
 */
export function parseGpus(devices: string, processes: string): GpuReading[] {
  const users = rowsOf(processes, 4).map(([uuid, pid, memory, name]) => ({
    uuid,
    pid: numberOf(pid),
    memoryBytes: (numberOf(memory) ?? 0) * MEBIBYTE,
    name: name ?? "",
  }));
  return rowsOf(devices, 6).flatMap(([index, uuid, total, used, busy, name]) => {
    const number = numberOf(index);
    if (number === undefined) return [];
    const usedMebibytes = numberOf(used);
    return [
      defined({
        index: number,
        name: name ?? "",
        memoryBytes: (numberOf(total) ?? 0) * MEBIBYTE,
        usedBytes: usedMebibytes === undefined ? undefined : usedMebibytes * MEBIBYTE,
        busyPercent: numberOf(busy),
        processes: users.flatMap(({ uuid: holder, pid, ...process }) =>
          holder === uuid && pid !== undefined ? [{ pid, ...process }] : [],
        ),
      }),
    ];
  });
}

/** Lines as cells; the last cell keeps its commas, which names of programs may have. */
function rowsOf(text: string, columns: number): (string | undefined)[][] {
  return text.split(/\r?\n/).flatMap((line) => {
    const cells = line.split(",");
    if (cells.length < columns) return [];
    const last = cells.slice(columns - 1).join(",");
    return [[...cells.slice(0, columns - 1), last].map((cell) => cell.trim())];
  });
}

function numberOf(cell: string | undefined): number | undefined {
  return cell !== undefined && /^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : undefined;
}
