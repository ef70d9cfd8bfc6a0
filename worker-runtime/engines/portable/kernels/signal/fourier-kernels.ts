import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { complexTypes, floatTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { type FourierTransform, fourierCost, fourierTransform } from "./fourier-transform.js";

/** complex: complex to complex. real: from real numbers to half of the spectrum, or back for an inverse. */
interface TransformKind {
  readonly real: boolean;
  readonly inverse: boolean;
}

/** Complex numbers in double precision during a transform. */
interface Spectrum {
  readonly shape: readonly number[];
  readonly re: Float64Array;
  readonly im: Float64Array;
}

function emptySpectrum(shape: readonly number[]): Spectrum {
  const [re, im] = [newNumbers("float64", shape), newNumbers("float64", shape)];
  return { shape, re: re as Float64Array, im: im as Float64Array };
}

/** The length of half of the spectrum of real numbers, along the last dimension. */
function halfLength(length: number): number {
  return length === 0 ? 0 : Math.floor(length / 2) + 1;
}

/**
 * The input, truncated or zero-padded to the shape that is transformed.
 * @param shape of the same rank as the input.
 */
function spectrumOf(input: Tensor, shape: readonly number[]): Spectrum {
  const spectrum = emptySpectrum(shape);
  const entries = numbersOf(input);
  const complex = input.dtype === "complex64" || input.dtype === "complex128";
  const strides = stridesOf(input.shape);
  const last = shape.length - 1;
  const width = Math.min(shape[last] ?? 1, input.shape[last] ?? 1);
  const rows = productOf(shape, 0, last);
  for (let row = 0; row < rows; row += 1) {
    const from = offsetIn(row, shape, input.shape, strides);
    if (from === undefined) {
      continue;
    }
    const to = row * (shape[last] ?? 1);
    for (let i = 0; i < width; i += 1) {
      spectrum.re[to + i] = entries[complex ? 2 * (from + i) : from + i] as number;
      spectrum.im[to + i] = complex ? (entries[2 * (from + i) + 1] as number) : 0;
    }
  }
  return spectrum;
}

/** The offset in the input of row `row` of `shape`; undefined if the input has no such row. */
function offsetIn(
  row: number,
  shape: readonly number[],
  available: readonly number[],
  strides: readonly number[],
): number | undefined {
  let rest = row;
  let offset = 0;
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) {
    const size = shape[axis] ?? 1;
    const index = rest % size;
    if (index >= (available[axis] ?? 0)) {
      return undefined;
    }
    offset += index * (strides[axis] ?? 0);
    rest = Math.floor(rest / size);
  }
  return offset;
}

/** Transforms every line along an axis. */
function transformAxis({ shape, re, im }: Spectrum, axis: number, inverse: boolean): void {
  const length = shape[axis] ?? 1;
  if (length <= 1 || re.length === 0) {
    return;
  }
  const stride = productOf(shape, axis + 1);
  const line = new LineTransform(fourierTransform(length), inverse);
  for (let outer = 0; outer < re.length; outer += length * stride) {
    for (let inner = 0; inner < stride; inner += 1) {
      const first = outer + inner;
      for (let i = 0; i < length; i += 1) {
        line.re[i] = re[first + i * stride] as number;
        line.im[i] = im[first + i * stride] as number;
      }
      line.run();
      for (let i = 0; i < length; i += 1) {
        re[first + i * stride] = line.re[i] as number;
        im[first + i * stride] = line.im[i] as number;
      }
    }
  }
}

/** Transforms the numbers in `re` and `im`; an inverse divides by the length. */
class LineTransform {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly #transform: FourierTransform;
  readonly #inverse: boolean;

  constructor(transform: FourierTransform, inverse: boolean) {
    this.re = new Float64Array(transform.length);
    this.im = new Float64Array(transform.length);
    this.#transform = transform;
    this.#inverse = inverse;
  }

  run(): void {
    if (!this.#inverse) {
      this.#transform.transform(this.re, this.im);
      return;
    }
    this.#transform.transform(this.im, this.re);
    const { length } = this.#transform;
    for (let i = 0; i < length; i += 1) {
      this.re[i] = (this.re[i] as number) / length;
      this.im[i] = (this.im[i] as number) / length;
    }
  }
}

/** The first `width` numbers of each row as a complex tensor. */
function complexTensor(dtype: DType, { shape, re, im }: Spectrum, width: number): Tensor {
  const length = shape.at(-1) ?? 1;
  const outShape = [...shape.slice(0, -1), width];
  const out = newNumbers(dtype, outShape);
  let at = 0;
  for (let row = 0; at < out.length; row += length) {
    for (let i = row; i < row + width; i += 1) {
      out[at] = re[i] as number;
      out[at + 1] = im[i] as number;
      at += 2;
    }
  }
  return new Tensor(dtype, outShape, out);
}

/** Real sequences from half of their spectrum: the other half is its mirror image, conjugated. */
function realRows(dtype: DType, half: Spectrum, length: number): Tensor {
  const width = half.shape.at(-1) ?? 0;
  const outShape = [...half.shape.slice(0, -1), length];
  const out = newNumbers(dtype, outShape);
  if (out.length === 0) {
    return new Tensor(dtype, outShape, out);
  }
  const line = new LineTransform(fourierTransform(length), true);
  for (let row = 0; row * length < out.length; row += 1) {
    const first = row * width;
    line.re.fill(0);
    line.im.fill(0);
    line.re[0] = half.re[first] as number;
    for (let k = 1; k < width; k += 1) {
      const [re, im] = [half.re[first + k] as number, half.im[first + k] as number];
      const middle = 2 * k === length;
      line.re[k] = re;
      line.im[k] = middle ? 0 : im;
      line.re[length - k] = re;
      line.im[length - k] = middle ? 0 : -im;
    }
    line.run();
    out.set(line.re, row * length);
  }
  return new Tensor(dtype, outShape, out);
}

/** @param lengths of the last dimensions, which are transformed. */
function transformed(input: Tensor, lengths: readonly number[], kind: TransformKind, dtype: DType): Tensor {
  const rank = lengths.length;
  const first = input.shape.length - rank;
  const length = lengths.at(-1) ?? 1;
  const halved = kind.real && kind.inverse;
  const shape = [...input.shape.slice(0, first), ...lengths];
  if (halved) {
    shape[shape.length - 1] = halfLength(length);
  }
  const spectrum = spectrumOf(input, shape);
  for (let axis = first; axis < shape.length - (halved ? 1 : 0); axis += 1) {
    transformAxis(spectrum, axis, kind.inverse);
  }
  if (halved) {
    return realRows(dtype, spectrum, length);
  }
  return complexTensor(dtype, spectrum, kind.real ? halfLength(length) : length);
}

function checkRank({ shape }: Tensor, rank: number): void {
  if (shape.length < rank) {
    throw invalidArgument(`Input must have rank of at least ${rank} but got: ${cppShapeText(shape)}`);
  }
}

/** Reads the input fft_length for the last `rank` dimensions. @throws TensorFlowError INVALID_ARGUMENT */
function lengthsOf(input: Tensor, lengths: Tensor, rank: number, kind: TransformKind): number[] {
  if (lengths.shape.length !== 1 || lengths.size !== rank) {
    throw invalidArgument(`fft_length must have shape [${rank}]`);
  }
  const values = integersOf(lengths);
  for (const [i, length] of values.entries()) {
    if (length < 0) {
      throw invalidArgument(`fft_length[${i}] must >= 0, but got: ${length}`);
    }
    const dimension = input.shape.length - rank + i;
    const size = input.shape[dimension] ?? 0;
    const least = kind.inverse && i === rank - 1 ? Math.floor(length / 2) + 1 : length;
    if (kind.real && size !== 0 && size < least) {
      throw invalidArgument(
        `Input dimension ${dimension} must have length of at least ${least} but got: ${size}`,
      );
    }
  }
  return values;
}

/** The cost of the transforms along all axes, assuming that nothing is truncated or padded. */
function transformCost(rank: number) {
  return (_: unknown, inputs: readonly Tensor[]): number => {
    const { shape } = inputAt(inputs, 0);
    const lengths = inputs[1] === undefined ? shape.slice(-rank) : integersOf(inputs[1]);
    const sizes = [...shape.slice(0, Math.max(0, shape.length - lengths.length)), ...lengths];
    const count = productOf(sizes);
    return lengths.reduce(
      (sum, length) => sum + (count / Math.max(1, length)) * fourierCost(Math.max(1, length)),
      0,
    );
  };
}

function wide(dtype: DType): boolean {
  return dtype === "float64" || dtype === "complex128";
}

/** Real and complex numbers have the same precision. */
const samePrecision = (node: KernelNode): boolean =>
  !node.has("Treal") || wide(node.type("Treal")) === wide(node.type("Tcomplex"));

function outputType(node: KernelNode, { real, inverse }: TransformKind): DType {
  return node.type(real && inverse ? "Treal" : "Tcomplex");
}

/** A kernel for the last `rank` dimensions. */
function fixedRank(op: string, rank: number, kind: TransformKind): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const dtype = outputType(node, kind);
      return (inputs) => {
        const input = inputAt(inputs, 0);
        checkRank(input, rank);
        const lengths = kind.real
          ? lengthsOf(input, inputAt(inputs, 1), rank, kind)
          : input.shape.slice(input.shape.length - rank);
        return [transformed(input, lengths, kind, dtype)];
      };
    },
    {
      types: { ...(kind.real ? { Treal: floatTypes } : {}), Tcomplex: complexTypes },
      fits: samePrecision,
      cost: transformCost(rank),
    },
  );
}

const kinds: readonly (readonly [prefix: string, kind: TransformKind])[] = [
  ["FFT", { real: false, inverse: false }],
  ["IFFT", { real: false, inverse: true }],
  ["RFFT", { real: true, inverse: false }],
  ["IRFFT", { real: true, inverse: true }],
];

/** Fourier transforms along the last dimensions, computed in double precision. */
export const fourierKernels: readonly PureKernelDefinition[] = kinds.flatMap(([prefix, kind]) => [
  fixedRank(prefix, 1, kind),
  fixedRank(`${prefix}2D`, 2, kind),
  fixedRank(`${prefix}3D`, 3, kind),
]);
