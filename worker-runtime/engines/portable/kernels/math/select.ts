import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { perElement, pureKernel } from "../support/define.js";
import { dataTypes, numberTypes } from "../support/dtypes.js";
import { inputAt, newLongs, numbersOf } from "../support/elements.js";
import {
  broadcastStrides,
  cppShapeText,
  productOf,
  sameShape,
  stridesOf,
  tryBroadcast,
} from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";

function selectWords32(to: Uint32Array, choice: Uint8Array, a: Uint32Array, b: Uint32Array): void {
  for (let i = 0; i < to.length; i += 1) {
    to[i] = choice[i] === 0 ? (b[i] as number) : (a[i] as number);
  }
}

/** For each group of `run` elements, those of `a` if the choice is not 0, else those of `b`. They have one shape. */
function choose(choice: Tensor, a: Tensor, b: Tensor, run: number): Tensor {
  const data = allocate(a.dtype, a.shape);
  const to = wordsOf(a.dtype, data);
  const [first, second] = [wordsOf(a.dtype, a.data), wordsOf(b.dtype, b.data)];
  const flags = numbersOf(choice);
  if (
    run * to.perElement === 1 &&
    to.data instanceof Uint32Array &&
    first.data instanceof Uint32Array &&
    second.data instanceof Uint32Array &&
    flags instanceof Uint8Array
  ) {
    selectWords32(to.data, flags, first.data, second.data);
  } else {
    for (let i = 0; i < flags.length; i += 1) {
      copyElements(to, i * run, flags[i] === 0 ? second : first, i * run, run);
    }
  }
  return new Tensor(a.dtype, a.shape, data);
}

function mismatch(first: Tensor, second: Tensor) {
  return invalidArgument(
    `Inputs to operation of type Select must have the same size and shape.  Input 0: ${cppShapeText(first.shape)} != input 1: ${cppShapeText(second.shape)}`,
  );
}

/** The original Select: the condition is a scalar, a vector along the first dimension, or has the operands' shape. */
function selectV1(condition: Tensor, a: Tensor, b: Tensor): Tensor {
  if (!sameShape(a.shape, b.shape)) {
    throw mismatch(a, b);
  }
  if (condition.shape.length === 0) {
    return numbersOf(condition)[0] === 0 ? b : a;
  }
  if (condition.shape.length === 1 && a.shape.length > 1 && condition.size === a.shape[0]) {
    return choose(condition, a, b, productOf(a.shape, 1));
  }
  if (!sameShape(condition.shape, a.shape)) {
    throw mismatch(condition, a);
  }
  return choose(condition, a, b, 1);
}

function broadcastTo(input: Tensor, shape: readonly number[]): Tensor {
  return sameShape(input.shape, shape)
    ? input
    : gatherStrided(input, shape, { offset: 0, strides: broadcastStrides(input.shape, shape) });
}

function broadcastOfAll(c: readonly number[], a: readonly number[], b: readonly number[]): number[] {
  const first = tryBroadcast(c, a);
  const shape = first && tryBroadcast(first, b);
  if (shape === undefined) {
    throw invalidArgument(
      `condition ${cppShapeText(c)}, then ${cppShapeText(a)}, and else ${cppShapeText(b)} must be broadcastable`,
    );
  }
  return shape;
}

function selectV2(condition: Tensor, a: Tensor, b: Tensor): Tensor {
  const shape = broadcastOfAll(condition.shape, a.shape, b.shape);
  if (condition.shape.length === 0) {
    return broadcastTo(numbersOf(condition)[0] === 0 ? b : a, shape);
  }
  return choose(broadcastTo(condition, shape), broadcastTo(a, shape), broadcastTo(b, shape), 1);
}

/** The indices of the elements that are not 0 (or false), in row-major order. */
function where(input: Tensor): Tensor {
  const { data } = input;
  if (isByteList(data)) {
    throw invalidArgument("Where does not take strings.");
  }
  if (input.shape.length === 0) {
    throw invalidArgument("WhereOp : Unhandled input dimensions: 0");
  }
  if (input.dtype === "float16") {
    throw unimplemented("No WhereOp available for float16/half type on CPU");
  }
  const entries = input.dtype.startsWith("complex") ? 2 : 1;
  // The highest bit of a bfloat16 is its sign; masking it makes 0 and -0 the same.
  const bits = input.dtype === "bfloat16" ? 0x7fff : undefined;
  const isSet = (i: number) => {
    const [first, second] = [data[entries * i], entries === 2 ? data[2 * i + 1] : 0];
    return bits === undefined ? (first !== 0 && first !== 0n) || second !== 0 : (Number(first) & bits) !== 0;
  };
  const found: number[] = [];
  for (let i = 0; i < data.length / entries; i += 1) {
    if (isSet(i)) {
      found.push(i);
    }
  }
  const rank = input.shape.length;
  const strides = stridesOf(input.shape);
  const out = newLongs("int64", [found.length, rank]);
  for (const [row, flat] of found.entries()) {
    let rest = flat;
    for (let d = 0; d < rank; d += 1) {
      const stride = strides[d] as number;
      out[row * rank + d] = BigInt(Math.floor(rest / stride));
      rest %= stride;
    }
  }
  return new Tensor("int64", [found.length, rank], out);
}

/** An element that Where checks, and a bigint coordinate of one that it finds, which may be all of them. */
const NANOS_PER_PLACE = 20;
const NANOS_PER_COORDINATE = 40;

/** Selections by truth values. */
export const selectKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Select",
    () => (inputs) => [selectV1(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))],
    { types: { T: dataTypes }, cost: perElement(2) },
  ),
  pureKernel(
    "SelectV2",
    () => (inputs) => [selectV2(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))],
    { types: { T: dataTypes }, cost: perElement(3) },
  ),
  pureKernel("Where", () => (inputs) => [where(inputAt(inputs, 0))], {
    types: { T: [...numberTypes, "bool"] },
    cost: (_, inputs) => {
      const { size, shape } = inputAt(inputs, 0);
      return size * (NANOS_PER_PLACE + shape.length * NANOS_PER_COORDINATE);
    },
  }),
];
