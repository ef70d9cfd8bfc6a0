/** What the application takes from the worker runtime to run graphs; replaced as a whole in tests. */
import { portableCatalogue } from "../worker-runtime/engines/portable/catalogue/ask-catalogue.js";
import type { KernelList } from "./api/kernels.js";
import type { ExampleLibrary } from "./documents/document-service.js";
import { exampleLibrary } from "./documents/examples.js";
import { bundledOps } from "./runs/ops/bundled-ops.js";
import type { OpList } from "./runs/ops/op-list-service.js";
import type { OpenProbe } from "./tasks/health.js";
import type { LaunchTask } from "./tasks/launcher.js";
import type { RuntimeTools } from "./tasks/runtime/runtime-tools.js";
import { tensorFlowRuntimeTools } from "./tasks/runtime/tensorflow-runtime.js";
import { type LaunchKnowledge, serverLauncher } from "./tasks/server-launcher.js";
import { openWorkerProbe } from "./tasks/worker-probe.js";

export interface Engine {
  readonly launcher: (knowledge: LaunchKnowledge) => LaunchTask;
  readonly openProbe: OpenProbe;
  readonly runtime: RuntimeTools;
  readonly bundledOps: () => OpList;
  /** What the portable engine of this version has a kernel for. */
  readonly portableKernels: (signal: AbortSignal) => Promise<KernelList["kernels"]>;
  readonly examples: ExampleLibrary;
}

/** TensorFlow's own runtime. */
export function defaultEngine(): Engine {
  return {
    launcher: serverLauncher,
    openProbe: openWorkerProbe,
    runtime: tensorFlowRuntimeTools(),
    bundledOps,
    portableKernels,
    examples: exampleLibrary,
  };
}

async function portableKernels(signal: AbortSignal): Promise<KernelList["kernels"]> {
  const entries = await portableCatalogue(signal);
  return entries.map(({ op, deviceType, types }) => ({
    op,
    deviceType,
    types: Object.fromEntries(Object.entries(types).map(([attr, dtypes]) => [attr, [...dtypes]])),
  }));
}
