/** This machine as one that runs tasks of a submitted script, in the script's own folder. */
import type { Socket } from "node:net";
import { basename } from "node:path";
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import { nvidiaGpus } from "../../worker-runtime/engines/nvidia.js";
import { EventFolder } from "../scripts/curves/event-folder.js";
import { JobNetwork } from "../scripts/job-network.js";
import { JobPorts, type PortPlan } from "../scripts/job-ports.js";
import { scriptPython } from "../scripts/python/script-python.js";
import {
  type OnScriptLine,
  type ScriptProcess,
  type ScriptSetup,
  startScript,
} from "../scripts/script-process.js";
import { assignGpus, type PortedTask } from "../scripts/task-environment.js";
import { measureLoads } from "../scripts/task-loads.js";
import type { Ports } from "../tasks/ports.js";
import type { JobMachine, MachineEvents, MachineJob, Prepared } from "./job-machine.js";
import type { JobSettings } from "./job-settings.js";

export interface LocalMachineOptions {
  readonly settings: JobSettings;
  /** Folder of all environments that Tensordeck makes. */
  readonly environments: string;
  readonly ports: Pick<Ports, "takeExactly" | "release">;
  /** Takes over a connection of a task here to one elsewhere. */
  readonly carry: (port: number, client: Socket) => void;
  readonly events: MachineEvents;
  readonly signal: AbortSignal;
}

export class LocalMachine implements JobMachine {
  readonly id = undefined;
  readonly name = "this machine";
  readonly #options: LocalMachineOptions;
  readonly #ports: JobPorts;
  #curves: EventFolder | undefined;
  #network: JobNetwork | undefined;
  #setup: ScriptSetup | undefined;
  readonly #processes = new Map<string, ScriptProcess>();
  #loads: ReturnType<typeof measureLoads> | undefined;
  #gpus: ReadonlyMap<PortedTask, string | undefined> = new Map();

  constructor(options: LocalMachineOptions) {
    this.#options = options;
    this.#ports = new JobPorts(options.ports);
  }

  reserve(plan: PortPlan): Promise<number[]> {
    return this.#ports.reserve(plan);
  }

  async prepare({ tasks, cluster, elsewhere, isolate }: MachineJob): Promise<Prepared> {
    const { settings, environments, carry, events, signal } = this.#options;
    const { folder, script, args, passFlags } = settings;
    const onProgress = (text: string) => events.onProgress(this, text);
    const python = await scriptPython({ ...settings, environments, onProgress, signal });
    // Its own user lets the network reach them, as with any server that is started here.
    const network = await JobNetwork.open({ elsewhere, carry, isolate, mayBeExposed: true });
    this.#network = network;
    const gpus = (await nvidiaGpus(signal)).map((_, index) => index);
    this.#gpus = assignGpus(tasks, gpus);
    this.#setup = { ...{ folder, script, args, passFlags, network, cluster }, python: [python.executable] };
    if (settings.scalars) {
      this.#curves = await EventFolder.follow(folder, (points) => events.onScalars(this, points));
    }
    if (events.onLoads) {
      this.#loads = measureLoads(this.#processes, (loads) => events.onLoads?.(this, loads));
    }
    return {
      isIsolated: network.isIsolated,
      obstacle: network.obstacle,
      requirements: python.requirements && basename(python.requirements),
    };
  }

  start(name: TaskName, onLine: OnScriptLine): ScriptProcess {
    const task = [...this.#gpus.keys()].find((known) => shortTaskText(known) === shortTaskText(name));
    if (!task || !this.#setup) throw new Error(`${shortTaskText(name)} was not prepared.`);
    const process = startScript(this.#setup, task, this.#gpus.get(task), onLine);
    const key = shortTaskText(name);
    this.#processes.set(key, process);
    const ended = () => {
      if (this.#processes.get(key) === process) this.#processes.delete(key);
    };
    process.exited.then(ended, ended);
    return process;
  }

  async connect(port: number): Promise<Socket> {
    if (!this.#network) throw new Error("The tasks were not prepared.");
    return await this.#network.connect(port);
  }

  async collect(): Promise<undefined> {
    await this.#curves?.close();
  }

  async close(): Promise<void> {
    this.#loads?.dispose();
    await this.#curves?.close();
    await this.#network?.close();
    await this.#ports.release();
  }
}
