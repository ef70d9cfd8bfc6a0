import type { OutputSize } from "./trace-record.js";

/** One run of one node of the user's graph. */
export interface NodeTiming {
  /** The user's node. */
  readonly node: string;
  /** The name under which it was recorded; differs where TensorFlow rewrote the graph. */
  readonly recordedName: string;
  readonly op: string;
  readonly inputs: readonly string[];
  readonly device: string;
  /** From the start of the step, with the tasks' clocks brought in line. May have a fraction. */
  readonly startMicros: number;
  readonly durationMicros: number;
  /** Bytes of all outputs together. */
  readonly outputBytes: number;
  readonly outputs: readonly OutputSize[];
  readonly threadId: number;
}

/** A tensor that one task fetched from another. */
export interface TransferTiming {
  /** "x:0", or "" where the trace does not say. */
  readonly tensor: string;
  readonly fromDevice: string;
  readonly toDevice: string;
  readonly startMicros: number;
  readonly durationMicros: number;
  /** Undefined where nothing says. */
  readonly bytes: number | undefined;
  /**
   * True for what the receiver recorded. False where the graph and its nodes' places say that the tensor went: the times
   * are then from the end of the node that made it to the start of the first that read it.
   */
  readonly timed: boolean;
}
