/** Parts of a tensor, written as in NumPy: "[2, 1, :, 8:16]". Pure; the window and the application share it. */
import { invalidArgument } from "./status.js";

/** Every `step`-th index of a dimension from `from` up to, not including, `to`. */
export interface IndexRange {
  readonly from: number;
  readonly to: number;
  /** At least 1. */
  readonly step: number;
}

/** The selected part of each dimension: one index, which drops the dimension, or a range, which keeps it. */
export type Selection = readonly (number | IndexRange)[];

/** A selection as rows and columns: one kept dimension runs across, all others down, the last of them fastest. */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** The dimension that runs across; undefined if none does. */
  readonly columnAxis: number | undefined;
  /** The kept dimensions that run down, outermost first. */
  readonly rowAxes: readonly number[];
  /** Distance between neighbouring columns, in elements of the tensor. */
  readonly columnStride: number;
  /** The position of a row's first element in the tensor, in row-major order. */
  offsetOfRow(row: number): number;
  /** The indices of a cell in the tensor. */
  indicesOf(row: number, column: number): number[];
}

/** Everything. */
export function wholeOf(shape: readonly number[]): Selection {
  return shape.map((size) => ({ from: 0, to: size, step: 1 }));
}

/** Whether a selection takes every element in the tensor's own order. */
export function isWhole(selection: Selection, shape: readonly number[]): boolean {
  return selection.every(
    (part, axis) => typeof part === "object" && part.from === 0 && part.step === 1 && part.to === shape[axis],
  );
}

/** How many indices a range takes. */
export function rangeLength({ from, to, step }: IndexRange): number {
  return Math.max(0, Math.ceil((to - from) / step));
}

/** The dimensions that a selection keeps. */
export function keptAxes(selection: Selection): number[] {
  return selection.flatMap((part, axis) => (typeof part === "number" ? [] : [axis]));
}

/** The shape of what a selection takes. */
export function selectionShape(selection: Selection): number[] {
  return selection.flatMap((part) => (typeof part === "number" ? [] : [rangeLength(part)]));
}

/**
 * @throws TensorFlowError INVALID_ARGUMENT for another number of dimensions, and for indices outside the tensor
 */
export function checkSelection(selection: Selection, shape: readonly number[]): void {
  if (selection.length !== shape.length) {
    throw invalidArgument(
      `A selection of ${selection.length} dimensions does not fit a tensor of ${shape.length} dimensions.`,
    );
  }
  selection.forEach((part, axis) => {
    const size = shape[axis] ?? 0;
    const { from, to, step } = typeof part === "number" ? { from: part, to: part + 1, step: 1 } : part;
    const valid = [from, to, step].every(Number.isSafeInteger) && from >= 0 && to <= size && step >= 1;
    if (valid) return;
    throw invalidArgument(`Dimension ${axis} has ${size} indices; ${partText(part, -1)} is not within them.`);
  });
}

/**
 * Lays a selection out as rows and columns.
 *
 * @param columnAxis the dimension that runs across, null for none; by default the last that is kept
 * @throws TensorFlowError INVALID_ARGUMENT if the selection does not fit the shape, or does not keep `columnAxis`
 */
export function gridOf(shape: readonly number[], selection: Selection, columnAxis?: number | null): Grid {
  checkSelection(selection, shape);
  const kept = keptAxes(selection);
  const across = columnAxis === null ? undefined : (columnAxis ?? kept.at(-1));
  if (across !== undefined && !kept.includes(across)) {
    throw invalidArgument(`Dimension ${across} cannot run across: the selection does not keep it.`);
  }
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const partOf = (axis: number): IndexRange => {
    const part = selection[axis] ?? 0;
    return typeof part === "number" ? { from: part, to: part + 1, step: 1 } : part;
  };
  const rowAxes = kept.filter((axis) => axis !== across);
  const sizes = rowAxes.map((axis) => rangeLength(partOf(axis)));
  const steps = rowAxes.map((axis) => partOf(axis).step * (strides[axis] ?? 1));
  const base = selection.reduce<number>((sum, _, axis) => sum + partOf(axis).from * (strides[axis] ?? 1), 0);
  const offsetOfRow = (row: number) => {
    let offset = base;
    let rest = row;
    for (let i = rowAxes.length - 1; i >= 0; i -= 1) {
      const size = sizes[i] ?? 1;
      offset += (rest % size) * (steps[i] ?? 0);
      rest = Math.floor(rest / size);
    }
    return offset;
  };
  const columnStride = across === undefined ? 0 : partOf(across).step * (strides[across] ?? 1);
  return {
    rows: sizes.reduce((product, size) => product * size, 1),
    columns: across === undefined ? 1 : rangeLength(partOf(across)),
    columnAxis: across,
    rowAxes,
    columnStride,
    offsetOfRow,
    indicesOf: (row, column) => {
      let rest = offsetOfRow(row) + column * columnStride;
      return strides.map((stride) => {
        const index = Math.floor(rest / stride);
        rest %= stride;
        return index;
      });
    },
  };
}

/** "[2, 1, :, 8:16]". */
export function selectionText(selection: Selection, shape: readonly number[]): string {
  return `[${selection.map((part, axis) => partText(part, shape[axis] ?? -1)).join(", ")}]`;
}

function partText(part: number | IndexRange, size: number): string {
  if (typeof part === "number") return String(part);
  const { from, to, step } = part;
  const ends = `${from === 0 ? "" : from}:${to === size ? "" : to}`;
  return step === 1 ? ends : `${ends}:${step}`;
}

/**
 * Reads a selection as Python does: whole numbers, "a:b", "a:b:c", negative indices from the end, and one "..." for
 * all dimensions that are not written. Ranges are cut to the tensor, as in Python.
 *
 * @returns what is wrong, as a sentence, if it is not a selection of the shape
 */
export function parseSelection(text: string, shape: readonly number[]): Selection | string {
  const inner = text.trim().replace(/^\[/, "").replace(/\]$/, "").trim();
  const written = inner === "" ? [] : inner.split(",").map((part) => part.trim());
  // Python allows a comma at the end.
  if (written.at(-1) === "") written.pop();
  const dots = written.indexOf("...");
  if (dots !== written.lastIndexOf("...")) return 'Only one "..." is possible.';
  const named = written.filter((part) => part !== "...").length;
  if (named > shape.length) return `The tensor has ${shape.length} dimensions, not ${named}.`;
  const missing = Array.from({ length: shape.length - named }, () => ":");
  const at = dots < 0 ? written.length : dots;
  const parts = [...written.slice(0, at), ...missing, ...written.slice(dots < 0 ? at : at + 1)];
  const selection: (number | IndexRange)[] = [];
  for (const [axis, part] of parts.entries()) {
    const read = parsePart(part, axis, shape[axis] ?? 0);
    if (typeof read === "string") return read;
    selection.push(read);
  }
  return selection;
}

function parsePart(text: string, axis: number, size: number): number | IndexRange | string {
  if (/^-?\d+$/.test(text)) {
    const index = Number(text) < 0 ? size + Number(text) : Number(text);
    return index >= 0 && index < size
      ? index
      : `Index ${text} is not within the ${size} of dimension ${axis}.`;
  }
  const match = /^(-?\d+)?\s*:\s*(-?\d+)?\s*(?::\s*(-?\d+)?)?$/.exec(text);
  if (match === null) return `"${text}" is neither an index nor a range such as 2:8.`;
  const [, first, second, third] = match;
  const step = third === undefined ? 1 : Number(third);
  if (step < 1) return "The step of a range must be at least 1.";
  const bound = (value: string | undefined, otherwise: number) => {
    if (value === undefined) return otherwise;
    return Math.min(size, Math.max(0, Number(value) < 0 ? size + Number(value) : Number(value)));
  };
  const from = bound(first, 0);
  return { from, to: Math.max(from, bound(second, size)), step };
}
