/** How a graph that was made trainable is trained: what a document keeps of it, and a run needs. */

/** How several workers share one model. */
export const SCHEMES = ["single", "in-graph", "async", "sync", "ring"] as const;
export type Scheme = (typeof SCHEMES)[number];

/** The tensors that the client of an asynchronous step reads: the counter of steps before and after it. */
export interface AsyncStep {
  readonly before: string;
  readonly after: string;
}

/**
 * The parts of a synchronous step. Each worker runs `give`; once all have, one of them runs the update, for which
 * `required` is fed with the number of gradients that are averaged.
 */
export interface SyncStep {
  /** Operation: computes gradients and adds them to the accumulators. */
  readonly give: string;
  readonly required: string;
  /** For each accumulator, the tensor that says how many gradients it holds. */
  readonly counts: readonly string[];
  /** For each accumulator, the operation that takes their mean out. */
  readonly takes: readonly string[];
  /** Operation: has the accumulators accept the gradients of the current step. */
  readonly begin: string;
}

/** The fetches that tell if variables have values. */
export interface ReadyCheck {
  /** A tensor of one boolean for each of `initializers`. */
  readonly checks: string;
  /** The operations that give the variables their first values. */
  readonly initializers: readonly string[];
}

export interface TrainingPlan {
  readonly scheme: Scheme;
  /** The tensor to watch. */
  readonly loss: string;
  /** The operation that makes one step. */
  readonly train: string;
  /** The operation that gives every variable its first value. */
  readonly init: string;
  readonly ready: ReadyCheck;
  /** The node of the counter of steps. */
  readonly globalStep: string;
  /** The tensor whose rows are the examples of a step; absent if none was named. */
  readonly examples?: string | undefined;
  /** "worker/0", in order; empty for a single worker. */
  readonly workers: readonly string[];
  readonly asynchronous?: AsyncStep | undefined;
  readonly synchronous?: SyncStep | undefined;
}

/** Whether every worker runs a copy of the graph of its own, in a session of its own. */
export function isBetweenGraph({ scheme }: Pick<TrainingPlan, "scheme">): boolean {
  return scheme === "async" || scheme === "sync";
}
