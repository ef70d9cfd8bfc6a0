/** Graphs that run with regions, in this process and with a thread of ONNX Runtime. */
import { setMaxListeners } from "node:events";
import { onTestFinished } from "vitest";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { compileGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-graph.js";
import type { CompiledGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-node.js";
import { runGraph } from "../../../../../worker-runtime/engines/portable/executor/executor.js";
import { FunctionLibrary } from "../../../../../worker-runtime/engines/portable/executor/function-library.js";
import type { StepContext } from "../../../../../worker-runtime/engines/portable/executor/step-context.js";
import type { StepStatsCollector } from "../../../../../worker-runtime/engines/portable/executor/step-stats.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { KernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import {
  type GraphRegions,
  TaskRegions,
  type TaskRegionsOptions,
} from "../../../../../worker-runtime/engines/portable/regions/task-regions.js";
import type {
  Rendezvous,
  Sent,
} from "../../../../../worker-runtime/engines/portable/rendezvous/rendezvous.js";
import { ResourceManager } from "../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { notFound } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { DEVICE } from "../executor/graph-fixture.js";

interface TaskSetup extends Partial<TaskRegionsOptions> {
  readonly library?: FunctionDefLibrary;
  readonly kernels?: readonly KernelDefinition[];
}

export interface RunOptions {
  readonly args?: readonly Value[];
  readonly sent?: Readonly<Record<string, Sent>>;
  readonly signal?: AbortSignal;
  readonly stats?: StepStatsCollector;
}

/** A task with regions that is closed when the test ends. */
export function startTask(setup?: TaskSetup): RegionTask {
  const task = new RegionTask(setup);
  onTestFinished(() => task.close());
  return task;
}

/** A task with regions; to be closed. */
export class RegionTask {
  readonly log: string[] = [];
  readonly regions: TaskRegions;
  readonly resources = new ResourceManager();
  readonly #library: FunctionDefLibrary;
  readonly #kernels;

  constructor({ library = FunctionDefLibrary.create(), kernels = [], ...options }: TaskSetup = {}) {
    this.#library = library;
    this.#kernels = createKernelRegistry().add(...kernels);
    this.regions = new TaskRegions({ mode: "always", log: (line) => this.log.push(line), ...options });
  }

  register(nodes: readonly NodeDef[]): RegisteredGraph {
    const regions = this.regions.forGraph();
    const options = {
      ops: bundledOpRegistry().withFunctions(this.#library),
      kernels: this.#kernels,
      library: this.#library,
      regions,
    };
    const compiled = compileGraph(nodes, { ...options, defaultDevice: DEVICE });
    return new RegisteredGraph(compiled, regions, new FunctionLibrary(options), this);
  }

  async close(): Promise<void> {
    await this.regions.close();
  }
}

export class RegisteredGraph {
  readonly compiled: CompiledGraph;
  readonly #regions: GraphRegions;
  readonly #functions: FunctionLibrary;
  readonly #task: RegionTask;

  constructor(compiled: CompiledGraph, regions: GraphRegions, functions: FunctionLibrary, task: RegionTask) {
    this.compiled = compiled;
    this.#regions = regions;
    this.#functions = functions;
    this.#task = task;
  }

  /** The number of its regions. */
  get regionCount(): number {
    return this.compiled.nodes.filter(({ work }) => work.kind === "region").length;
  }

  run({ args = [], sent = {}, signal = new AbortController().signal, stats }: RunOptions = {}) {
    setMaxListeners(0, signal);
    const { resources, log } = this.#task;
    const step: StepContext = {
      stepId: 1n,
      signal,
      resources: () => resources,
      stepResources: new ResourceManager(),
      rendezvous: received(sent),
      functions: this.#functions,
      files: { resolve: () => Promise.reject(notFound("no files")) },
      compute: undefined,
      log: (line) => log.push(line),
    };
    return runGraph(this.compiled, { step, args, stats });
  }

  release(): void {
    this.#regions.release();
  }
}

/** A rendezvous that has values by the names of their tensors. */
function received(sent: Readonly<Record<string, Sent>>): Rendezvous {
  return {
    send: () => undefined,
    recv: (key, signal) => {
      const found = Object.entries(sent).find(([name]) => key.includes(`;${name};`))?.[1];
      return found === undefined
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        : Promise.resolve(found);
    },
    abort: () => undefined,
  };
}

export const floats = (values: number[] | number[][]) => Tensor.of(values, "float32");

export function numbers(value: Value | undefined): number[] {
  return value instanceof Tensor ? Array.from(value.data as Float32Array) : [];
}
