/** The parts of the worker runtime with which the application runs graphs; replaced as a whole in tests. */
import { portableCatalogue } from "../worker-runtime/engines/portable/catalogue/ask-catalogue.js";
import type { KernelList } from "./api/kernels.js";
import type { ExampleLibrary } from "./documents/document-service.js";
import { exampleLibrary } from "./documents/examples.js";
import { bundledOps } from "./runs/ops/bundled-ops.js";
import type { RunEngine } from "./runs/room.js";
import type { TaskEngine } from "./tasks/room.js";
import { tensorFlowRuntimeTools } from "./tasks/runtime/tensorflow-runtime.js";
import { serverLauncher } from "./tasks/server-launcher.js";
import { openWorkerProbe } from "./tasks/worker-probe.js";

export type Engine = TaskEngine & RunEngine & { readonly examples: ExampleLibrary };

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
