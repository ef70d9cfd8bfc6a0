import { dtypeKind } from "../../../../protocol/dtype.js";
import { failedPrecondition, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { perResult, pureKernel, withSmallFloats } from "../support/define.js";
import { floatTypes, indexTypes, isLong, realTypes } from "../support/dtypes.js";
import {
  inputAt,
  integersOf,
  type LongArray,
  longsOf,
  type NumberArray,
  newLongs,
  newNumbers,
  numbersOf,
  scalarOf,
} from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";

function scalarInput(inputs: readonly Tensor[], index: number, name: string): Tensor {
  const input = inputAt(inputs, index);
  // A vector of one element is still accepted for compatibility.
  if (input.size !== 1 || input.shape.length > 1) {
    throw invalidArgument(`${name} must be a scalar, not shape ${cppShapeText(input.shape)}`);
  }
  return input;
}

/** @throws TensorFlowError INVALID_ARGUMENT for a step of 0 or one away from the limit. */
function checkRange(start: number | bigint, limit: number | bigint, delta: number | bigint): void {
  if (Number(delta) === 0) {
    throw invalidArgument("Requires delta != 0: 0");
  }
  if (delta > 0 ? start > limit : start < limit) {
    throw invalidArgument(
      delta > 0
        ? `Requires start <= limit when delta > 0: ${start}/${limit}`
        : `Requires start >= limit when delta < 0: ${start}/${limit}`,
    );
  }
}

function rangeOfLongs(start: bigint, limit: bigint, delta: bigint): Tensor {
  checkRange(start, limit, delta);
  const distance = limit > start ? limit - start : start - limit;
  const step = delta > 0n ? delta : -delta;
  const count = Number((distance + step - 1n) / step);
  const out = newLongs("int64", [count]);
  for (let i = 0; i < count; i += 1) {
    out[i] = start + BigInt(i) * delta;
  }
  return new Tensor("int64", [count], out);
}

function range(inputs: readonly Tensor[]): Tensor {
  const [start, limit, delta] = [
    scalarInput(inputs, 0, "start"),
    scalarInput(inputs, 1, "limit"),
    scalarInput(inputs, 2, "delta"),
  ];
  const { dtype } = start;
  if (isLong(dtype)) {
    const first = ({ data }: Tensor) => longsOf({ dtype, data })[0] ?? 0n;
    return rangeOfLongs(first(start), first(limit), first(delta));
  }
  const first = (tensor: Tensor) => numbersOf(tensor)[0] ?? 0;
  const [from, to, step] = [first(start), first(limit), first(delta)];
  checkRange(from, to, step);
  const count = Math.ceil(Math.abs((to - from) / step));
  const out = newNumbers(dtype, [count]);
  for (let i = 0; i < count; i += 1) {
    out[i] = from + i * step;
  }
  return new Tensor(dtype, [count], out);
}

function linSpace(inputs: readonly Tensor[]): Tensor {
  const [start, stop, num] = [
    scalarInput(inputs, 0, "start"),
    scalarInput(inputs, 1, "stop"),
    scalarInput(inputs, 2, "num"),
  ];
  const count = integersOf(num)[0] ?? 0;
  if (count <= 0) {
    throw invalidArgument(`Requires num > 0: ${count}`);
  }
  const [from, to] = [numbersOf(start)[0] ?? 0, numbersOf(stop)[0] ?? 0];
  const out = newNumbers(start.dtype, [count]);
  const step = count > 1 ? (to - from) / (count - 1) : 0;
  for (let i = 0; i < count; i += 1) {
    out[i] = i > 0 && i === count - 1 ? to : from + step * i;
  }
  return new Tensor(start.dtype, [count], out);
}

/** Cross products a × b of three-dimensional vectors, in the arithmetic of the dtype. */
function crossProducts<Value extends number | bigint>(
  out: { [index: number]: Value },
  a: { readonly [index: number]: Value },
  b: { readonly [index: number]: Value },
  count: number,
  minus: (p: Value, q: Value, r: Value, s: Value) => Value,
): void {
  for (let at = 0; at < count; at += 3) {
    for (let d = 0; d < 3; d += 1) {
      const [j, k] = [at + ((d + 1) % 3), at + ((d + 2) % 3)];
      out[at + d] = minus(a[j] as Value, b[k] as Value, a[k] as Value, b[j] as Value);
    }
  }
}

function cross(a: Tensor, b: Tensor): Tensor {
  if (!sameShape(a.shape, b.shape)) {
    throw invalidArgument(
      `Both inputs must be of same shape: ${cppShapeText(a.shape)} vs. ${cppShapeText(b.shape)}`,
    );
  }
  if (a.shape.length < 1) {
    throw invalidArgument("Input must be at least 1D");
  }
  if (a.shape.at(-1) !== 3) {
    throw failedPrecondition("Cross-products are only defined for 3-element vectors.");
  }
  const { dtype, shape } = a;
  if (isLong(dtype)) {
    const out: LongArray = newLongs(dtype, shape);
    crossProducts<bigint>(out, longsOf(a), longsOf(b), a.size, (p, q, r, s) => p * q - r * s);
    return new Tensor(dtype, shape, out);
  }
  const out: NumberArray = newNumbers(dtype, shape);
  const isFloat = dtypeKind(dtype) === "float";
  crossProducts<number>(out, numbersOf(a), numbersOf(b), a.size, (p, q, r, s) =>
    isFloat ? p * q - r * s : Math.imul(p, q) - Math.imul(r, s),
  );
  return new Tensor(dtype, shape, out);
}

/** Sequences of numbers, and the cross product. */
export const sequenceKernels: readonly KernelDefinition[] = [
  pureKernel("Range", () => withSmallFloats((inputs) => [range(inputs)]), {
    types: { Tidx: realTypes.filter((dtype) => dtype !== "uint64" && dtype !== "uint8") },
    cost: perResult(5, (inputs) => {
      const [start = 0, limit = 0, delta = 1] = inputs.map((input) => scalarOf(input, "operand"));
      return Math.abs((limit - start) / delta);
    }),
  }),
  pureKernel("LinSpace", () => withSmallFloats((inputs) => [linSpace(inputs)]), {
    types: { T: floatTypes, Tidx: indexTypes },
    cost: perResult(5, (inputs) => scalarOf(inputAt(inputs, 2), "num")),
  }),
  pureKernel("Cross", () => withSmallFloats((inputs) => [cross(inputAt(inputs, 0), inputAt(inputs, 1))]), {
    types: { T: realTypes },
  }),
];
