import type { OutputSize } from "./trace-record.js";

/** One run of one node of the user's graph. */
export interface NodeTiming {
  /** The user's node. */
  readonly node: string;
  /** The name under which it was recorded; differs if TensorFlow rewrote the graph. */
  readonly recordedName: string;
  readonly op: string;
  readonly inputs: readonly string[];
  readonly device: string;
  /** From the start of the step, with the tasks' clocks aligned. May have a fraction. */
  readonly startMicros: number;
  readonly durationMicros: number;
  /** How many nodes ran as one with it: its time is its share of theirs. Undefined if it ran alone. */
  readonly together: number | undefined;
  /** Total bytes of all outputs. */
  readonly outputBytes: number;
  /** The most that it held at one time of what it allocated itself; undefined if it recorded no allocation. */
  readonly peakBytes: number | undefined;
  readonly outputs: readonly OutputSize[];
  readonly threadId: number;
}

/** A tensor that one task fetched from another, or a copy between a GPU and its host. */
export interface TransferTiming {
  /** "x:0"; the node alone, "x", for what a collective op received; "^x" for a control edge; "MEMCPYHtoD" or "MEMCPYDtoH" for a copy; "" if not in the trace. */
  readonly tensor: string;
  readonly fromDevice: string;
  readonly toDevice: string;
  readonly startMicros: number;
  readonly durationMicros: number;
  /** Undefined if unknown. */
  readonly bytes: number | undefined;
  /** It carried what the client fed or fetched: no node of the receiving task reads it. */
  readonly forClient?: true;
  /**
   * True if the receiver recorded it. False if it was inferred from the graph and the placement of its nodes: it then
   * spans from the end of the node that computed it to the start of the first that read it, or the time of a collective op.
   */
  readonly timed: boolean;
}
