import { parseEdge } from "../graph/edge.js";

/**
 * The operations that a step runs for their effect, in the form in which TensorFlow's master tells steps apart.
 *
 * It keeps a part of the graph for each kind of step, under a hash of the names fed, run and fetched, one after the other
 * (HashBuildGraphOptions in master_session.cc): feeding x:0 and fetching z:0 looks to it like fetching both, and it runs
 * the part that is kept for that. A name between them that can be neither fed nor fetched prevents it, and the node of a
 * fetched tensor is run in any case.
 *
 * @param fetches those that are not fed.
 */
export function stepTargets(
  fed: readonly string[],
  targets: readonly string[],
  fetches: readonly string[],
): readonly string[] {
  const [fetched] = fetches;
  if (fed.length === 0 || targets.length > 0 || fetched === undefined) {
    return targets;
  }
  return [parseEdge(fetched).node];
}
