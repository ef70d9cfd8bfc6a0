/** Shared parts of the rules: attributes, axes, sizes that may be unknown, and errors that name both shapes. */
import { invalidArgument, TensorFlowError } from "../../protocol/status.js";
import { allKnown } from "../known-ints.js";
import { type Shape, shapeLabel } from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import { tryDecodeUtf8 } from "../text-format/escapes.js";

/** The shapes of a node's outputs; missing ones are unknown. @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit */
export type ShapeRule = (context: ShapeContext) => readonly (Shape | undefined)[];
export type Rules = readonly (readonly [op: string, rule: ShapeRule])[];

/** One rule for several ops, with the ranks that some of their inputs must have, by the inputs' indices. */
export function forOps(ops: string, rule: ShapeRule, ranks: Readonly<Record<number, number>> = {}): Rules {
  const wanted = Object.entries(ranks).map(([index, rank]) => [Number(index), rank] as const);
  const checked: ShapeRule = (c) => {
    for (const [index, rank] of wanted) if (index < c.inputShapes.length) ofRank(c, index, rank);
    return rule(c);
  };
  return ops.split(" ").map((op) => [op, wanted.length === 0 ? rule : checked] as const);
}

/** The node in errors; the window replaces it by the node's name. */
export function what(context: ShapeContext): string {
  return `${context.op} node "${context.node}"`;
}

export function misfit(context: ShapeContext, text: string): Error {
  return invalidArgument(`${what(context)}: ${text}`);
}

/** Computes something of the node; the errors are those of its op, with the node's name. */
export function within<T>(context: ShapeContext, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw error instanceof TensorFlowError ? misfit(context, error.message) : error;
  }
}

export function nameOf(context: ShapeContext, index: number): string {
  return context.inputName?.(index) ?? `input ${index}`;
}

/** The node in errors about its first two inputs, with their names where these are known. */
export function whatOfBoth(context: ShapeContext): string {
  if (context.inputName === undefined) return what(context);
  return `${what(context)}: ${nameOf(context, 0)} and ${nameOf(context, 1)}`;
}

export function intAttr(context: ShapeContext, name: string): number | undefined {
  const value = context.attr(name)?.value;
  return value?.$case === "i" ? Number(value.value) : undefined;
}

export function boolAttr(context: ShapeContext, name: string): boolean {
  const value = context.attr(name)?.value;
  return value?.$case === "b" && value.value;
}

export function textAttr(context: ShapeContext, name: string): string | undefined {
  const value = context.attr(name)?.value;
  return value?.$case === "s" ? tryDecodeUtf8(value.value) : undefined;
}

export function intsAttr(context: ShapeContext, name: string): readonly number[] {
  const value = context.attr(name)?.value;
  return value?.$case === "list" ? value.value.i.map(Number) : [];
}

/** All integers of an input; undefined unless each is known. */
export function constantInts(context: ShapeContext, index: number): readonly number[] | undefined {
  return allKnown(context.knownInts(index));
}

/** The single integer of an input. */
export function constantInt(context: ShapeContext, index: number): number | undefined {
  return context.knownInts(index)?.elements[0];
}

/** An axis counted from the front. */
export function axisOf(context: ShapeContext, axis: number, rank: number): number {
  if (axis < -rank || axis >= rank) {
    throw misfit(context, `axis ${axis} is not one of a shape with ${rank} dimensions.`);
  }
  return axis < 0 ? axis + rank : axis;
}

/** An input's shape, which must have this rank; of an unknown one all sizes are unknown. */
export function ofRank(context: ShapeContext, index: number, rank: number): Shape {
  const shape = context.inputShapes[index];
  if (!shape) return unknownSizes(rank);
  if (shape.length !== rank) {
    throw misfit(
      context,
      `${nameOf(context, index)} must have ${dimensions(rank)}, but its shape is ${shapeLabel(shape)}.`,
    );
  }
  return shape;
}

/** An input's shape, which must have this rank or more. */
export function ofRankAtLeast(context: ShapeContext, index: number, rank: number): Shape | undefined {
  const shape = context.inputShapes[index];
  if (shape && shape.length < rank) {
    throw misfit(
      context,
      `${nameOf(context, index)} must have at least ${dimensions(rank)}, but its shape is ${shapeLabel(shape)}.`,
    );
  }
  return shape;
}

function dimensions(count: number): string {
  if (count === 0) return "no dimensions";
  return count === 1 ? "1 dimension" : `${count} dimensions`;
}

export function unknownSizes(rank: number): Shape {
  return new Array<number>(rank).fill(-1);
}

/** The size that two must share. `text` says what is compared if they differ. */
export function sameSize(context: ShapeContext, a: number, b: number, text: () => string): number {
  if (a >= 0 && b >= 0 && a !== b) throw misfit(context, text());
  return a >= 0 ? a : b;
}

/** How many there are, given by an input; -1 if it is unknown. */
export function countFrom(context: ShapeContext, index: number): number {
  ofRank(context, index, 0);
  const count = constantInt(context, index) ?? -1;
  if (count < 0 && constantInt(context, index) !== undefined) {
    throw misfit(context, `${nameOf(context, index)} must not be negative, but is ${count}.`);
  }
  return count;
}

/** A size of a shape that may be unknown; negative axes count from the end. */
export function sizeAt(shape: Shape | undefined, axis: number): number {
  return shape?.at(axis) ?? -1;
}

export function plus(a: number, b: number): number {
  return a < 0 || b < 0 ? -1 : a + b;
}

export function times(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return a < 0 || b < 0 ? -1 : a * b;
}

/** A shape given by an input's integers, -1 among them unknown; by their number if they are unknown themselves. */
export function shapeFromInput(context: ShapeContext, index: number): Shape | undefined {
  const ints = context.knownInts(index);
  if (ints?.rank === 1) return ints.elements.map((size) => size ?? -1);
  if (ints?.rank === 0) return undefined;
  const vector = ofRank(context, index, 1);
  const rank = vector[0] ?? -1;
  return rank >= 0 ? unknownSizes(rank) : undefined;
}
