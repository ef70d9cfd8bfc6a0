/** How busy a GPU of Windows is, by the performance counters that the Task Manager shows. */

import type { Adapter } from "../../worker-runtime/engines/portable/gpu/adapter.js";
import { type CounterValue, PerformanceCounters } from "../../worker-runtime/windows/performance-counters.js";
import { log } from "../shared/log/log.js";
import { messageOf } from "../shared/problems.js";
import type { GpuUsage } from "./gpu-usage.js";

const PATHS = [
  "\\GPU Engine(*)\\Utilization Percentage",
  "\\GPU Adapter Memory(*)\\Dedicated Usage",
  "\\GPU Adapter Memory(*)\\Shared Usage",
];

/** Without a known LUID the busiest GPU of all is measured. */
type WindowsGpu = Pick<Adapter, "luid" | "kind">;
type OpenCounters = (paths: readonly string[]) => Pick<PerformanceCounters, "read">;

/** The counters are opened at the first reading. Where Windows has none, the log says so once, and there is no usage. */
export class WindowsGpuUsage {
  readonly #open: OpenCounters;
  #counters: ReturnType<OpenCounters> | undefined;
  #isRefused = false;

  constructor(open: OpenCounters = (paths) => PerformanceCounters.open(paths)) {
    this.#open = open;
  }

  async read(gpu: WindowsGpu): Promise<GpuUsage> {
    if (this.#isRefused) return {};
    try {
      this.#counters ??= this.#open(PATHS);
      const [engines = [], dedicated = [], shared = []] = await this.#counters.read();
      return usageOfCounters(engines, dedicated, shared, gpu);
    } catch (error) {
      this.#isRefused = true;
      log.warning(`The load of the GPU cannot be measured: ${messageOf(error)}`);
      return {};
    }
  }
}

/**
 * From instances "pid_1234_luid_0x00000000_0x0000C5A9_phys_0_eng_0_engtype_3D" and "luid_0x00000000_0x0000C5A9_phys_0". The
 * processes of an engine add up, and a GPU is as busy as its busiest engine, as in the Task Manager. Memory is that of a
 * known adapter only, and like its size the dedicated one of a card of its own.
 */
export function usageOfCounters(
  engines: readonly CounterValue[],
  dedicated: readonly CounterValue[],
  shared: readonly CounterValue[],
  { luid, kind }: WindowsGpu,
): GpuUsage {
  const byEngine = new Map<string, number>();
  for (const { instance, value } of engines) {
    const engine = /^pid_\d+_(luid_\S+)$/.exec(instance)?.[1];
    if (engine === undefined || !isOf(engine, luid)) continue;
    byEngine.set(engine, (byEngine.get(engine) ?? 0) + value);
  }
  const busiest = Math.max(...byEngine.values());
  const memory = [...dedicated, ...(kind === "discrete" ? [] : shared)].filter(
    ({ instance }) => luid !== undefined && isOf(instance, luid),
  );
  return {
    ...(byEngine.size > 0 && { busyPercent: Math.round(Math.min(100, busiest)) }),
    ...(memory.length > 0 && { usedBytes: memory.reduce((sum, { value }) => sum + value, 0) }),
  };
}

function isOf(instance: string, luid: string | undefined): boolean {
  return luid === undefined || instance.toUpperCase().startsWith(`LUID_${luid}_`.toUpperCase());
}
