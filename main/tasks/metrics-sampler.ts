import { inBackground } from "../../worker-runtime/faults.js";
import type { TaskSample } from "../api/samples.js";
import type { ProcessUsage, ReadUsage } from "./process-usage.js";
import { usageReader } from "./usage-reader.js";

export const SAMPLE_INTERVAL_MILLIS = 1000;

interface Reading extends ProcessUsage {
  readonly at: number;
}

/** Measures a changing set of processes once a second. */
export class MetricsSampler {
  readonly #pids: () => readonly number[];
  readonly #onSamples: (samples: ReadonlyMap<number, TaskSample>) => void;
  readonly #read: ReadUsage;
  #last = new Map<number, Reading>();
  #timer: NodeJS.Timeout | undefined;
  /** Reading can take longer than the interval if it starts a program. */
  #reading = false;

  /**
   * @param pids The processes to measure, queried again each time.
   * @param onSamples Called once a second with the samples, while there is anything to sample.
   */
  constructor(
    pids: () => readonly number[],
    onSamples: (samples: ReadonlyMap<number, TaskSample>) => void,
    read: ReadUsage = usageReader(),
  ) {
    this.#pids = pids;
    this.#onSamples = onSamples;
    this.#read = read;
  }

  start(): void {
    this.#timer ??= setInterval(() => inBackground(this.sample()), SAMPLE_INTERVAL_MILLIS);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One measurement. The first of a process has no processor share, which takes two readings. */
  async sample(now = Date.now()): Promise<void> {
    const pids = this.#pids();
    if (pids.length === 0 || this.#reading) return;
    this.#reading = true;
    try {
      const usage = await this.#read(pids);
      const samples = new Map<number, TaskSample>();
      const readings = new Map<number, Reading>();
      for (const [pid, current] of usage) {
        const previous = this.#last.get(pid);
        readings.set(pid, { ...current, at: now });
        samples.set(pid, {
          at: now,
          cpuPercent: previous ? cpuShare(previous, { ...current, at: now }) : 0,
          memoryBytes: current.memoryBytes,
        });
      }
      this.#last = readings;
      if (samples.size > 0) this.#onSamples(samples);
    } finally {
      this.#reading = false;
    }
  }
}

function cpuShare(previous: Reading, current: Reading): number {
  const elapsed = current.at - previous.at;
  if (elapsed <= 0) return 0;
  return Math.max(0, Math.round(((current.cpuMillis - previous.cpuMillis) / elapsed) * 1000) / 10);
}
