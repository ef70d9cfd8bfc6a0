/** Gradients of products of matrices. */
import { unimplemented } from "../../protocol/status.js";
import { type EinsumEquation, namedLabels, parseEquation } from "../op-specs/einsum.js";
import type { Output } from "../operation.js";
import { broadcastAxes } from "./broadcasting.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** Which of two factors are transposed. */
type Product = (a: Output, b: Output, transposeA: boolean, transposeB: boolean) => Output;

/** The gradients of a product of matrices, by which of its factors are transposed. */
function ofProduct(at: OpGradient, product: Product, ta: boolean, tb: boolean): [() => Output, () => Output] {
  const { g } = at;
  const [a, b] = [at.input(0), at.input(1)];
  return [
    () => (ta ? product(b, g, tb, true) : product(g, b, false, !tb)),
    () => (tb ? product(g, a, true, ta) : product(a, g, !ta, false)),
  ];
}

const matMul: GradientRule = (at) => {
  const product: Product = (a, b, transpose_a, transpose_b) =>
    at.call("MatMul", [a, b], { transpose_a, transpose_b });
  const [first, second] = ofProduct(at, product, at.flag("transpose_a"), at.flag("transpose_b"));
  return [at.wants(0) ? first() : undefined, at.wants(1) ? second() : undefined];
};

function batchMatMul(type: "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3"): GradientRule {
  return (at) => {
    const own = type === "BatchMatMulV3" ? { Tout: at.g.dtype } : {};
    const product: Product = (a, b, adj_x, adj_y) => at.call(type, [a, b], { adj_x, adj_y, ...own });
    const [first, second] = ofProduct(at, product, at.flag("adj_x"), at.flag("adj_y"));
    const [a, b] = [at.input(0), at.input(1)];
    return [
      at.wants(0) ? sumBatches(at, a, first(), b) : undefined,
      at.wants(1) ? sumBatches(at, b, second(), a) : undefined,
    ];
  };
}

/** The product of matrices in batches of the same shape or of shapes that are broadcast. */
export function product(at: OpGradient, a: Output, b: Output, adj_x = false, adj_y = false): Output {
  return at.call("BatchMatMulV2", [a, b], { adj_x, adj_y });
}

/** All dimensions but the last two are those of a batch, and are broadcast. */
export function sumBatches(at: OpGradient, x: Output, gradient: Output, other: Output): Output {
  const batch = (tensor: Output) => tensor.shape?.slice(0, -2);
  const sameBatch = JSON.stringify(batch(x)) === JSON.stringify(batch(other));
  const known = batch(x)?.every((size) => size >= 0) ?? false;
  const axes = sameBatch && known ? [] : broadcastAxes(batch(x), batch(gradient), batch(other));
  if (axes?.length === 0) return gradient;
  if (axes) return at.reshapeLike(at.call("Sum", [gradient, at.ints(axes)]), x);
  const batchShape = (tensor: Output) =>
    at.call("StridedSlice", [at.call("Shape", [tensor]), [0], [-2], [1]], { begin_mask: 1 });
  const sizes = at.graph.op("BroadcastGradientArgs", [batchShape(x), batchShape(gradient)]);
  return at.reshapeLike(at.call("Sum", [gradient, sizes.outputAt(0)]), x);
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An equation of Einsum with letters for what "..." stands for. */
function explicitEquation(at: OpGradient): EinsumEquation {
  const { inputs, output } = parseEquation(at.text("equation"));
  const free = [...LETTERS].filter((letter) => ![...inputs, output].some((term) => term.includes(letter)));
  const lengths = inputs.map((term, i) =>
    term.includes("...") ? at.rankOf(i) - namedLabels(term).length : 0,
  );
  const spread = free.slice(0, Math.max(0, ...lengths)).join("");
  const spelled = (term: string, length: number) => term.replace("...", spread.slice(spread.length - length));
  return {
    inputs: inputs.map((term, i) => spelled(term, lengths[i] ?? 0)),
    output: spelled(output, spread.length),
  };
}

/** Why a product of tensors has no gradient here; undefined if it has one. */
function einsumProblem(at: OpGradient, { inputs, output }: EinsumEquation): string | undefined {
  if ([...inputs, output].some((labels) => new Set(labels).size < labels.length)) {
    return "names a dimension of one operand twice";
  }
  const sizes = new Map<string, number>();
  for (const [i, labels] of inputs.entries()) {
    for (const [axis, label] of [...labels].entries()) {
      const size = at.input(i).shape?.[axis] ?? -1;
      const known = sizes.get(label) ?? size;
      if ((size === 1) !== (known === 1)) return "broadcasts a dimension";
      sizes.set(label, size);
    }
  }
  return undefined;
}

/**
 * The gradient of an operand is the product of the others with the result's gradient. Labels that only this operand
 * has were summed over: there the gradient is the same for all.
 */
const einsum: GradientRule = (at) => {
  const equation = explicitEquation(at);
  const problem = einsumProblem(at, equation);
  if (problem !== undefined) {
    throw unimplemented(
      `The gradient of Einsum node "${at.op.name}" is not available: its equation "${at.text("equation")}" ${problem}.`,
    );
  }
  return equation.inputs.map((labels, i) => {
    if (!at.wants(i)) return undefined;
    const others = equation.inputs.flatMap((other, j) =>
      j === i ? [] : [{ labels: other, x: at.input(j) }],
    );
    const found = [...labels].filter(
      (l) => equation.output.includes(l) || others.some((o) => o.labels.includes(l)),
    );
    const terms = [equation.output, ...others.map((other) => other.labels)].join(",");
    const inputs = [at.g, ...others.map(({ x }) => x)];
    const product = at.call("Einsum", [inputs], { equation: `${terms}->${found.join("")}` });
    if (found.length === labels.length) return product;
    const missing = [...labels].flatMap((label, axis) => (found.includes(label) ? [] : [axis]));
    const expanded = missing.reduce((tensor, axis) => at.call("ExpandDims", [tensor, axis]), product);
    return at.call("BroadcastTo", [expanded, at.shapeOf(at.input(i))]);
  });
};

export const MATRICES: GradientRules = {
  MatMul: matMul,
  BatchMatMul: batchMatMul("BatchMatMul"),
  BatchMatMulV2: batchMatMul("BatchMatMulV2"),
  BatchMatMulV3: batchMatMul("BatchMatMulV3"),
  Einsum: einsum,
};
