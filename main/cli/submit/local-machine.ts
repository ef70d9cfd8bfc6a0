/** This machine as one that runs tasks of a submitted script, in the script's own folder. */
import type { Socket } from "node:net";
import { basename, join } from "node:path";
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { nvidiaGpus } from "../../../worker-runtime/engines/nvidia.js";
import { JobNetwork } from "../../scripts/job-network.js";
import { JobPorts, type PortPlan } from "../../scripts/job-ports.js";
import { scriptPython } from "../../scripts/python/script-python.js";
import {
  type OnScriptLine,
  type ScriptProcess,
  type ScriptSetup,
  startScript,
} from "../../scripts/script-process.js";
import { assignGpus, type PortedTask } from "../../scripts/task-environment.js";
import { Ports } from "../../tasks/ports.js";
import type { JobMachine, MachineJob, Prepared } from "./job-machine.js";
import type { SubmitOptions } from "./options.js";

export interface LocalMachineOptions {
  readonly options: SubmitOptions;
  /** Takes over a connection of a task here to one elsewhere. */
  readonly carry: (port: number, client: Socket) => void;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export class LocalMachine implements JobMachine {
  readonly name = "this machine";
  readonly #options: LocalMachineOptions;
  readonly #ports = new JobPorts(new Ports());
  #network: JobNetwork | undefined;
  #setup: ScriptSetup | undefined;
  #gpus: ReadonlyMap<PortedTask, string | undefined> = new Map();

  constructor(options: LocalMachineOptions) {
    this.#options = options;
  }

  reserve(plan: PortPlan): Promise<number[]> {
    return this.#ports.reserve(plan);
  }

  async prepare({ tasks, cluster, elsewhere, isolate }: MachineJob): Promise<Prepared> {
    const { options, carry, onProgress, signal } = this.#options;
    const { folder, script, args, passFlags, dataDir } = options;
    const environments = join(dataDir, "scripts", "environments");
    const python = await scriptPython({ ...options, environments, onProgress, signal });
    // Its own user lets the network reach them, as with any server that is started here.
    const network = await JobNetwork.open({ elsewhere, carry, isolate, mayBeExposed: true });
    this.#network = network;
    const gpus = (await nvidiaGpus(signal)).map((_, index) => index);
    this.#gpus = assignGpus(tasks, gpus);
    this.#setup = { ...{ folder, script, args, passFlags, network, cluster }, python: [python.executable] };
    return {
      isIsolated: network.isIsolated,
      obstacle: network.obstacle,
      requirements: python.requirements && basename(python.requirements),
    };
  }

  start(name: TaskName, onLine: OnScriptLine): ScriptProcess {
    const task = [...this.#gpus.keys()].find((known) => shortTaskText(known) === shortTaskText(name));
    if (!task || !this.#setup) throw new Error(`${shortTaskText(name)} was not prepared.`);
    return startScript(this.#setup, task, this.#gpus.get(task), onLine);
  }

  async connect(port: number): Promise<Socket> {
    if (!this.#network) throw new Error("The tasks were not prepared.");
    return await this.#network.connect(port);
  }

  async collect(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    await this.#network?.close();
    await this.#ports.release();
  }
}
