import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { dataTypes, indexTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";

function scalarInput(tensor: Tensor, name: string): Tensor {
  if (tensor.shape.length !== 0) {
    throw invalidArgument(`${name} must be a scalar, but got: ${cppShapeText(tensor.shape)}`);
  }
  return tensor;
}

/** A new axis of size `depth`, "on" at the index and "off" elsewhere; for an index out of range, all are "off". */
function oneHot(indices: Tensor, depthInput: Tensor, on: Tensor, off: Tensor, axisGiven: number): Tensor {
  const rank = indices.shape.length + 1;
  const axis =
    axisGiven === -1
      ? rank - 1
      : axisOf(
          axisGiven,
          rank,
          `Expected axis to be -1 or between [0, ${rank}).  But received: ${axisGiven}`,
        );
  const depth = integersOf(scalarInput(depthInput, "depth"))[0] ?? 0;
  if (depth < 0) {
    throw invalidArgument(`depth must be non-negative, got: ${depth}`);
  }
  scalarInput(on, "on_value");
  scalarInput(off, "off_value");
  const shape = [...indices.shape.slice(0, axis), depth, ...indices.shape.slice(axis)];
  const out = gatherStrided(off, shape, { offset: 0, strides: shape.map(() => 0) });
  const to = wordsOf(out.dtype, out.data);
  const from = wordsOf(on.dtype, on.data);
  const inner = productOf(indices.shape, axis);
  const list = indicesOf(indices);
  for (let i = 0; i < list.length; i += 1) {
    const index = list[i] as number;
    if (index >= 0 && index < depth) {
      copyElements(to, (Math.floor(i / inner) * depth + index) * inner + (i % inner), from, 0, 1);
    }
  }
  return out;
}

export const oneHotKernels: readonly KernelDefinition[] = [
  pureKernel(
    "OneHot",
    (node) => {
      const axis = node.int("axis");
      return (inputs) => [
        oneHot(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), inputAt(inputs, 3), axis),
      ];
    },
    {
      types: { T: dataTypes, TI: [...indexTypes, "int8", "uint8"] },
      cost: (_, inputs) =>
        inputAt(inputs, 0).size * (100 + 5 * Math.max(integersOf(inputAt(inputs, 1))[0] ?? 0, 0)),
    },
  ),
];
