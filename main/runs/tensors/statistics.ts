import type { TensorStatistics } from "../../api/tensors.js";
import { defined } from "../../shared/problems.js";
import { eachNumber, type NumberGrid } from "./elements.js";
import type { Progressing } from "./jobs.js";

/** Figures of a part of a tensor and the histogram of its finite elements. */
export function* statisticsOf(
  grid: NumberGrid,
  binCount: number,
): Progressing<Omit<TensorStatistics, "step">> {
  let nan = 0;
  let positiveInfinity = 0;
  let negativeInfinity = 0;
  let zeros = 0;
  let finite = 0;
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  yield* eachNumber(
    grid,
    (value) => {
      if (value - value !== 0) {
        if (value === Infinity) positiveInfinity += 1;
        else if (value === -Infinity) negativeInfinity += 1;
        else nan += 1;
        return;
      }
      finite += 1;
      sum += value;
      if (value === 0) zeros += 1;
      if (value < min) min = value;
      if (value > max) max = value;
    },
    0,
    0.5,
  );
  const counts = { count: grid.rows * grid.columns, nan, positiveInfinity, negativeInfinity, zeros };
  if (finite === 0) return { ...counts, bins: [] };
  const mean = sum / finite;
  const bins = new Array<number>(binCount).fill(0);
  const binOf = binning(min, max, binCount);
  // Squares of differences from the mean: the difference of two sums of squares would lose the digits.
  let squares = 0;
  yield* eachNumber(
    grid,
    (value) => {
      if (value - value !== 0) return;
      squares += (value - mean) ** 2;
      const bin = binOf(value);
      bins[bin] = (bins[bin] ?? 0) + 1;
    },
    0.5,
    0.5,
  );
  return defined({ ...counts, finite: { min, max, mean, std: Math.sqrt(squares / finite) }, bins });
}

/** The bin of a value as in numpy.histogram: each without its upper end, except the last. */
function binning(min: number, max: number, count: number): (value: number) => number {
  // All values are equal: NumPy takes half a unit on both sides.
  const [low, high] = min === max ? [min - 0.5, max + 0.5] : [min, max];
  const width = (high - low) / count;
  const edge = (bin: number) => (bin === count ? high : low + bin * width);
  return (value) => {
    // Halved, because the difference of two finite numbers can be infinite.
    const share = (value / 2 - low / 2) / (high / 2 - low / 2);
    const bin = Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    // Rounding may miss the right bin by one.
    if (bin > 0 && value < edge(bin)) return bin - 1;
    return bin < count - 1 && value >= edge(bin + 1) ? bin + 1 : bin;
  };
}
