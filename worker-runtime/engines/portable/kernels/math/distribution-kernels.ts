import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { binaryKernel, binaryLoop, unaryKernel, unaryLoop } from "../support/elementwise.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { besselI, scaledBesselI } from "./bessel-functions.js";
import {
  betainc,
  gammaSampleByA,
  igamma,
  igammaByA,
  igammac,
  polygamma,
  zeta,
} from "./incomplete-functions.js";

/** Nanoseconds of a series, and of a long series or continued fraction. */
const SERIES_NANOS = 500;
const LONG_SERIES_NANOS = 1500;

const unary = (op: string, f: (x: number) => number): KernelDefinition =>
  unaryKernel(op, { floats: unaryLoop(f), cost: SERIES_NANOS });

const binary = (
  op: string,
  f: (a: number, x: number) => number,
  cost = LONG_SERIES_NANOS,
): KernelDefinition => ({
  ...binaryKernel(op, { floats: binaryLoop(f), cost }),
  types: { T: op.startsWith("Igamma") && op !== "IgammaGradA" ? smallToo : floatTypes },
});

const smallToo = [...floatTypes, "float16", "bfloat16"] as const;

/** @throws TensorFlowError INVALID_ARGUMENT unless all inputs that are not scalars have the same shape. */
function commonShape(inputs: readonly Tensor[]): readonly number[] {
  const shaped = inputs.filter(({ shape }) => shape.length > 0);
  const shape = shaped[0]?.shape ?? [];
  const other = shaped.find((input) => !sameShape(input.shape, shape));
  if (other !== undefined) {
    throw invalidArgument(
      `Shapes of a, b and x are inconsistent: ${cppShapeText(shape)} vs. ${cppShapeText(other.shape)}`,
    );
  }
  return shape;
}

const betaKernel = pureKernel(
  "Betainc",
  () => (inputs) => {
    const { dtype } = inputAt(inputs, 0);
    const shape = commonShape(inputs);
    const out = newNumbers(dtype, shape);
    const [a, b, x] = inputs.map((input) => {
      const values = numbersOf(input);
      return input.shape.length === 0 ? () => values[0] ?? 0 : (i: number) => values[i] ?? 0;
    });
    for (let i = 0; i < out.length; i += 1) {
      out[i] = betainc(a?.(i) ?? 0, b?.(i) ?? 0, x?.(i) ?? 0);
    }
    return [new Tensor(dtype, shape, out)];
  },
  { types: { T: floatTypes }, cost: perElement(SERIES_NANOS) },
);

/** Functions for statistics and signal windows. */
export const distributionKernels: readonly KernelDefinition[] = [
  binary("Igamma", igamma),
  binary("Igammac", igammac),
  binary("IgammaGradA", igammaByA),
  binary("RandomGammaGrad", gammaSampleByA),
  binary("Zeta", zeta, SERIES_NANOS),
  binary("Polygamma", polygamma),
  betaKernel,
  unary("BesselI0", (x) => besselI(0, x)),
  unary("BesselI1", (x) => besselI(1, x)),
  unary("BesselI0e", (x) => scaledBesselI(0, x)),
  unary("BesselI1e", (x) => scaledBesselI(1, x)),
];
