/**
 * What is known of an op beyond how it computes. It is said once, with the op's kernel, and read from the registry: by the
 * executor, and by the master, which places, cuts and rewrites graphs. What is not given does not hold. What every reader of
 * a graph has to know, with or without kernels, is in graph/structural-ops.ts.
 */
export interface OpFacts {
  /** A live node may leave an output without a value, as a Switch leaves one of its two. */
  readonly leavesDead?: true;
  /** Output 0 is input 0 as it is, so that a resource handle behind the node is the one before it. */
  readonly passesHandle?: true;
  /** The node decides whether a loop goes on. */
  readonly isLoopCondition?: true;
  /** The node's one output is the tensor of its attribute "value". */
  readonly isConstant?: true;
  /** The node cannot run: a client has to feed it. */
  readonly isPlaceholder?: true;
  /** Only the shape of the input counts, so the node is best placed where the input is. */
  readonly readsShapeOnly?: true;
  /** The node works together with nodes of other tasks, which have to be in the same step. */
  readonly isCollective?: true;
}

/** Says what is known of an op: a registry of kernels. */
export interface OpFactsSource {
  /** The facts of an op; none of an op that is not registered. */
  facts(op: string): OpFacts;
}
