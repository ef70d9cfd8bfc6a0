/** ONNX Runtime's module, and what all threads do with it. */
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import type { DType } from "../../../protocol/dtype.js";
import type { NumericArray } from "../../../protocol/tensor-data.js";

export type Runtime = typeof import("onnxruntime-node");

/** Errors are returned; ONNX Runtime's other output is of no use to the user of a graph. */
const LOG_FATAL = 4;

/** The module's exports: those of a CommonJS module are its default export. @param name of the module. */
export async function loadRuntime(name: string): Promise<Runtime> {
  const module = (await import(name)) as Runtime & { readonly default?: Runtime };
  return module.default ?? module;
}

/**
 * The options of a session.
 * @param threads that one run may use. They wait for the next node by spinning: a sleeping one is woken too late for most
 *   nodes. Between runs they sleep, or they would take cores from the thread that serves gRPC (README.md).
 */
export function commonOptions(threads: number): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: LOG_FATAL,
    extra: { session: { intra_op: { allow_spinning: "1" }, force_spinning_stop: "1" } },
  };
}

/** The options of a session on the CPU. */
export function cpuOptions(threads: number): InferenceSession.SessionOptions {
  return { ...commonOptions(threads), executionProviders: ["cpu"] };
}

/** Makes ONNX Runtime's tensors over the memory of ours. */
export type TensorMaker = (dtype: DType, data: NumericArray, shape: readonly number[]) => OrtTensor;

export function tensorMaker({ Tensor }: Pick<Runtime, "Tensor">): TensorMaker {
  // The constructor is overloaded by dtype.
  return (dtype, data, shape) => new Tensor(dtype as "float32", data as Float32Array, shape);
}

/** An output of a run on the CPU. */
export interface OutputMemory {
  readonly shape: readonly number[];
  /** All of it is the output's. */
  readonly data: ArrayBuffer;
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
