/**
 * The facts about an op apart from how it computes. Facts are defined once, with the op's kernel, and read from the
 * registry: by the executor, and by the master, which places, partitions and rewrites graphs. Omitted facts are false.
 * Facts that every reader of a graph has to know, with or without kernels, are in graph/structural-ops.ts.
 */
export interface OpFacts {
  /** A live node may leave an output without a value, as a Switch leaves one of its two. */
  readonly leavesDead?: true;
  /** Output 0 is input 0 unchanged, so a resource handle after the node is the same as before it. */
  readonly passesHandle?: true;
  /** Output 0 is the value of the variable that input 0 names. */
  readonly readsVariable?: true;
  /** The node decides whether a loop continues. */
  readonly isLoopCondition?: true;
  /** The node's only output is the tensor in its attribute "value". */
  readonly isConstant?: true;
  /** The node cannot run: a client has to feed it. */
  readonly isPlaceholder?: true;
  /** Only the shape of the input matters, so the node is best placed on its input's device. */
  readonly readsShapeOnly?: true;
  /** The node works together with nodes of other tasks, which must run in the same step. */
  readonly isCollective?: true;
  /** The node has no effect except on the order of other nodes. */
  readonly doesNothing?: true;
  /**
   * The node waits only for its inputs and for incomplete updates of a variable, not for other nodes of the step, other
   * tasks or the client. Only relevant for ops with a stateful kernel; pure ones never wait.
   */
  readonly neverWaits?: true;
  /**
   * The kernel is done with the memory of its input tensors when it returns, or when the promise that it returns is
   * settled: it keeps none of it, nor gives it as an output. Only relevant for stateful kernels; no pure one keeps any.
   */
  readonly keepsNoInput?: true;
  /** The kernel reads or changes single rows of its variables where they are on the host. */
  readonly usesRows?: true;
  /**
   * The kernel accepts tensors in a device's memory: it reads no elements, and keeps no tensor after its run, except in
   * a variable.
   */
  readonly takesDeviceTensors?: true;
}

/** A source of facts about ops: a registry of kernels. */
export interface OpFactsSource {
  /** The facts of an op; empty for an op that is not registered. */
  facts(op: string): OpFacts;
}
