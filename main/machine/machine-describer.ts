/** This machine as others see it: its description, and its load while there are listeners. */
import { arch, availableParallelism, hostname, platform, totalmem } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Exposure, MachineFacts } from "../api/machines.js";
import type { GpuLoad, MachineSample } from "../api/samples.js";
import { log } from "../shared/log/log.js";
import { defined, messageOf } from "../shared/problems.js";
import { version } from "../shared/version.js";
import { reachableAddresses } from "./addresses.js";
import type { MachineDescription } from "./description.js";
import { type GpuReading, gpuReader } from "./gpus.js";
import { type MachineReading, metricsBetween, readMachine } from "./metrics.js";
import { osName } from "./os-name.js";

const SAMPLE_INTERVAL_MILLIS = 1000;
/** Starting nvidia-smi costs more than everything else combined. */
const SAMPLES_BETWEEN_GPU_READINGS = 5;

/** Facts from other rooms, queried for each description. */
export interface MachineKnowledge {
  /** The user's name for the machine; empty: its host name. */
  name(): string;
  /** undefined while the agent does not listen. */
  agentPort(): number | undefined;
  /** Its engines, the preferred one first. */
  engines(): MachineFacts["engines"];
  /** Undefined while it is not known. */
  exposure?(): Exposure | undefined;
  /** The task whose process this is. */
  taskOfPid(pid: number): string | undefined;
  /** Reads the GPUs; defaults to `gpuReader`. */
  readonly listGpus?: (signal: AbortSignal) => Promise<GpuReading[]>;
}

export class MachineDescriber {
  readonly #knowledge: MachineKnowledge;
  readonly #listGpus: (signal: AbortSignal) => Promise<GpuReading[]>;
  readonly #disposed = new AbortController();
  readonly #changeListeners = new Set<() => void>();
  readonly #sampleListeners = new Set<(sample: MachineSample) => void>();
  #osName = "";
  #gpus: readonly GpuReading[] = [];
  /** Set if and only if there are listeners for samples. */
  #timer: NodeJS.Timeout | undefined;
  #lastReading: MachineReading | undefined;
  #samples = 0;
  /** The description that was last sent to the listeners. */
  #told: MachineDescription | undefined;

  constructor(knowledge: MachineKnowledge) {
    this.#knowledge = knowledge;
    this.#listGpus = knowledge.listGpus ?? gpuReader();
  }

  /** Detects what takes a moment: the system's name and the GPUs. Listeners are notified afterwards. Never rejects. */
  async start(): Promise<void> {
    const [name] = await Promise.all([osName(), this.#readGpus()]);
    this.#osName = name;
    this.tellChanges();
  }

  description(): MachineDescription {
    return defined({
      name: this.#knowledge.name() || hostname() || `this ${arch()} machine`,
      platform: platform(),
      osName: this.#osName,
      arch: arch(),
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      gpus: this.#gpus.map(({ index, name, memoryBytes }) => ({ index, name, memoryBytes })),
      addresses: reachableAddresses(),
      agentPort: this.#knowledge.agentPort(),
      version: version(),
      engines: [...this.#knowledge.engines()],
      exposure: this.#knowledge.exposure?.(),
    });
  }

  /** The GPUs and their usage when last read. */
  gpus(): readonly GpuReading[] {
    return this.#gpus;
  }

  /** Calls the listener whenever the description changes, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Samples once a second while there are listeners; the first sample comes after a second. */
  onSample(listener: (sample: MachineSample) => void): () => void {
    this.#sampleListeners.add(listener);
    this.#watch();
    return () => {
      this.#sampleListeners.delete(listener);
      if (this.#sampleListeners.size === 0) this.#rest();
    };
  }

  /** Tells the listeners if the description changed; called after a change of the name, the port or the engines. */
  tellChanges(): void {
    const description = this.description();
    if (isDeepStrictEqual(description, this.#told) || this.#disposed.signal.aborted) return;
    this.#told = description;
    for (const listener of [...this.#changeListeners]) listener();
  }

  dispose(): void {
    this.#disposed.abort();
    this.#changeListeners.clear();
    this.#sampleListeners.clear();
    this.#rest();
  }

  #watch(): void {
    if (this.#timer !== undefined || this.#disposed.signal.aborted) return;
    this.#samples = 0;
    this.#timer = setInterval(() => inBackground(this.#sample()), SAMPLE_INTERVAL_MILLIS);
    // The timer must not keep the program running.
    this.#timer.unref();
    inBackground(this.#read());
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#lastReading = undefined;
  }

  async #sample(): Promise<void> {
    const before = this.#lastReading;
    const after = await this.#read();
    if (before === undefined || after === undefined || this.#timer === undefined) return;
    const sample = { ...metricsBetween(before, after), gpus: this.#gpuLoads() };
    for (const listener of [...this.#sampleListeners]) listener(sample);
    this.#samples++;
    if (this.#samples % SAMPLES_BETWEEN_GPU_READINGS !== 0) return;
    // GPUs do not appear while a system runs; if none was found, the driver is not queried.
    if (this.#gpus.length > 0) await this.#readGpus();
    // Interfaces come and go without notification.
    this.tellChanges();
  }

  async #read(): Promise<MachineReading | undefined> {
    try {
      this.#lastReading = await readMachine();
    } catch (error) {
      log.error(`This machine could not be measured: ${messageOf(error)}`);
    }
    return this.#lastReading;
  }

  #gpuLoads(): GpuLoad[] {
    return this.#gpus.map(({ index, usedBytes, busyPercent, processes }) =>
      defined({
        index,
        usedBytes,
        busyPercent,
        processes: processes.map((process) =>
          defined({ ...process, taskId: this.#knowledge.taskOfPid(process.pid) }),
        ),
      }),
    );
  }

  async #readGpus(): Promise<void> {
    const gpus = await this.#listGpus(this.#disposed.signal);
    // A driver that fails to answer once has not lost its devices.
    if (gpus.length > 0 || this.#gpus.length === 0) this.#gpus = gpus;
  }
}
