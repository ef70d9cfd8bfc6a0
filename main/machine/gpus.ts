/**
 * The GPUs of this machine: those that NVIDIA's driver reports, with their load; where there are none, the one that the
 * portable engine would use, of whichever maker.
 */
import {
  type Adapter,
  type AdaptersAnswer,
  isUsedUnasked,
} from "../../worker-runtime/engines/portable/gpu/adapter.js";
import { listAdapters } from "../../worker-runtime/engines/portable/gpu/list-adapters.js";
import { runProgram } from "../../worker-runtime/programs/run-program.js";
import type { Gpu } from "../api/machines.js";
import type { GpuLoad } from "../api/samples.js";
import { defined } from "../shared/problems.js";
import type { GpuUsageReader } from "./gpu-usage.js";
import { gpuUsageReader } from "./gpu-usage-reader.js";

const TIMEOUT_MILLIS = 10_000;
const MEBIBYTE = 2 ** 20;

/** A GPU and its usage at one moment. */
export type GpuReading = Gpu & GpuLoad;

/** Runs nvidia-smi with arguments and returns its output. @throws if there is no such program, or no driver. */
export type NvidiaSmi = (args: readonly string[], signal: AbortSignal) => Promise<string>;

const nvidiaSmi: NvidiaSmi = async (args, signal) => {
  const { error, stdout } = await runProgram("nvidia-smi", args, { timeoutMillis: TIMEOUT_MILLIS, signal });
  if (error !== undefined) throw error;
  return stdout;
};

/**
 * A reader of this machine's GPUs. Processes are identified by pid; the caller maps them to tasks.
 *
 * Without NVIDIA's driver, adapters are listed once: that takes a process of its own.
 * @param adapters lists GPUs without NVIDIA's driver.
 * @param usage reads how busy one of these is.
 */
export function gpuReader(
  ask: NvidiaSmi = nvidiaSmi,
  adapters: (signal: AbortSignal) => Promise<AdaptersAnswer> = listAdapters,
  usage: GpuUsageReader = gpuUsageReader(),
): (signal: AbortSignal) => Promise<GpuReading[]> {
  let hasNvidia = false;
  let other: Adapter | undefined;
  return async (signal) => {
    if (other === undefined) {
      const nvidia = await nvidiaGpus(signal, ask);
      hasNvidia ||= nvidia.length > 0;
      // A driver that fails once has not lost its devices to another maker.
      if (hasNvidia) return nvidia;
      other = bestOf(await adapters(signal));
      if (other === undefined) return [];
    }
    const { name, memoryBytes } = other;
    return [{ index: 0, name, memoryBytes, ...(await usage(other, signal)), processes: [] }];
  };
}

function bestOf(answer: AdaptersAnswer): Adapter | undefined {
  return "adapters" in answer ? answer.adapters.find((adapter) => isUsedUnasked(adapter)) : undefined;
}

/** Empty if there is no driver. */
async function nvidiaGpus(signal: AbortSignal, ask: NvidiaSmi): Promise<GpuReading[]> {
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

/** Splits lines into cells; the last cell keeps its commas, which names of programs may have. */
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
