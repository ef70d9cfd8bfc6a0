import { invalidArgument } from "../../../../protocol/status.js";
import { cppShapeText } from "../support/shapes.js";

/** The label of a dimension: a letter, or ".0", ".1", … for the dimensions of "...", counted from the last one. */
export type Label = string;

/** An einsum equation applied to inputs of specific shapes. */
export interface EinsumLabels {
  /** One label per dimension of each input; a label that occurs twice in an input means its diagonal. */
  readonly inputs: readonly (readonly Label[])[];
  readonly output: readonly Label[];
  /** The size of each label's dimension; for "...", which broadcasts, the larger one. */
  readonly sizes: ReadonlyMap<Label, number>;
}

const ELLIPSIS = "...";

/** The parts of "ab,bc->ac". @throws TensorFlowError INVALID_ARGUMENT */
export function parseEquation(equation: string): {
  readonly inputs: readonly string[];
  readonly output: string;
} {
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
    if (!/^[A-Za-z]*(\.\.\.)?[A-Za-z]*$/.test(term)) {
      throw invalidArgument(`Invalid subscripts '${term}' in einsum equation: ${equation}`);
    }
  }
  return { inputs, output };
}

/** Assigns a label to each dimension. @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit. */
export function labelDimensions(
  equation: { readonly inputs: readonly string[]; readonly output: string },
  shapes: readonly (readonly number[])[],
): EinsumLabels {
  if (equation.inputs.length !== shapes.length) {
    throw invalidArgument(`Expected ${equation.inputs.length} inputs but got: ${shapes.length}`);
  }
  const sizes = new Map<Label, number>();
  let mostHidden = 0;
  const inputs = equation.inputs.map((term, i) => {
    const shape = shapes[i] ?? [];
    const hidden = shape.length - term.replace(ELLIPSIS, "").length;
    if (hidden < 0 || (hidden > 0 && !term.includes(ELLIPSIS))) {
      throw invalidArgument(`Expected input ${i} to have rank ${term.length} but got: ${shape.length}`);
    }
    mostHidden = Math.max(mostHidden, hidden);
    const labels = spell(term, hidden);
    for (const [axis, label] of labels.entries()) {
      recordSize(sizes, label, shape, axis);
    }
    return labels;
  });
  if (mostHidden > 0 && !equation.output.includes(ELLIPSIS)) {
    throw invalidArgument(
      `Output contains ${mostHidden} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.`,
    );
  }
  const output = spell(equation.output, mostHidden);
  for (const label of output) {
    if (!sizes.has(label)) {
      throw invalidArgument(
        `Output subscripts '${equation.output}' have a label that no input has: ${label}`,
      );
    }
  }
  return { inputs, output, sizes };
}

/** The labels of a term in which "..." stands for `hidden` dimensions. */
function spell(term: string, hidden: number): readonly Label[] {
  const [before = "", after] = term.split(ELLIPSIS);
  if (after === undefined) {
    return [...before];
  }
  return [...before, ...Array.from({ length: hidden }, (_, i) => `.${hidden - 1 - i}`), ...after];
}

function recordSize(sizes: Map<Label, number>, label: Label, shape: readonly number[], axis: number): void {
  const size = shape[axis] ?? 1;
  const known = sizes.get(label);
  const broadcasts = label.startsWith(".");
  if (known === undefined || (broadcasts && known === 1)) {
    sizes.set(label, size);
  } else if (known !== size && !(broadcasts && size === 1)) {
    throw invalidArgument(
      `Expected dimension ${known} at axis ${axis} of the input shaped ${cppShapeText(shape)} but got dimension ${size}`,
    );
  }
}
