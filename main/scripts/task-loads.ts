/** The loads of a job's tasks on this machine, measured once a second. */
import { MetricsSampler } from "../tasks/metrics-sampler.js";
import type { ScriptProcess } from "./script-process.js";

export interface TaskLoad {
  /** "worker/0" */
  readonly task: string;
  /** Share of one core, in percent: 200 is two cores busy. */
  readonly cpuPercent: number;
  /** Resident memory. */
  readonly memoryBytes: number;
}

/**
 * Measures the processes of a job until `dispose` is called.
 *
 * @param processes By task, queried again each time.
 */
export function measureLoads(
  processes: ReadonlyMap<string, Pick<ScriptProcess, "pid">>,
  onLoads: (loads: readonly TaskLoad[]) => void,
): { dispose(): void } {
  const sampler = new MetricsSampler(
    () => [...processes.values()].flatMap(({ pid }) => pid ?? []),
    (samples) => {
      const loads = [...processes].flatMap(([task, { pid }]) => {
        const sample = pid === undefined ? undefined : samples.get(pid);
        return sample ? [{ task, cpuPercent: sample.cpuPercent, memoryBytes: sample.memoryBytes }] : [];
      });
      if (loads.length > 0) onLoads(loads);
    },
  );
  sampler.start();
  return sampler;
}
