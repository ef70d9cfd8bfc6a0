/**
 * Exponential moving average without the bias towards its start, as TensorBoard smooths: values that are not finite are
 * left as they are and do not count.
 *
 * @param weight of what was before, from 0 to below 1
 */
export function smooth(values: readonly number[], weight: number): number[] {
  let last = 0;
  let count = 0;
  return values.map((value) => {
    if (weight === 0 || !Number.isFinite(value)) return value;
    last = last * weight + (1 - weight) * value;
    count += 1;
    return last / (1 - weight ** count);
  });
}
