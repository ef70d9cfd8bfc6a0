/** Equations of Einsum, "ab,bc->ac", and the dimensions that their labels name. Pure. */
import { invalidArgument } from "../../protocol/status.js";
import type { Shape } from "../shape.js";

/** The label of a dimension: a character, or ".0", ".1", … for the dimensions of "...", counted from the last one. */
export type Label = string;

export interface EinsumEquation {
  /** The subscripts of the one or two inputs. */
  readonly inputs: readonly string[];
  readonly output: string;
}

/** An einsum equation applied to inputs of specific shapes. */
export interface EinsumLabels {
  /** One label per dimension of each input; a label that occurs twice in an input means its diagonal. */
  readonly inputs: readonly (readonly Label[])[];
  /** Undefined if its "..." stands for an unknown number of dimensions. */
  readonly output: readonly Label[] | undefined;
  /** The size of each label's dimension, -1 if it is unknown; for "...", which broadcasts, the larger one. */
  readonly sizes: ReadonlyMap<Label, number>;
}

const ELLIPSIS = "...";

/** The labels of a term that stand for one dimension each. */
export function namedLabels(term: string): readonly Label[] {
  return [...term.replace(ELLIPSIS, "")];
}

/**
 * The parts of "ab,bc->ac". A label is any character but a period, as for TensorFlow's `ValidateEinsumEquation`.
 *
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function parseEquation(equation: string): EinsumEquation {
  const [left, output, ...more] = equation.split("->");
  if (left === undefined || output === undefined || more.length > 0) {
    throw invalidArgument(`Expecting exactly one '->' in einsum equation: ${equation}`);
  }
  const inputs = left.split(",");
  if (inputs.length > 2) {
    throw invalidArgument(
      `Expecting 1 or 2 input subscripts in equation '${equation}' but got: ${inputs.length}`,
    );
  }
  for (const term of [...inputs, output]) {
    const periods = term.split(".").length - 1;
    if (periods > 0 && (periods !== ELLIPSIS.length || !term.includes(ELLIPSIS))) {
      throw invalidArgument(
        `Expected at most one ellipsis (...), but found ${periods} periods (.) in the subscripts '${term}' of the einsum equation: ${equation}`,
      );
    }
  }
  const unknown = namedLabels(output).find((label) => !inputs.some((term) => term.includes(label)));
  if (unknown !== undefined) {
    throw invalidArgument(
      `Einsum output subscripts for equation '${equation}' has label '${unknown}' which is not present in the input subscripts`,
    );
  }
  return { inputs, output };
}

/**
 * Assigns a label to each dimension.
 *
 * @param shapes of the inputs, as far as they are known
 * @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit
 */
export function labelDimensions(
  equation: EinsumEquation,
  shapes: readonly (Shape | undefined)[],
): EinsumLabels {
  if (equation.inputs.length !== shapes.length) {
    throw invalidArgument(`Expected ${equation.inputs.length} inputs but got: ${shapes.length}`);
  }
  const sizes = new Map<Label, number>();
  let mostHidden = 0;
  let hasUnknownRank = false;
  const inputs = equation.inputs.map((term, i) => {
    const shape = shapes[i];
    const hasEllipsis = term.includes(ELLIPSIS);
    const named = namedLabels(term).length;
    if (shape === undefined) {
      hasUnknownRank ||= hasEllipsis;
      return [];
    }
    const hidden = shape.length - named;
    if (hidden < 0 || (hidden > 0 && !hasEllipsis)) {
      const rank = hasEllipsis ? `at least ${named}` : named;
      throw invalidArgument(`Expected input ${i}, '${term}', to have rank ${rank} but got: ${shape.length}`);
    }
    mostHidden = Math.max(mostHidden, hidden);
    const labels = spell(term, hidden);
    for (const [axis, label] of labels.entries()) recordSize(sizes, label, shape, axis);
    return labels;
  });
  const spreads = equation.output.includes(ELLIPSIS);
  if (mostHidden > 0 && !spreads) {
    throw invalidArgument(
      `Output contains ${mostHidden} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.`,
    );
  }
  return {
    inputs,
    output: spreads && hasUnknownRank ? undefined : spell(equation.output, mostHidden),
    sizes,
  };
}

/** The labels of a term in which "..." stands for `hidden` dimensions. */
function spell(term: string, hidden: number): readonly Label[] {
  const [before = "", after] = term.split(ELLIPSIS);
  if (after === undefined) return [...before];
  return [...before, ...Array.from({ length: hidden }, (_, i) => `.${hidden - 1 - i}`), ...after];
}

function recordSize(sizes: Map<Label, number>, label: Label, shape: Shape, axis: number): void {
  const size = shape[axis] ?? 1;
  const known = sizes.get(label);
  const merged = known === undefined ? size : mergedSize(known, size, label.startsWith("."));
  if (merged === undefined) {
    throw invalidArgument(
      `Expected dimension ${known} at axis ${axis} of the input shaped [${shape.join(",")}] but got dimension ${size}`,
    );
  }
  sizes.set(label, merged);
}

/** The size of a label that two dimensions have; undefined if they differ. */
function mergedSize(one: number, other: number, broadcasts: boolean): number | undefined {
  if (one === other) return one;
  if (broadcasts && (one === 1 || other === 1)) return one === 1 ? other : one;
  if (one >= 0 && other >= 0) return undefined;
  // An unknown size beside one above 1 is that size, or 1 and broadcast.
  return Math.max(one, other);
}
