/** Graphs of sessions for tests: tasks worker/0 (the master's own), worker/1 and ps/0, each with one CPU. */
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import {
  cpuKind,
  type Device,
  gpuKind,
  makeDevice,
} from "../../../../../worker-runtime/engines/portable/device.js";
import { shapeKernels } from "../../../../../worker-runtime/engines/portable/kernels/array/shape-ops.js";
import { controlFlowKernels } from "../../../../../worker-runtime/engines/portable/kernels/control-flow/index.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import {
  type PlacementDevice,
  placementDevices,
} from "../../../../../worker-runtime/engines/portable/master/placer.js";
import { SessionGraph } from "../../../../../worker-runtime/engines/portable/master/session-graph.js";
import {
  makeStepGraph,
  type StepGraph,
} from "../../../../../worker-runtime/engines/portable/master/step-graph.js";
import type { StepSignature } from "../../../../../worker-runtime/engines/portable/master/step-signature.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { graphOf } from "./node-makers.js";

export const WORKER_0 = "/job:worker/replica:0/task:0/device:CPU:0";
export const WORKER_1 = "/job:worker/replica:0/task:1/device:CPU:0";
export const PS_0 = "/job:ps/replica:0/task:0/device:CPU:0";

export const clientDevice: Device = makeDevice({ job: "worker", index: 0 }, cpuKind(), 0xf000000000000001n);

/** The facts about ops that the master itself has. */
export const kernels: KernelRegistry = new KernelRegistry().add(...controlFlowKernels, ...shapeKernels);

/** Devices by name: GPUs of this engine, and CPUs. */
export function devicesNamed(local: readonly string[], remote: readonly string[] = []): PlacementDevice[] {
  const described = (name: string) => ({
    name,
    physicalDeviceDesc: name.includes("GPU") ? gpuKind(0, "Test GPU", "webgpu", 2 ** 30).description : "",
  });
  return placementDevices(local.map(described), remote.map(described));
}

export interface SessionGraphSetup {
  readonly devices?: readonly PlacementDevice[];
  readonly kernels?: KernelRegistry;
  readonly softPlacement?: boolean;
  readonly log?: (line: string) => void;
  readonly maxNodes?: number;
}

export function sessionGraph(nodes: readonly NodeDef[], setup: SessionGraphSetup = {}): SessionGraph {
  const placement = {
    devices: setup.devices ?? devicesNamed([WORKER_0], [WORKER_1, PS_0]),
    kernels: setup.kernels ?? kernels,
    softPlacement: setup.softPlacement ?? false,
    log: setup.log,
  };
  const options = { ops: bundledOpRegistry(), placement, maxNodes: setup.maxNodes ?? 1000 };
  const graph = new SessionGraph(options);
  withoutPauses(graph.begin(graphOf(...nodes)));
  return graph;
}

export function signature(parts: Partial<StepSignature>): StepSignature {
  return { feeds: [], fetches: [], targets: [], connections: [], collectiveGraphKey: 0n, ...parts };
}

export function stepGraph(graph: SessionGraph, parts: Partial<StepSignature>): StepGraph {
  const { ops } = graph;
  return withoutPauses(
    makeStepGraph({ graph, signature: signature(parts), ops, facts: kernels, clientDevice }),
  );
}
