/** Running sums, running products and products of complex numbers, computed in double precision. */
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { complexTypes, indexTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { add, type Complex, multiply, ONE, ZERO } from "./complex-numbers.js";
import { forEachLine, scanAxis } from "./cumulative.js";
import { reducedShape, reductionAxes } from "./reduce.js";

/** Nanoseconds per number on a slow core, including allocated pairs and the overhead of a line of a single number. */
const NANOSECONDS = 150;

type Step = (folded: Complex, value: Complex) => Complex;

function numberAt(parts: NumberArray, index: number): Complex {
  return [parts[index * 2] ?? 0, parts[index * 2 + 1] ?? 0];
}

function scanKernel(op: string, first: Complex, step: Step): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const [exclusive, reverse] = [node.bool("exclusive"), node.bool("reverse")];
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const { dtype, shape } = input;
        const axis = scanAxis(inputAt(inputs, 1), shape.length);
        const count = shape[axis] ?? 0;
        const x = numbersOf(input);
        const out = newNumbers(dtype, shape);
        forEachLine(shape, axis, (start, stride) => {
          let folded = first;
          for (let i = 0; i < count; i += 1) {
            const at = start + (reverse ? count - 1 - i : i) * stride;
            const next = step(folded, numberAt(x, at));
            out.set(exclusive ? folded : next, at * 2);
            folded = next;
          }
        });
        return [new Tensor(dtype, shape, out)];
      };
    },
    { types: { T: complexTypes, Tidx: indexTypes }, cost: perElement(NANOSECONDS) },
  );
}

const productKernel = pureKernel(
  "Prod",
  (node) => {
    const keepDims = node.bool("keep_dims");
    return (inputs) => {
      const input = inputAt(inputs, 0);
      const axes = reductionAxes(inputAt(inputs, 1), input.shape.length);
      const kept = input.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
      const x = numbersOf(transposed(input, [...kept, ...axes]));
      const count = productOf(axes.map((axis) => input.shape[axis] ?? 1));
      const shape = reducedShape(input.shape, axes, keepDims);
      const out = newNumbers(input.dtype, shape);
      for (let group = 0; group < out.length / 2; group += 1) {
        let product = ONE;
        for (let i = group * count; i < (group + 1) * count; i += 1) {
          product = multiply(product, numberAt(x, i));
        }
        out.set(product, group * 2);
      }
      return [new Tensor(input.dtype, shape, out)];
    };
  },
  { types: { T: complexTypes, Tidx: indexTypes }, cost: perElement(NANOSECONDS) },
);

/** The complex counterparts of the real kernels of these ops. */
export const complexFoldKernels: readonly PureKernelDefinition[] = [
  scanKernel("Cumsum", ZERO, add),
  scanKernel("Cumprod", ONE, multiply),
  productKernel,
];
