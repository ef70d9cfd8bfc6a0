/** Signals: Fourier transforms. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { complexTensor, integers, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Sums of up to a hundred numbers of size 16. */
const summed: Tolerance = { ulps: 16, scale: "largest" };

const complexTypes = ["complex64", "complex128"] as const satisfies readonly DType[];
const realOf = (dtype: DType): DType => (dtype === "complex64" ? "float32" : "float64");

/** Powers of two, products of small primes, primes and 1. */
const lengths = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 30, 31, 32, 60);
const shortLengths = fc.constantFrom(1, 2, 3, 4, 5, 6, 8);

const realType = (Tcomplex: DType): Attrs => ({ Treal: attr.type(realOf(Tcomplex)) });

/** How much longer the input is than it needs to be: what is too much is cut off. */
const surplus = fc.constantFrom(0, 0, 0, 1, 2, -1);

interface Extent {
  readonly batch: number;
  readonly lengths: readonly number[];
  readonly surplus: readonly number[];
}

const extents = (rank: number): fc.Arbitrary<Extent> =>
  fc.record({
    batch: fc.constantFrom(1, 2, 3),
    lengths: fc.array(rank === 1 ? lengths : shortLengths, { minLength: rank, maxLength: rank }),
    surplus: fc.array(surplus, { minLength: rank, maxLength: rank }),
  });

const grown = ({ lengths: sizes, surplus: more }: Extent): number[] =>
  sizes.map((size, i) => Math.max(1, size + (more[i] ?? 0)));

/** The shape of half of the spectrum: of the last dimension only the first half is there. */
const halved = (sizes: readonly number[]): number[] =>
  sizes.map((size, i) => (i === sizes.length - 1 ? Math.floor(size / 2) + 1 : size));

function complexSpecs(ops: readonly string[], rank: number): OpSpec[] {
  return specsOf(ops, {
    types: { Tcomplex: complexTypes },
    draw: ({ Tcomplex = "complex64" }) =>
      extents(rank).chain(({ batch, lengths: sizes }) =>
        complexTensor(Tcomplex, [batch, ...sizes]).map((input) => ({ inputs: [input] })),
      ),
    edges: ({ Tcomplex = "complex64" }) => [
      { inputs: [Tensor.of([], Tcomplex, [0, 2, 2, 2])] },
      { inputs: [Tensor.of({ re: 1, im: 2 }, Tcomplex, [])] },
    ],
    tolerance: summed,
  });
}

function forwardSpec(op: string, rank: number): OpSpec {
  return {
    op,
    types: { Tcomplex: complexTypes },
    draw: ({ Tcomplex = "complex64" }) =>
      extents(rank).chain((extent) =>
        tensor(realOf(Tcomplex), [extent.batch, ...grown(extent)]).map((input) => ({
          inputs: [input, integers("int32", extent.lengths)],
          attrs: realType(Tcomplex),
        })),
      ),
    edges: ({ Tcomplex = "complex64" }) => [
      {
        inputs: [Tensor.of(1, realOf(Tcomplex), [2, 3, 3, 3]), integers("int32", [3])],
        attrs: realType(Tcomplex),
      },
    ],
    tolerance: summed,
  };
}

function backwardSpec(op: string, rank: number): OpSpec {
  return {
    op,
    types: { Tcomplex: complexTypes },
    draw: ({ Tcomplex = "complex64" }) =>
      extents(rank).chain((extent) =>
        complexTensor(Tcomplex, [extent.batch, ...halved(grown(extent))]).map((input) => ({
          inputs: [input, integers("int32", extent.lengths)],
          attrs: realType(Tcomplex),
        })),
      ),
    tolerance: summed,
  };
}

export const signalSpecs: readonly OpSpec[] = [
  ...complexSpecs(["FFT", "IFFT"], 1),
  ...complexSpecs(["FFT2D", "IFFT2D"], 2),
  ...complexSpecs(["FFT3D", "IFFT3D"], 3),
  forwardSpec("RFFT", 1),
  forwardSpec("RFFT2D", 2),
  forwardSpec("RFFT3D", 3),
  backwardSpec("IRFFT", 1),
  backwardSpec("IRFFT2D", 2),
  backwardSpec("IRFFT3D", 3),
];
