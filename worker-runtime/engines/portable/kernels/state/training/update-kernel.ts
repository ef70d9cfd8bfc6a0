import {
  internalError,
  invalidArgument,
  StatusCode,
  TensorFlowError,
} from "../../../../../protocol/status.js";
import type { Tensor } from "../../../../../protocol/tensor.js";
import { RESOURCE_VARIABLE, type ResourceVariable } from "../../../resources/resource-variable.js";
import { alone, type Variable } from "../../../resources/variable.js";
import { RefValue } from "../../../values.js";
import type { OpContext, Outputs, StatefulKernelDefinition } from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { allFloatTypes, indexTypes, isSmallFloat } from "../../support/dtypes.js";
import { indicesOf, numbersOf } from "../../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { fromFloat32, toFloat32 } from "../../support/small-floats.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { inTurns } from "../../support/turns.js";
import { resourceInput } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { checkInitialized, referredVariable, writableValue } from "../variable-access.js";
import { elementsOf, type Run, SLICE_ELEMENTS, slicesOf } from "./run-slices.js";
import { type FloatArray, opOfForm, type UpdateForm, type UpdateRule } from "./update-rule.js";

/** The kernel of one form of an update. */
export function updateKernel(rule: UpdateRule, form: UpdateForm): StatefulKernelDefinition {
  const isResource = form.startsWith("Resource");
  const isSparse = form.endsWith("SparseApply");
  return statefulKernel(
    opOfForm(rule, form),
    (node) => {
      const indexes = new Map(node.inputs.map(({ argName }, index) => [argName, index]));
      const indexOf = (name: string): number => {
        const index = indexes.get(name);
        if (index === undefined) {
          throw internalError(`${node.op} has no argument ${name}.`);
        }
        return index;
      };
      const variableIndexes = ["var", ...rule.slots].map(indexOf);
      const gradientIndex = indexOf(rule.gradient);
      const indicesIndex = isSparse ? indexOf("indices") : undefined;
      const scalarIndexes = new Map(rule.scalars.map((name) => [name, indexOf(name)]));

      return (context): Outputs | Promise<Outputs> => {
        const variables = variableIndexes.map((index) =>
          isResource ? trainedVariable(node, context, index) : referredVariable(context, index),
        );
        const scalar = (name: string) => scalarInput(context, scalarIndexes.get(name) ?? -1, name);
        const update = rule.prepare(scalar, node);
        const gradient = tensorAt(context.inputs, gradientIndex);
        const indices = indicesIndex === undefined ? undefined : tensorAt(context.inputs, indicesIndex);
        return alone(variables, context.step, () => {
          if (!isResource) {
            variables.forEach(checkInitialized);
          }
          checkTypes(node, variables, gradient);
          checkShapes(rule, variables);
          const { runs, failure } =
            indices === undefined
              ? denseRun(rule, variables, gradient)
              : sparseRuns(rule, variables, gradient, indices);
          const values = floatsOf(gradient);
          const apply = (some: readonly Run[]) =>
            writeVariables(variables, ([variable, ...slots]) => {
              if (variable !== undefined) {
                for (const { at, from, length } of some) {
                  update({ variable, slots, at, gradient: values, from, length });
                }
              }
            });
          const [target] = variables;
          const ended = (): Outputs => {
            if (failure !== undefined) {
              throw failure;
            }
            return isResource || target === undefined ? [] : [new RefValue(target)];
          };
          // Small floats are widened as a whole, which would be repeated for each slice.
          if (elementsOf(runs) <= SLICE_ELEMENTS || isSmallFloat(gradient.dtype)) {
            apply(runs);
            return ended();
          }
          return updateInSlices(runs, apply, ended);
        });
      };
    },
    {
      types: { T: allFloatTypes, ...(isSparse ? { Tindices: indexTypes } : {}) },
      facts: { neverWaits: true, keepsNoInput: true, ...(isSparse ? { usesRows: true } : {}) },
    },
  );
}

/** @throws TensorFlowError INTERNAL "Invalid variable reference." for a variable without a value, as in TensorFlow. */
function trainedVariable(node: KernelNode, context: OpContext, index: number): ResourceVariable {
  try {
    return resourceInput<ResourceVariable>(node, context, index, RESOURCE_VARIABLE);
  } catch (error) {
    if (error instanceof TensorFlowError && error.code === StatusCode.NOT_FOUND) {
      throw internalError("Invalid variable reference.", { cause: error });
    }
    throw error;
  }
}

function scalarInput(context: OpContext, index: number, name: string): number {
  const tensor = tensorAt(context.inputs, index);
  if (tensor.shape.length > 0) {
    throw invalidArgument(`${name} is not a scalar: ${cppShapeText(tensor.shape)}`);
  }
  // A global step is an int64; the rest are floats.
  return Number(tensor.at(0));
}

function checkTypes(node: KernelNode, variables: readonly Variable[], gradient: Tensor): void {
  if (variables.some(({ dtype }) => dtype !== gradient.dtype)) {
    throw invalidArgument(`The variables and the gradient of '${node.name}' differ in dtype.`);
  }
}

function shapeOf(variable: Variable): readonly number[] {
  return variable.shape ?? [];
}

function checkShapes(rule: UpdateRule, [target, ...slots]: readonly Variable[]): void {
  for (const [i, slot] of slots.entries()) {
    if (target !== undefined && !sameShape(shapeOf(target), shapeOf(slot))) {
      throw invalidArgument(
        `var and ${rule.slots[i]} do not have the same shape${cppShapeText(shapeOf(target))} ${cppShapeText(shapeOf(slot))}`,
      );
    }
  }
}

/** The changes of an update, and the error that it then ends with. */
interface Update {
  readonly runs: readonly Run[];
  readonly failure?: TensorFlowError;
}

function denseRun(rule: UpdateRule, [target]: readonly Variable[], gradient: Tensor): Update {
  const shape = target === undefined ? [] : shapeOf(target);
  if (!sameShape(shape, gradient.shape)) {
    throw invalidArgument(
      `var and ${rule.gradient} do not have the same shape${cppShapeText(shape)} ${cppShapeText(gradient.shape)}`,
    );
  }
  return { runs: [{ at: 0, from: 0, length: productOf(shape) }] };
}

/** One run per index; a row named twice is updated twice, in this order. */
function sparseRuns(
  { checksRowByRow }: UpdateRule,
  [target]: readonly Variable[],
  gradient: Tensor,
  indices: Tensor,
): Update {
  const shape = target === undefined ? [] : shapeOf(target);
  if (shape.length === 0) {
    throw invalidArgument("var must be at least 1 dimensional");
  }
  if (indices.shape.length !== 1) {
    throw invalidArgument("indices must be one-dimensional");
  }
  for (let dimension = 1; dimension < Math.max(shape.length, gradient.shape.length); dimension += 1) {
    if (shape[dimension] !== gradient.shape[dimension]) {
      throw invalidArgument(`var and grad must match in dimension ${dimension}`);
    }
  }
  if (gradient.shape[0] !== indices.size) {
    throw invalidArgument("grad must be the same size as indices in the first dimension.");
  }
  const length = productOf(shape, 1);
  const rows = shape[0] ?? 0;
  const list = indicesOf(indices);
  const bad = list.findIndex((row) => !(row >= 0 && row < rows));
  const runsOf = (some: typeof list): readonly Run[] =>
    Array.from(some, (row, i) => ({ at: row * length, from: i * length, length }));
  if (bad === -1) {
    return { runs: runsOf(list) };
  }
  const failure = invalidArgument(`Index ${list[bad]} at offset ${bad} in indices is out of range`);
  if (!checksRowByRow) {
    throw failure;
  }
  return { runs: runsOf(list.subarray(0, bad)), failure };
}

/** Updates a large variable slice by slice and yields in between, which keeps the task responsive. */
function updateInSlices(
  runs: readonly Run[],
  apply: (runs: readonly Run[]) => void,
  ended: () => Outputs,
): Outputs | Promise<Outputs> {
  const slices = [...slicesOf(runs)];
  const update = (first: number) => apply(slices[first] ?? []);
  // Not cancellable, like TensorFlow's kernels.
  return inTurns(slices.length, 1, update, undefined, ended);
}

/** Calls `write` with the variables' arrays, small floats widened and rounded back. */
function writeVariables(
  variables: readonly Variable[],
  write: (arrays: readonly FloatArray[]) => void,
): void {
  if (variables.some(({ dtype }) => isSmallFloat(dtype))) {
    const wide = variables.map((variable) => toFloat32(writableValue(variable)));
    write(wide.map(floatsOf));
    for (const [i, variable] of variables.entries()) {
      const tensor = wide[i];
      if (tensor !== undefined) {
        variable.assign(fromFloat32(variable.dtype, tensor));
      }
    }
    return;
  }
  write(variables.map((variable) => floatsOf(writableValue(variable))));
}

function floatsOf(tensor: Tensor): FloatArray {
  const numbers = numbersOf(isSmallFloat(tensor.dtype) ? toFloat32(tensor) : tensor);
  if (numbers instanceof Float32Array || numbers instanceof Float64Array) {
    return numbers;
  }
  throw internalError(`The elements of a ${tensor.dtype} tensor are no floats.`);
}
