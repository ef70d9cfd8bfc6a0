import type { Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { integers, type OpGradient } from "./gradient.js";

/**
 * The dimensions of a result along which an operand was broadcast, counted from the front; undefined if that is known
 * only in a run.
 * @param other the other operand, or the result itself
 */
export function broadcastAxes(
  x: Shape | undefined,
  result: Shape | undefined,
  other: Shape | undefined,
): readonly number[] | undefined {
  if (!x || !result) return undefined;
  const axes: number[] = [];
  for (const [axis, size] of result.entries()) {
    const own = axis - result.length + x.length;
    const mine = own < 0 ? 1 : (x[own] ?? 1);
    if (mine === 1) {
      // To sum over a dimension of size 1 changes nothing, so an unknown size is summed over, too.
      if (own < 0 || size !== 1) axes.push(axis);
      continue;
    }
    if (mine > 1) continue;
    const at = other ? axis - result.length + other.length : -1;
    const decided = size === 1 || (other !== undefined && other !== result && (at < 0 || other[at] === 1));
    if (!decided) return undefined;
  }
  return axes;
}

/**
 * The gradient of an operand that was broadcast: summed over the dimensions along which it was.
 * @param gradient has the shape of the result
 * @param other the other operand, which often shows before a run that nothing was broadcast
 */
export function sumToShape(at: OpGradient, x: Output, gradient: Output, other?: Output): Output {
  const axes =
    other && sameKnownShape(x.shape, other.shape)
      ? []
      : broadcastAxes(x.shape, gradient.shape, other?.shape ?? gradient.shape);
  if (axes === undefined) {
    const sizes = at.graph.op("BroadcastGradientArgs", [at.shapeOf(x), at.shapeOf(gradient)]);
    return at.reshapeLike(at.call("Sum", [gradient, sizes.outputAt(0)]), x);
  }
  if (axes.length === 0) return gradient;
  const sum = at.call("Sum", [gradient, integers(at.graph, axes)]);
  const added = (gradient.shape?.length ?? 0) - (x.shape?.length ?? 0);
  return axes.length === added && axes.every((axis) => axis < added) ? sum : at.reshapeLike(sum, x);
}

/** Whether both shapes are known and equal. */
export function sameKnownShape(a: Shape | undefined, b: Shape | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.length === b.length &&
    a.every((size, i) => size === b[i] && size >= 0)
  );
}

/** The gradients of both operands of an op that broadcasts them, as far as they are wanted. */
export function ofBoth(at: OpGradient, first: () => Output, second: () => Output): (Output | undefined)[] {
  const [x, y] = [at.input(0), at.input(1)];
  return [
    at.wants(0) ? sumToShape(at, x, first(), y) : undefined,
    at.wants(1) ? sumToShape(at, y, second(), x) : undefined,
  ];
}
