import type { ClusterSpec } from "../cluster-spec.js";

/** A cluster in the file of another system. */
export interface FoundCluster {
  readonly cluster: ClusterSpec;
  /** Sentences that say where in the file it was read, and what was assumed. */
  readonly notes: readonly string[];
}
