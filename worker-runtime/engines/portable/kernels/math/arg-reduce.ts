import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, type NumericArray } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { indexTypes, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newLongs, newNumbers } from "../support/elements.js";
import { axisOf, cppShapeText, productOf } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { reductionCost } from "./reduction-cost.js";

/** The first index of the greatest of x[from] … x[from + n - 1]; NaN is never greater. */
function firstGreatest(x: NumericArray, from: number, n: number): number {
  let best = 0;
  for (let i = 1; i < n; i += 1) {
    if ((x[from + i] as number) > (x[from + best] as number)) {
      best = i;
    }
  }
  return best;
}

function firstLeast(x: NumericArray, from: number, n: number): number {
  let best = 0;
  for (let i = 1; i < n; i += 1) {
    if ((x[from + i] as number) < (x[from + best] as number)) {
      best = i;
    }
  }
  return best;
}

type Search = typeof firstGreatest;

/** The index of the extreme along an axis. */
function argReduce(search: Search, input: Tensor, axisInput: Tensor, output: Tensor["dtype"]): Tensor {
  if (axisInput.shape.length !== 0) {
    throw invalidArgument(
      `dim must be a scalar, but received tensor of shape: ${cppShapeText(axisInput.shape)}`,
    );
  }
  const rank = input.shape.length;
  const given = integersOf(axisInput)[0] ?? 0;
  const axis = axisOf(given, rank, `Expected dimension in the range [${-rank}, ${rank}), but got ${given}`);
  const n = input.shape[axis] ?? 0;
  if (n === 0) {
    throw invalidArgument(`Reduction axis ${given} is empty in shape ${cppShapeText(input.shape)}`);
  }
  const kept = input.shape.map((_, d) => d).filter((d) => d !== axis);
  const { data } = transposed(input, [...kept, axis]);
  if (isByteList(data)) {
    throw invalidArgument("Strings have no extremes.");
  }
  const shape = kept.map((d) => input.shape[d] ?? 1);
  const groups = productOf(shape);
  if (output === "int64") {
    const out = newLongs(output, shape);
    for (let group = 0; group < groups; group += 1) {
      out[group] = BigInt(search(data, group * n, n));
    }
    return new Tensor(output, shape, out);
  }
  const out = newNumbers(output, shape);
  for (let group = 0; group < groups; group += 1) {
    out[group] = search(data, group * n, n);
  }
  return new Tensor(output, shape, out);
}

function argKernel(op: string, search: Search): KernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const output = node.type("output_type");
      return withSmallFloats((inputs) => [argReduce(search, inputAt(inputs, 0), inputAt(inputs, 1), output)]);
    },
    {
      types: {
        T: [...realTypes, "bool"],
        Tidx: [...indexTypes, "int16"],
        output_type: [...indexTypes, "int16", "uint16"],
      },
      cost: reductionCost,
    },
  );
}

/** Indices of extremes; for equal elements, the first one. */
export const argReductionKernels: readonly KernelDefinition[] = [
  argKernel("ArgMax", firstGreatest),
  argKernel("ArgMin", firstLeast),
];
