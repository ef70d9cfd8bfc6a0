/**
 * The order in which Keras calls the layers of a model. It matters where a call changes what later ones see: attention takes
 * the masks from the tensors that it reads. Pure.
 */
import type { TensorRef } from "./model-config.js";

/** One call of a layer. */
export interface OrderedCall {
  /** Different for each call. */
  readonly key: string;
  readonly layer: string;
  /** The keys of the calls that make its tensors, in the order of its arguments. */
  readonly reads: readonly string[];
}

/**
 * As Keras 3 orders them (keras/src/ops/function.py, `map_graph`): those farthest from the outputs first, a call counting as
 * at least as far as the calls of its layer that are looked at before it; of those that are equally far, in the reverse order
 * of a search in depth from the outputs. Calls that no output needs come last.
 *
 * @param calls all calls, those of the inputs among them
 * @param keyOf the key of the call that makes a tensor
 */
export function callOrder<T extends OrderedCall>(
  calls: readonly T[],
  outputs: readonly TensorRef[],
  keyOf: (ref: TensorRef) => string,
): readonly T[] {
  const byKey = new Map(calls.map((call) => [call.key, call]));
  const depths = new Map<string, number>();
  const depthsOfLayers = new Map<string, number>();
  for (const { key, layer, reads } of fromInputs(byKey, outputs.map(keyOf)).reverse()) {
    const depth = Math.max(depths.get(key) ?? 0, depthsOfLayers.get(layer) ?? 0);
    depths.set(key, depth);
    depthsOfLayers.set(layer, depth);
    for (const read of reads) depths.set(read, Math.max(depths.get(read) ?? 0, depth + 1));
  }
  const needed = [...depths]
    .sort(([, one], [, other]) => other - one)
    .flatMap(([key]) => byKey.get(key) ?? []);
  return [...needed, ...calls.filter(({ key }) => !depths.has(key))];
}

/** The calls that some calls need, each after those that it reads. */
function fromInputs<T extends OrderedCall>(byKey: ReadonlyMap<string, T>, wanted: readonly string[]): T[] {
  const sorted: T[] = [];
  const seen = new Set<string>();
  /** The way from an output to the call that is looked at, with how many of its tensors were followed. */
  const way: { readonly call: T; followed: number }[] = [];
  const enter = (key: string) => {
    const call = byKey.get(key);
    if (!call || seen.has(key)) return;
    seen.add(key);
    way.push({ call, followed: 0 });
  };
  for (const key of wanted) {
    enter(key);
    for (let top = way.at(-1); top; top = way.at(-1)) {
      const next = top.call.reads[top.followed++];
      if (next !== undefined) {
        enter(next);
        continue;
      }
      sorted.push(top.call);
      way.pop();
    }
  }
  return sorted;
}
