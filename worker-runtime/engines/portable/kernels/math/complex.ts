import type { DType } from "../../../../protocol/dtype.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { conjugated } from "../array/transpose.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { forEachRun } from "../support/broadcast-runs.js";
import { perElement, pureKernel } from "../support/define.js";
import { complexTypes, floatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { type ComplexOperation, complexArithmetic } from "../support/scalar-arithmetic.js";
import { broadcastShape } from "../support/shapes.js";
import { complexUnary } from "./complex-elements.js";

/** The dtype of the parts of a complex dtype. */
function partType(dtype: DType): "float32" | "float64" {
  return dtype === "complex64" ? "float32" : "float64";
}

/** Maps each complex number to a real one. */
function mapToReal(input: Tensor, f: (re: number, im: number) => number): Tensor {
  const parts = numbersOf(input);
  const dtype = partType(input.dtype);
  const out = newNumbers(dtype, input.shape);
  for (let i = 0; i < out.length; i += 1) {
    out[i] = f(parts[2 * i] as number, parts[2 * i + 1] as number);
  }
  return new Tensor(dtype, input.shape, out);
}

export function realPart(input: Tensor): Tensor {
  return mapToReal(input, (re) => re);
}

/** Complex numbers from their parts, which have the same shape; an omitted imaginary part is 0. */
export function complexFrom(re: Tensor, im: Tensor | undefined): Tensor {
  const dtype = re.dtype === "float32" ? "complex64" : "complex128";
  const out = newNumbers(dtype, re.shape);
  const real = numbersOf(re);
  const imaginary = im === undefined ? undefined : numbersOf(im);
  for (let i = 0; i < real.length; i += 1) {
    out[2 * i] = real[i] as number;
    out[2 * i + 1] = imaginary?.[i] ?? 0;
  }
  return new Tensor(dtype, re.shape, out);
}

function applyOperation(operation: ComplexOperation, x: Tensor, y: Tensor): Tensor {
  const shape = broadcastShape(x.shape, y.shape);
  const out = newNumbers(x.dtype, shape);
  const a = numbersOf(x);
  const b = numbersOf(y);
  forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      const p = 2 * (xo + i * xs);
      const q = 2 * (yo + i * ys);
      const [re, im] = operation(a[p] as number, a[p + 1] as number, b[q] as number, b[q + 1] as number);
      out[2 * (o + i)] = re;
      out[2 * (o + i) + 1] = im;
    }
  });
  return new Tensor(x.dtype, shape, out);
}

/** Arithmetic of two complex numbers. */
function arithmeticKernel(op: string, operation: ComplexOperation): KernelDefinition {
  return pureKernel(
    op,
    () => (inputs) => [applyOperation(operation, inputAt(inputs, 0), inputAt(inputs, 1))],
    { types: { T: complexTypes }, cost: perElement(4) },
  );
}

function isWide(dtype: DType): boolean {
  return dtype === "float64" || dtype === "complex128";
}

/** For ops between complex numbers and their parts: both have the same precision. */
const samePrecision = {
  types: { T: complexTypes, Tout: floatTypes },
  fits: (node: KernelNode) => isWide(node.type("T")) === isWide(node.type("Tout")),
};

const realKernel = (op: string, f: (re: number, im: number) => number): KernelDefinition =>
  pureKernel(op, () => (inputs) => [mapToReal(inputAt(inputs, 0), f)], samePrecision);

/** Arithmetic of complex numbers, and access to their parts. */
export const complexKernels: readonly KernelDefinition[] = [
  arithmeticKernel("Add", complexArithmetic.add),
  arithmeticKernel("AddV2", complexArithmetic.add),
  arithmeticKernel("Sub", complexArithmetic.sub),
  arithmeticKernel("Mul", complexArithmetic.mul),
  arithmeticKernel("Div", complexArithmetic.div),
  arithmeticKernel("RealDiv", complexArithmetic.div),
  complexUnary("Neg", ([re, im]) => [-re, -im]),
  complexUnary("Square", ([re, im]) => [re * re - im * im, 2 * re * im]),
  complexUnary("Exp", ([re, im]) => [Math.exp(re) * Math.cos(im), Math.exp(re) * Math.sin(im)]),
  pureKernel(
    "Complex",
    () => (inputs) => {
      const [re, im] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const shape = broadcastShape(re.shape, im.shape);
      const dtype = re.dtype === "float32" ? "complex64" : "complex128";
      const out = newNumbers(dtype, shape);
      const [a, b] = [numbersOf(re), numbersOf(im)];
      forEachRun(re.shape, im.shape, shape, (o, xo, xs, yo, ys, n) => {
        for (let i = 0; i < n; i += 1) {
          out[2 * (o + i)] = a[xo + i * xs] as number;
          out[2 * (o + i) + 1] = b[yo + i * ys] as number;
        }
      });
      return [new Tensor(dtype, shape, out)];
    },
    { ...samePrecision, types: { T: floatTypes, Tout: complexTypes } },
  ),
  realKernel("Real", (re) => re),
  realKernel("Imag", (_, im) => im),
  realKernel("ComplexAbs", Math.hypot),
  realKernel("Angle", (re, im) => Math.atan2(im, re)),
  pureKernel("Conj", () => (inputs) => [conjugated(inputAt(inputs, 0))], { types: { T: complexTypes } }),
];
