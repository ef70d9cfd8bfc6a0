/** ONNX Runtime's module, and what all threads do with it. */
import { availableParallelism } from "node:os";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { leaveOutCurrentFolder } from "../../../programs/load-library.js";
import type { DType } from "../../../protocol/dtype.js";
import type { NumericArray } from "../../../protocol/tensor-data.js";
import type { GpuProvider } from "../gpu/choose-gpus.js";
import type { OutputMemory } from "./device-messages.js";
import { forbidTelemetry } from "./telemetry.js";

export const RUNTIME = "onnxruntime-node";
/** More threads slow down small operations, since all of them must be woken. */
const MAX_THREADS = 8;
/** The threads that one run of a session may use. */
export const RUN_THREADS = Math.min(availableParallelism(), MAX_THREADS);

export type Runtime = typeof import("onnxruntime-node");

/** Errors are returned; ONNX Runtime's other output is of no use to the user of a graph. */
const LOG_FATAL = 4;

/** The module's exports: those of a CommonJS module are its default export. @param name of the module. */
export async function loadRuntime(name: string): Promise<Runtime> {
  leaveOutCurrentFolder();
  forbidTelemetry();
  const module = (await import(name)) as Runtime & { readonly default?: Runtime };
  const runtime = module.default ?? module;
  keepHalvesAsIntegers(runtime);
  return runtime;
}

/**
 * Makes the module exchange halves as Uint16Array, as the engine holds them. With its first tensor it looks for Float16Array,
 * which Node.js has since 24, and uses that if it is there; but its addon (1.30) does not read such arrays, and would run no
 * session that has halves.
 */
export function keepHalvesAsIntegers({ Tensor }: Runtime): void {
  const halves = Object.getOwnPropertyDescriptor(globalThis, "Float16Array");
  if (halves === undefined) {
    return;
  }
  Reflect.deleteProperty(globalThis, "Float16Array");
  try {
    new Tensor("bool", [true]);
  } finally {
    Object.defineProperty(globalThis, "Float16Array", halves);
  }
}

/**
 * The options of a session.
 * @param provider of the GPU; undefined for the CPU.
 * @param threads that one run may use. They wait for the next node by spinning: a sleeping one is woken too late for most
 *   nodes. Between runs they sleep, or they would take cores from the thread that serves gRPC (README.md).
 */
export function sessionOptions(
  provider: GpuProvider | undefined,
  threads: number,
): InferenceSession.SessionOptions {
  return {
    ...providerOptions(provider),
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: LOG_FATAL,
    extra: { session: { intra_op: { allow_spinning: "1" }, force_spinning_stop: "1" } },
  };
}

function providerOptions(provider: GpuProvider | undefined): InferenceSession.SessionOptions {
  switch (provider?.name) {
    case undefined:
      return { executionProviders: ["cpu"] };
    case "webgpu":
      return { executionProviders: ["webgpu"] };
    case "dml":
      // DirectML supports neither of the two.
      return {
        executionProviders: [{ name: "dml", deviceId: provider.deviceId }],
        enableMemPattern: false,
        executionMode: "sequential",
      };
    case "cuda":
      return { executionProviders: [{ name: "cuda", deviceId: provider.deviceId }] };
  }
}

/** ONNX Runtime's tensor over the memory of one of ours. */
export function tensorOver(
  { Tensor }: Runtime,
  dtype: DType,
  data: NumericArray,
  shape: readonly number[],
): OrtTensor {
  // The constructor is overloaded by dtype.
  return new Tensor(dtype as "float32", data as Float32Array, shape);
}

/** Runs a session. @param inputs in the order of the model's, as the outputs are. */
export async function runInOrder(
  session: InferenceSession,
  inputs: readonly OrtTensor[],
): Promise<readonly OrtTensor[]> {
  const feeds = Object.fromEntries(inputs.map((input, index) => [session.inputNames[index] ?? "", input]));
  const results = await session.run(feeds);
  return session.outputNames.map((name) => results[name] as OrtTensor);
}

/** The memory of outputs, copied where they share it. */
export function outputMemory(outputs: readonly OrtTensor[]): readonly OutputMemory[] {
  const seen = new Set<ArrayBufferLike>();
  return outputs.map(({ dims: shape, data }) => {
    const { buffer, byteOffset, byteLength } = data as Float32Array;
    const isOwn = byteLength === buffer.byteLength && !seen.has(buffer);
    seen.add(buffer);
    return {
      shape,
      data: (isOwn ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer,
    };
  });
}
