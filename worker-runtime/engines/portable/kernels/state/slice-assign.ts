import { resolveSlice, type SliceMasks, sliceMasks } from "../../../../graph/op-specs/strided-slice.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { alone, type Variable } from "../../resources/variable.js";
import { RefValue } from "../../values.js";
import type { KernelDefinition, OpContext } from "../kernel.js";
import { dataTypes, indexTypes } from "../support/dtypes.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText, sameShape, stridesOf } from "../support/shapes.js";
import { copyStrided, wordsOf } from "../support/strided-copy.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { variableInput } from "./resource-access.js";
import { statefulKernel } from "./stateful-kernel.js";
import { updateReferred, writableValue } from "./variable-access.js";

/** Assigns a value to a strided slice of a variable: x[begin:end:stride] = value. */
function assignSlice(variable: Variable, context: OpContext, masks: SliceMasks): void {
  const shape = variable.shape ?? [];
  const [begin, end, strides] = [1, 2, 3].map((index) => integersOf(tensorAt(context.inputs, index)));
  const value = tensorAt(context.inputs, 4);
  const slice = resolveSlice(shape, begin ?? [], end ?? [], strides ?? [], masks);
  checkValue(value, slice.shape, variable);
  const target = writableValue(variable);
  const own = stridesOf(shape);
  const to = {
    offset: slice.begin.reduce((sum, start, axis) => sum + start * (own[axis] ?? 0), 0),
    strides: own.map((stride, axis) => stride * (slice.stride[axis] ?? 1)),
  };
  // Apart from new and shrunk axes the value has the shape of the slice, with its elements in the same order.
  const from = { offset: 0, strides: stridesOf(slice.sizes) };
  const { dtype } = target;
  copyStrided(slice.sizes, wordsOf(dtype, target.data), to, wordsOf(dtype, value.data), from);
}

function checkValue(value: Tensor, shape: readonly number[], variable: Variable): void {
  if (value.dtype !== variable.dtype) {
    throw invalidArgument(`l-value dtype ${variable.dtype} does not match r-value dtype ${value.dtype}`);
  }
  if (!sameShape(value.shape, shape)) {
    throw invalidArgument(
      `Shapes of sliced l-value ${cppShapeText(shape)} and r-value ${cppShapeText(value.shape)} do not match.`,
    );
  }
}

const types = { T: dataTypes, Index: indexTypes };

/** Assignments to slices of variables. */
export const sliceAssignKernels: readonly KernelDefinition[] = [
  statefulKernel(
    "StridedSliceAssign",
    (node) => {
      const masks = sliceMasks(node);
      return (context) =>
        updateReferred(context, (variable) => {
          assignSlice(variable, context, masks);
          return [new RefValue(variable)];
        });
    },
    { types, facts: { usesRows: true } },
  ),
  statefulKernel(
    "ResourceStridedSliceAssign",
    (node) => {
      const masks = sliceMasks(node);
      return (context) => {
        const variable = variableInput(node, context, 0);
        return alone([variable], context.step, () => {
          assignSlice(variable, context, masks);
          return [];
        });
      };
    },
    { types, facts: { neverWaits: true, usesRows: true } },
  ),
];
