/** Periodic measurements, apart from the cluster's state, which is sent when something changes. */
import { z } from "zod";

/** Samples of a machine or a task that are kept, a second apart: the minute that the window draws. */
export const KEPT_SAMPLES = 60;

/** The usage of a GPU, and the processes that use it. */
export const gpuLoadSchema = z.object({
  /** As nvidia-smi numbers it. */
  index: z.number().int().nonnegative(),
  usedBytes: z.number().optional(),
  /** Recent utilization, in percent. */
  busyPercent: z.number().optional(),
  /** The processes that use its memory; taskId if it is one of our tasks. */
  processes: z.array(
    z.object({
      pid: z.number().int(),
      name: z.string(),
      memoryBytes: z.number(),
      taskId: z.string().optional(),
    }),
  ),
});
export type GpuLoad = z.infer<typeof gpuLoadSchema>;

export const machineSampleSchema = z.object({
  /** Milliseconds since the epoch, by the clock of that machine. */
  at: z.number(),
  /** Share of all cores, 0 to 100. */
  cpuPercent: z.number(),
  memoryUsedBytes: z.number(),
  receivedBytesPerSecond: z.number(),
  sentBytesPerSecond: z.number(),
  gpus: z.array(gpuLoadSchema),
  /** Measured over the agent's connection; absent on this machine. */
  roundTripMillis: z.number().optional(),
  /** Its clock minus the local one; absent on this machine. */
  clockOffsetMillis: z.number().optional(),
});
export type MachineSample = z.infer<typeof machineSampleSchema>;

export const taskSampleSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Share of one core, in percent: 200 is two cores busy. */
  cpuPercent: z.number(),
  /** Resident memory of the task's process. */
  memoryBytes: z.number(),
  /** Memory that it holds on GPUs; absent if it has none. */
  gpuMemoryBytes: z.number().optional(),
});
export type TaskSample = z.infer<typeof taskSampleSchema>;

/** One sample of each machine and task that was sampled since the previous event. */
export const samplesSchema = z.object({
  /** By machine id. */
  machines: z.record(z.string(), machineSampleSchema),
  /** By task id. */
  tasks: z.record(z.string(), taskSampleSchema),
});
export type Samples = z.infer<typeof samplesSchema>;

/** The newest samples, by machine and by task. */
export interface NewestSamples {
  readonly machines: ReadonlyMap<string, MachineSample>;
  readonly tasks: ReadonlyMap<string, TaskSample>;
}
