import { broadcastStrides, productOf, sameShape } from "./shapes.js";

/**
 * Visits a run of the result along which each operand either advances by one element or stays in place.
 * Element i of the run is out[outStart + i], x[xStart + i * xStep], y[yStart + i * yStep]; steps are 0 or 1.
 */
export type VisitRun = (
  outStart: number,
  xStart: number,
  xStep: number,
  yStart: number,
  yStep: number,
  length: number,
) => void;

interface Axis {
  size: number;
  xStride: number;
  yStride: number;
}

/** The axes of a broadcast, with adjacent axes merged where they can be walked as one. */
function mergedAxes(x: readonly number[], y: readonly number[], target: readonly number[]): Axis[] {
  const xStrides = broadcastStrides(x, target);
  const yStrides = broadcastStrides(y, target);
  const axes: Axis[] = [];
  for (const [i, size] of target.entries()) {
    if (size === 1) {
      continue;
    }
    const axis = { size, xStride: xStrides[i] ?? 0, yStride: yStrides[i] ?? 0 };
    const outer = axes.at(-1);
    if (
      outer !== undefined &&
      outer.xStride === axis.xStride * size &&
      outer.yStride === axis.yStride * size
    ) {
      outer.size *= size;
      outer.xStride = axis.xStride;
      outer.yStride = axis.yStride;
    } else {
      axes.push(axis);
    }
  }
  return axes;
}

/**
 * Walks a broadcast of two operands in runs as long as possible, in the order of the result.
 * @param target the broadcast shape of both operands.
 */
export function forEachRun(
  x: readonly number[],
  y: readonly number[],
  target: readonly number[],
  visit: VisitRun,
): void {
  if (target.includes(0)) {
    return;
  }
  // Most operands do not broadcast; in particular, loop counters and conditions are two scalars.
  if (sameShape(x, y)) {
    visit(0, 0, 1, 0, 1, productOf(target));
    return;
  }
  const axes = mergedAxes(x, y, target);
  const inner = axes.pop() ?? { size: 1, xStride: 0, yStride: 0 };
  const index = new Int32Array(axes.length);
  let xStart = 0;
  let yStart = 0;
  let outStart = 0;
  for (;;) {
    visit(outStart, xStart, inner.xStride, yStart, inner.yStride, inner.size);
    outStart += inner.size;
    let depth = axes.length - 1;
    for (; depth >= 0; depth -= 1) {
      const axis = axes[depth];
      if (axis === undefined) {
        return;
      }
      const next = (index[depth] ?? 0) + 1;
      xStart += axis.xStride;
      yStart += axis.yStride;
      if (next < axis.size) {
        index[depth] = next;
        break;
      }
      index[depth] = 0;
      xStart -= axis.xStride * axis.size;
      yStart -= axis.yStride * axis.size;
    }
    if (depth < 0) {
      return;
    }
  }
}
