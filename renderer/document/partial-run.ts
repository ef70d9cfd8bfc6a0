/** Runs of a part of the graph: what selected nodes need, or these nodes alone. */
import { indexOf, sourcesOf } from "../../worker-runtime/graph/graph-index.js";
import type { GraphDocument } from "./model.js";
import type { RunInputs } from "./run-inputs.js";
import { joinRunnable, type Runnable, runnableOf } from "./runnable-names.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { parseTensorName, tensorName } from "./tensor-names.js";

/** The outputs of selected nodes; none that is fed, which cannot be fetched. */
export function runnablesOf(
  document: GraphDocument,
  lookup: OpLookup,
  names: readonly string[],
): Pick<RunInputs, "fetches" | "targets"> {
  const { feeds } = document.runConfig;
  const all = names
    .map((name) => runnableOf(document, lookup, name))
    .reduce<Runnable>(joinRunnable, { fetches: [], targets: [] });
  return {
    fetches: all.fetches.filter((tensor) => feeds[tensor] === undefined),
    targets: [...all.targets],
  };
}

/** The tensors that selected nodes read from others. */
export interface Boundary {
  /** They have a value of an earlier run, which is fed. */
  readonly reused: readonly string[];
  /** They have none. */
  readonly missing: readonly string[];
}

/**
 * Constants, variables and what is fed are no boundary: the engine computes them at once.
 *
 * @param known whether an earlier run fetched a tensor
 */
export function boundaryOf(
  document: GraphDocument,
  lookup: OpLookup,
  names: readonly string[],
  known: (tensor: string) => boolean,
): Boundary {
  const index = indexOf(document.nodes);
  const selected = new Set(names);
  const reused = new Set<string>();
  const missing = new Set<string>();
  for (const name of names) {
    for (const source of sourcesOf(index, name)) {
      if (source.output < 0 || selected.has(source.node)) continue;
      const tensor = tensorName(source.node, source.output);
      if (document.runConfig.feeds[tensor] !== undefined || isAtHand(document, lookup, tensor)) continue;
      (known(tensor) ? reused : missing).add(tensor);
    }
  }
  return { reused: [...reused], missing: [...missing] };
}

/** Whether a tensor needs no computing, or is a reference that cannot be fed. */
function isAtHand(document: GraphDocument, lookup: OpLookup, tensor: string): boolean {
  const { node, output } = parseTensorName(tensor);
  const def = document.nodes.get(node);
  if (!def) return true;
  const signature = signatureOf(def, lookup);
  const runnable = runnableOf(document, lookup, node).fetches.includes(tensor);
  return def.op === "Const" || !runnable || signature?.outputs[output]?.isRef === true;
}
