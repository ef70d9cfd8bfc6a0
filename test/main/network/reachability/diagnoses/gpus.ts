/** Diagnoses of GPUs: each once where it is right and once where it would be wrong. */
import { type DiagnosisCase, gpu, gpuDevice, held, log, one } from "../support/diagnosis-cases.js";
import { logOf, machine, situation, task } from "../support/situations.js";

export const gpusCases = {
  "gpu-memory-held": {
    wrong: situation(
      [machine("gpu-pc", [], { gpus: [gpu] })],
      held({ pid: 4711, name: "python3", memoryBytes: 11e9 }),
    ),
    message: /^python3 \(process 4711\) holds 11\.0 GB of GPU 0 \(RTX 4070\) on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation(
      [machine("gpu-pc", [task("worker/0")], { gpus: [gpu] })],
      held({ pid: 1, name: "node", memoryBytes: 11e9, taskId: "worker/0" }),
    ),
  },
  "ps-sees-gpu": {
    wrong: situation([machine("gpu-pc", [task("ps/0", { devices: [gpuDevice] })])]),
    message: /^ps\/0 sees a GPU\.$/,
    severity: "warning",
    taskId: "ps/0",
    right: situation([machine("gpu-pc", [task("ps/0"), task("worker/0", { devices: [gpuDevice] })])]),
  },
  "gpu-shared": {
    wrong: situation(
      [machine("gpu-pc", [task("worker/0"), task("worker/1")], { gpus: [gpu] })],
      held(
        ...["worker/0", "worker/1"].map((taskId, pid) => ({ pid, name: "node", memoryBytes: 4e9, taskId })),
      ),
    ),
    message: /^worker\/0 and worker\/1 share GPU 0 \(RTX 4070\) on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation(
      [machine("gpu-pc", [task("worker/0"), task("worker/1")], { gpus: [gpu] })],
      held({ pid: 1, name: "node", memoryBytes: 4e9, taskId: "worker/0" }),
    ),
  },
  "gpu-out-of-memory": {
    wrong: one(
      { devices: [gpuDevice] },
      { logs: logOf("worker/0", ["failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory"]) },
    ),
    message: /^worker\/0 found no memory left on its GPU\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory"),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
