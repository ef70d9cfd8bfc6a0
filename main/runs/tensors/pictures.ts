/** Parts of a tensor reduced to as many points as a window can draw. */
import type { HeatMap, TensorImage, TensorLines, TopScores } from "../../api/tensors.js";
import { MAX_LINES, MAX_PICTURE_SIDE } from "../../api/tensors.js";
import { defined, problem } from "../../shared/problems.js";
import { eachNumber, type NumberGrid } from "./elements.js";
import type { Progressing } from "./jobs.js";

/** Each cell is the mean of the finite elements in it. */
export function* heatMapOf(
  grid: NumberGrid,
  most: { readonly width: number; readonly height: number },
): Progressing<Omit<HeatMap, "step">> {
  const { rows, columns } = grid;
  const width = Math.min(columns, most.width);
  const height = Math.min(rows, most.height);
  const sums = new Float64Array(width * height);
  const counts = new Uint32Array(width * height);
  const columnCells = Uint32Array.from({ length: columns }, (_, column) =>
    Math.floor((column * width) / columns),
  );
  yield* eachNumber(grid, (value, row, column) => {
    if (value - value !== 0) return;
    const cell = Math.floor((row * height) / rows) * width + (columnCells[column] ?? 0);
    sums[cell] = (sums[cell] ?? 0) + value;
    counts[cell] = (counts[cell] ?? 0) + 1;
  });
  let min = Infinity;
  let max = -Infinity;
  const cells = new Float32Array(width * height);
  for (let cell = 0; cell < cells.length; cell += 1) {
    const mean = (sums[cell] ?? 0) / (counts[cell] ?? 0);
    cells[cell] = mean;
    if (mean < min) min = mean;
    if (mean > max) max = mean;
  }
  const range = min <= max ? { min, max } : undefined;
  return defined({ rows, columns, width, height, cells: new Uint8Array(cells.buffer), range });
}

/**
 * @param grid rows are rows of pixels; columns are pixels times channels, the channels side by side
 * @param channels 1, 3 or 4
 */
export function* imageOf(
  grid: NumberGrid,
  channels: number,
  given: { readonly low: number; readonly high: number } | undefined,
): Progressing<Omit<TensorImage, "step">> {
  const fullHeight = grid.rows;
  const fullWidth = grid.columns;
  const every = Math.max(1, Math.ceil(Math.max(fullWidth, fullHeight) / MAX_PICTURE_SIDE));
  const { low, high } = given ?? (yield* valueRange(grid, channels));
  const width = Math.ceil(fullWidth / every);
  const height = Math.ceil(fullHeight / every);
  const rgba = new Uint8Array(4 * width * height);
  const scale = high > low ? 255 / (high - low) : 0;
  const byteOf = (value: number) => Math.max(0, Math.min(255, Math.round((value - low) * scale)));
  for (let y = 0; y < height; y += 1) {
    const offset = grid.offsetOfRow(y * every);
    for (let x = 0; x < width; x += 1) {
      const first = offset + x * every * grid.columnStride;
      const at = 4 * (y * width + x);
      for (let channel = 0; channel < 3; channel += 1) {
        rgba[at + channel] = byteOf(grid.numberAt(first + (channels === 1 ? 0 : channel)));
      }
      rgba[at + 3] = channels === 4 ? byteOf(grid.numberAt(first + 3)) : 255;
    }
    yield 0.5 + (0.5 * y) / height;
  }
  return { width, height, fullWidth, fullHeight, channels, rgba, low, high };
}

/** From the lowest to the highest finite element, or 0 to 1 if all are between. */
function* valueRange(grid: NumberGrid, channels: number): Progressing<{ low: number; high: number }> {
  let low = Infinity;
  let high = -Infinity;
  for (let channel = 0; channel < channels; channel += 1) {
    const numberAt = (index: number) => grid.numberAt(index + channel);
    yield* eachNumber(
      { ...grid, numberAt },
      (value) => {
        if (value - value !== 0) return;
        if (value < low) low = value;
        if (value > high) high = value;
      },
      (0.5 * channel) / channels,
      0.5 / channels,
    );
  }
  if (low > high || (low >= 0 && high <= 1)) return { low: 0, high: 1 };
  return { low, high };
}

/** A line per row; of elements that share a point, the lowest and the highest. */
export function* linesOf(grid: NumberGrid, mostPoints: number): Progressing<Omit<TensorLines, "step">> {
  const { rows, columns } = grid;
  const elementsPerPoint = Math.max(1, Math.ceil(columns / mostPoints));
  const points = Math.ceil(columns / elementsPerPoint);
  const drawn = Math.min(rows, MAX_LINES);
  const lines = Array.from({ length: drawn }, () => ({
    low: new Array<number>(points).fill(Number.NaN),
    high: new Array<number>(points).fill(Number.NaN),
  }));
  yield* eachNumber({ ...grid, rows: drawn }, (value, row, column) => {
    const line = lines[row];
    if (line === undefined || value - value !== 0) return;
    const point = Math.floor(column / elementsPerPoint);
    const { low, high } = line;
    if (!((low[point] ?? Number.NaN) <= value)) low[point] = value;
    if (!((high[point] ?? Number.NaN) >= value)) high[point] = value;
  });
  return { lines, elementsPerPoint, rows, columns };
}

/** @throws ProblemError OUT_OF_RANGE if there is no such row. */
export function* topOf(
  grid: NumberGrid,
  row: number,
  count: number,
  textAt: (index: number) => string,
): Progressing<Omit<TopScores, "step">> {
  if (row >= grid.rows) throw problem("OUT_OF_RANGE", `There are ${grid.rows} rows; ${row} is none of them.`);
  const offset = grid.offsetOfRow(row);
  const best: { index: number; value: number }[] = [];
  let sum = 0;
  yield* eachNumber({ ...grid, rows: 1, offsetOfRow: () => offset }, (value, _, index) => {
    if (Number.isNaN(value)) return;
    sum += value;
    const least = best.at(-1);
    if (best.length === count && least !== undefined && value <= least.value) return;
    let place = best.length;
    while (place > 0 && value > (best[place - 1]?.value ?? Infinity)) place -= 1;
    best.splice(place, 0, { index, value });
    best.length = Math.min(best.length, count);
  });
  const top = best.map((score) => ({
    ...score,
    text: textAt(offset + score.index * grid.columnStride),
  }));
  return { top, rest: best.reduce((left, { value }) => left - value, sum), columns: grid.columns };
}
