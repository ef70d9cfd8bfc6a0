/**
 * Gradients of complex numbers: of their parts, and of Fourier transforms. As in TensorFlow, the gradient of a complex
 * number z is that of its real part plus i times that of its imaginary one. Facts from tensorflow/python/ops/math_grad.py
 * and signal/fft_ops.py.
 */
import type { DType } from "../../protocol/dtype.js";
import type { Output } from "../operation.js";
import { sumToShape } from "./broadcasting.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

const COMPLEX_OF: Readonly<Record<string, DType>> = { float32: "complex64", float64: "complex128" };
const REAL_OF: Readonly<Record<string, DType>> = { complex64: "float32", complex128: "float64" };

export function isComplex(dtype: DType): boolean {
  return dtype in REAL_OF;
}

/** The complex conjugate of complex numbers; others are their own. */
export function conjugated(at: OpGradient, x: Output): Output {
  return isComplex(x.dtype) ? at.call("Conj", [x]) : x;
}

/** Ops that move, add or scale numbers: what is done with their gradients is the same for complex ones. */
const LINEAR: ReadonlySet<string> = new Set(
  `AddN AddV2 BroadcastTo Cast ConcatV2 ExpandDims GatherV2 Identity Mul Neg Pack Pad RealDiv Reshape ReverseV2 Slice Split
  Squeeze StridedSlice Sub Sum Tile Transpose Unpack`.split(/\s+/),
);

/** Whether an op's rule is right where its inputs or outputs are complex. */
export function holdsForComplex(type: string): boolean {
  return LINEAR.has(type) || type in COMPLEX;
}

function complexOf({ call }: OpGradient, real: Output, imaginary: Output): Output {
  return call("Complex", [real, imaginary], { T: real.dtype, Tout: COMPLEX_OF[real.dtype] });
}

/** Real numbers as complex ones. */
function asComplex(at: OpGradient, real: Output): Output {
  return complexOf(at, real, at.call("ZerosLike", [real]));
}

function part(at: OpGradient, type: "Real" | "Imag", z: Output): Output {
  return at.call(type, [z], { T: z.dtype, Tout: REAL_OF[z.dtype] });
}

/** How many numbers are transformed together: the last dimensions. */
function transformSize(at: OpGradient, x: Output, rank: number, dtype: DType): Output {
  const sizes = at.call("StridedSlice", [at.shapeOf(x), [-rank], [0], [1]], { end_mask: 1 });
  return at.call("Cast", [at.call("Prod", [sizes, 0])], { DstT: dtype });
}

/** The transform back, which is scaled by the size. */
function fourier(rank: number, backward: string, isInverse: boolean): GradientRule {
  return (at) => {
    const real = REAL_OF[at.g.dtype] ?? "float32";
    const size = transformSize(at, at.g, rank, real);
    const scale = asComplex(at, isInverse ? at.call("Reciprocal", [size]) : size);
    return [at.call("Mul", [at.call(backward, [at.g]), scale])];
  };
}

/** The last of some sizes. */
function lastOf(at: OpGradient, sizes: Output): Output {
  return at.call("StridedSlice", [sizes, [-1], [0], [1]], { end_mask: 1, shrink_axis_mask: 1 });
}

/** One number of each row. */
function columnOf(at: OpGradient, z: Output, index: 0 | -1): Output {
  const end = index === 0 ? at.ints([0, 1]) : at.ints([0, 0]);
  return at.call("StridedSlice", [z, at.ints([0, index]), end, at.ints([1, 1])], {
    ellipsis_mask: 1,
    end_mask: index === 0 ? 0 : 2,
  });
}

/** RFFT leaves out the frequencies that are conjugates of others: only the first, and of an even length the last, are not. */
const realTransform: GradientRule = (at) => {
  const { call, g, x } = at;
  const length = lastOf(at, at.input(1));
  const parity = (index: Output) => call("FloorMod", [index, 2]);
  const isEven = call("Cast", [call("Sub", [1, parity(length)])], { DstT: x.dtype });
  const rowLength = lastOf(at, at.shapeOf(x));
  const signs = call("Sub", [1, call("Mul", [parity(call("Range", [0, rowLength, 1])), 2])]);
  const alternating = call("Mul", [call("Cast", [signs], { DstT: x.dtype }), isEven]);
  const first = part(at, "Real", columnOf(at, g, 0));
  const last = call("Mul", [part(at, "Real", columnOf(at, g, -1)), alternating]);
  const inverse = call("IRFFT", [g, at.input(1)], { Treal: x.dtype, Tcomplex: g.dtype });
  const scaled = call("Mul", [inverse, transformSize(at, x, 1, x.dtype)]);
  const all = call("AddV2", [scaled, call("AddV2", [first, last])]);
  return [call("Mul", [all, 0.5]), undefined];
};

/** The inverse counts each such frequency twice. */
function inverseRealTransform(rank: number, forward: string): GradientRule {
  return (at) => {
    const { call, g, x } = at;
    const odd = call("FloorMod", [lastOf(at, at.input(1)), 2]);
    const count = lastOf(at, at.shapeOf(x));
    const fill = (size: Output | readonly number[], value: number) =>
      call("Fill", [
        "dtype" in size ? call("ExpandDims", [size, 0]) : at.ints(size),
        call("Cast", [value], { DstT: g.dtype }),
      ]);
    const twice = fill(call("AddV2", [call("Sub", [count, 2]), odd]), 2);
    const counts = call("ConcatV2", [[fill([1], 1), twice, fill(call("Sub", [1, odd]), 1)], 0]);
    const scale = call("RealDiv", [counts, transformSize(at, g, rank, g.dtype)]);
    const transformed = call(forward, [g, at.input(1)], { Treal: g.dtype, Tcomplex: x.dtype });
    return [call("Mul", [transformed, asComplex(at, scale)]), undefined];
  };
}

export const COMPLEX: GradientRules = {
  Real: (at) => [asComplex(at, at.g)],
  Imag: (at) => [complexOf(at, at.call("ZerosLike", [at.g]), at.g)],
  Complex: (at) => [
    at.wants(0) ? sumToShape(at, at.x, part(at, "Real", at.g), at.input(1)) : undefined,
    at.wants(1) ? sumToShape(at, at.input(1), part(at, "Imag", at.g), at.x) : undefined,
  ],
  ComplexAbs: (at) => {
    const scaled = at.call("Mul", [asComplex(at, at.g), at.x]);
    return [at.call("DivNoNan", [scaled, asComplex(at, at.y)])];
  },
  Angle: (at) => {
    const turned = complexOf(at, part(at, "Imag", at.x), part(at, "Real", at.x));
    return [at.call("Neg", [at.call("Mul", [asComplex(at, at.g), at.call("Reciprocal", [turned])])])];
  },
  Conj: (at) => [at.call("Conj", [at.g])],
  FFT: fourier(1, "IFFT", false),
  FFT2D: fourier(2, "IFFT2D", false),
  FFT3D: fourier(3, "IFFT3D", false),
  IFFT: fourier(1, "FFT", true),
  IFFT2D: fourier(2, "FFT2D", true),
  IFFT3D: fourier(3, "FFT3D", true),
  RFFT: realTransform,
  IRFFT: inverseRealTransform(1, "RFFT"),
  IRFFT2D: inverseRealTransform(2, "RFFT2D"),
};
