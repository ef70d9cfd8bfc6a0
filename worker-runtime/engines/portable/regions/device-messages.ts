import type { DType } from "../../../protocol/dtype.js";
import type { GpuProvider } from "../gpu/choose-gpus.js";

/** The data that a device thread receives when it starts. */
export interface DeviceThreadData {
  /** The ONNX Runtime module. */
  readonly runtime: string;
  /** Threads that one run may use. */
  readonly threads: number;
  /** The execution provider for the GPU; defaults to the CPU. */
  readonly provider: GpuProvider | undefined;
  /** Handles of tensors on the device are greater than this. */
  readonly firstHandle: number;
}

/** Makes a session of a serialized model. Answered by `MadeMessage` or `FailedMessage`. */
export interface MakeMessage {
  readonly kind: "make";
  readonly request: number;
  readonly session: number;
  readonly model: Uint8Array;
  /** Whether each output stays on the device. */
  readonly staying: readonly boolean[];
  /** Whether its runs use one thread instead of `DeviceThreadData.threads`. */
  readonly usesOneThread: boolean;
  /** True if it keeps its memory for the next run. */
  readonly keepsMemory: boolean;
}

/**
 * An input of a run: new memory, which the thread keeps if a key is given; an input that it has kept; or a tensor on
 * the device.
 */
export type SentInput =
  | {
      readonly dtype: DType;
      readonly shape: readonly number[];
      readonly data: ArrayBuffer;
      readonly keepAs: number | undefined;
    }
  | { readonly dtype: DType; readonly shape: readonly number[]; readonly kept: number }
  | { readonly dtype: DType; readonly shape: readonly number[]; readonly handle: number };

/** Runs a session. Answered by `RanMessage` or `FailedMessage`. */
export interface RunMessage {
  readonly kind: "run";
  readonly request: number;
  readonly session: number;
  readonly inputs: readonly SentInput[];
  /** Handles of tensors on the device that are freed before. */
  readonly freed: readonly number[];
}

/** Releases sessions, inputs and tensors on the device. Not answered. */
export interface ReleaseMessage {
  readonly kind: "release";
  readonly sessions: readonly number[];
  readonly inputs: readonly number[];
  /** By their handles. */
  readonly tensors: readonly number[];
}

/** Copies a tensor from the device. Answered by `FetchedMessage` or `FailedMessage`. */
export interface FetchMessage {
  readonly kind: "fetch";
  readonly request: number;
  readonly handle: number;
}

/** Asks what ONNX Runtime does on this machine. Answered by `DescribedMessage`. */
export interface DescribeMessage {
  readonly kind: "describe";
  readonly request: number;
}

/** Tells the thread to end after its current call, without running queued ones. */
export interface EndMessage {
  readonly kind: "end";
}

export type DeviceRequest =
  | MakeMessage
  | RunMessage
  | ReleaseMessage
  | FetchMessage
  | DescribeMessage
  | EndMessage;

/** The thread has loaded ONNX Runtime, or failed to. */
export type StartedMessage =
  | { readonly kind: "started" }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface MadeMessage {
  readonly kind: "made";
  readonly request: number;
  /** How long it took. */
  readonly millis: number;
}

export interface RanMessage {
  readonly kind: "ran";
  readonly request: number;
  /** In the order of the model's outputs. */
  readonly outputs: readonly RanOutput[];
  /** How long it took. */
  readonly millis: number;
}

/** An output of a run on the host, which all of the memory belongs to. */
export interface OutputMemory {
  readonly shape: readonly number[];
  readonly data: ArrayBuffer;
}

/** An output of a run: its memory, or the handle of a tensor that has stayed on the device. */
export type RanOutput = OutputMemory | { readonly shape: readonly number[]; readonly handle: number };

export interface FetchedMessage {
  readonly kind: "fetched";
  readonly request: number;
  readonly data: ArrayBuffer;
}

export interface DescribedMessage {
  readonly kind: "described";
  readonly request: number;
  /** As in `LoweringContext`. */
  readonly blockedChannels: number | undefined;
}

/** A model that ONNX Runtime rejects, or a run that failed, with its error message. */
export interface FailedMessage {
  readonly kind: "failed";
  readonly request: number;
  readonly reason: string;
}

export type DeviceAnswer =
  | StartedMessage
  | MadeMessage
  | RanMessage
  | FetchedMessage
  | DescribedMessage
  | FailedMessage;
