/** How a map came from another one. That one is not kept for it. */
interface Origin {
  readonly before: WeakRef<object>;
  readonly keys: readonly unknown[];
}

const origins = new WeakMap<object, Origin>();

/** Notes that two maps differ in no more than these keys, so that `differingKeys` need not look at all of them. */
export function noteChange<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  keys: readonly K[],
): void {
  if (before !== after) origins.set(after, { before: new WeakRef(before), keys });
}

/** So many changes in turn are followed back. */
const MAX_CHANGES = 100;

/**
 * A result of a map, remembered as long as the map is there. That of a changed map is adapted from the one before the
 * change, if that is known.
 *
 * @param adapt gets the result of `before` and the keys in which the maps may differ; undefined: it cannot be adapted
 */
export function rememberedOf<K, V, T>(
  whole: (map: ReadonlyMap<K, V>) => T,
  adapt: (known: T, before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>, keys: readonly K[]) => T | undefined,
): (map: ReadonlyMap<K, V>) => T {
  const results = new WeakMap<ReadonlyMap<K, V>, { readonly value: T }>();
  return (map) => {
    const known = results.get(map);
    if (known) return known.value;
    const origin = origins.get(map);
    const before = origin?.before.deref() as ReadonlyMap<K, V> | undefined;
    const earlier = before && results.get(before);
    const adapted = earlier && origin && adapt(earlier.value, before, map, origin.keys as readonly K[]);
    const value = adapted ?? whole(map);
    results.set(map, { value });
    return value;
  };
}

/** Keys in which two maps may differ, as far as it was noted how one came from the other. */
function notedKeys<K, V>(before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>): Set<K> | undefined {
  const keys = new Set<unknown>();
  let map: object | undefined = after;
  for (let count = 0; map !== undefined && map !== before; count++) {
    const origin: Origin | undefined = count < MAX_CHANGES ? origins.get(map) : undefined;
    for (const key of origin?.keys ?? []) keys.add(key);
    map = origin?.before.deref();
  }
  return map === before ? (keys as Set<K>) : undefined;
}

/**
 * Keys that only one of two maps has, or that have another value in each. Most edits keep the order, and walking both
 * maps in step costs a tenth of looking up every key.
 */
export function differingKeys<K, V>(before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>): K[] {
  if (before === after) return [];
  const noted = notedKeys(before, after);
  if (noted) {
    return [...noted].filter(
      (key) => before.get(key) !== after.get(key) || before.has(key) !== after.has(key),
    );
  }
  const keys: K[] = [];
  let stayed = 0;
  const steps = before.entries();
  let step = steps.next().value;
  for (const [key, value] of after) {
    while (step && step[0] !== key && !after.has(step[0])) step = steps.next().value;
    const isInStep = step?.[0] === key;
    if (isInStep || before.has(key)) stayed++;
    else keys.push(key);
    if (step && isInStep) {
      if (step[1] !== value) keys.push(key);
      step = steps.next().value;
    } else if (before.has(key) && before.get(key) !== value) keys.push(key);
  }
  if (stayed < before.size) for (const key of before.keys()) if (!after.has(key)) keys.push(key);
  return keys;
}
