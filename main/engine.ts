/** What the application takes from the worker runtime to run graphs; replaced as a whole in tests. */
import type { ExampleLibrary } from "./documents/document-service.js";
import { exampleLibrary } from "./documents/examples.js";
import { bundledOps } from "./ops/bundled-ops.js";
import type { OpList } from "./ops/op-list-service.js";
import type { RuntimeTools } from "./runtime/runtime-tools.js";
import { tensorFlowRuntimeTools } from "./runtime/tensorflow-runtime.js";
import type { OpenProbe } from "./tasks/health.js";
import type { LaunchTask } from "./tasks/launcher.js";
import { type LaunchKnowledge, serverLauncher } from "./tasks/server-launcher.js";
import { openWorkerProbe } from "./tasks/worker-probe.js";

export interface Engine {
  readonly launcher: (knowledge: LaunchKnowledge) => LaunchTask;
  readonly openProbe: OpenProbe;
  readonly runtime: RuntimeTools;
  readonly bundledOps: () => OpList;
  readonly examples: ExampleLibrary;
}

/** TensorFlow's own runtime. */
export function defaultEngine(): Engine {
  return {
    launcher: serverLauncher,
    openProbe: openWorkerProbe,
    runtime: tensorFlowRuntimeTools(),
    bundledOps,
    examples: exampleLibrary,
  };
}
