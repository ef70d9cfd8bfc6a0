import { invalidArgument, type TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { Variable } from "../../resources/variable.js";
import { RefValue } from "../../values.js";
import type { KernelDefinition, StatefulKernelDefinition } from "../kernel.js";
import { dataTypes, indexTypes, numberTypes, realTypes } from "../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { type UpdateKind, updateElements } from "./element-updates.js";
import { variableInput } from "./resource-access.js";
import { placeText, rowIndices, sliceIndices } from "./row-access.js";
import { statefulKernel } from "./stateful-kernel.js";
import { initializedCell, writableValue } from "./variable-access.js";

const kinds: readonly (readonly [string, UpdateKind])[] = [
  ["Update", "update"],
  ["Add", "add"],
  ["Sub", "sub"],
  ["Mul", "mul"],
  ["Div", "div"],
  ["Min", "min"],
  ["Max", "max"],
];

function typesOf(kind: UpdateKind) {
  return kind === "update" ? dataTypes : kind === "min" || kind === "max" ? realTypes : numberTypes;
}

/** Updates rows of a variable; a row that is named twice is updated twice. Nothing changes where an index is wrong. */
function scatterRows(kind: UpdateKind, variable: Variable, indices: Tensor, updates: Tensor): void {
  const shape = variable.shape ?? [];
  const list = rowIndices(indices, shape[0] ?? 0);
  const length = productOf(shape, 1);
  const target = writableValue(variable);
  const isScalar = updates.shape.length === 0;
  for (let i = 0; i < list.length; i += 1) {
    updateElements(kind, {
      dtype: target.dtype,
      target: target.data,
      at: (list[i] as number) * length,
      source: updates.data,
      from: isScalar ? 0 : i * length,
      length,
      step: isScalar ? 0 : 1,
    });
  }
}

function misfit(shape: readonly number[], indices: Tensor, updates: Tensor): TensorFlowError {
  return invalidArgument(
    "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got " +
      `updates.shape ${cppShapeText(updates.shape)}, indices.shape ${cppShapeText(indices.shape)}, ` +
      `params.shape ${cppShapeText(shape)}`,
  );
}

function scatter(kind: UpdateKind): StatefulKernelDefinition["create"] {
  return () => (context) => {
    const variable = initializedCell(context, 0);
    const indices = tensorAt(context.inputs, 1);
    const updates = tensorAt(context.inputs, 2);
    const shape = variable.shape ?? [];
    if (shape.length === 0) {
      throw invalidArgument(`params must be at least 1-D, got shape ${cppShapeText(shape)}`);
    }
    if (updates.shape.length > 0 && !sameShape(updates.shape, [...indices.shape, ...shape.slice(1)])) {
      throw misfit(shape, indices, updates);
    }
    scatterRows(kind, variable, indices, updates);
    return [new RefValue(variable)];
  };
}

function resourceScatter(kind: UpdateKind): StatefulKernelDefinition["create"] {
  return (node) => (context) => {
    const variable = variableInput(node, context, 0);
    const indices = tensorAt(context.inputs, 1);
    const updates = tensorAt(context.inputs, 2);
    const shape = variable.shape ?? [];
    if (shape.length === 0) {
      throw invalidArgument(`params must be at least 1-D, got shape ${cppShapeText(shape)}`);
    }
    if (updates.shape.length > 0 && indices.size > 0) {
      const depth = indices.shape.length;
      const tailFits = sameShape(updates.shape.slice(depth), shape.slice(1));
      if (updates.shape.length !== depth + shape.length - 1 || !tailFits) {
        throw misfit(shape, indices, updates);
      }
      if (!sameShape(updates.shape.slice(0, depth), indices.shape)) {
        throw invalidArgument(
          `The shape of indices (${cppShapeText(indices.shape)}) must be a prefix of the shape of updates ` +
            `(${cppShapeText(updates.shape)})`,
        );
      }
    }
    scatterRows(kind, variable, indices, updates);
    return [];
  };
}

function scatterSlices(kind: UpdateKind, variable: Variable, indices: Tensor, updates: Tensor): void {
  const shape = variable.shape ?? [];
  const { starts, length } = checkedSlices(shape, indices, updates);
  const target = writableValue(variable);
  for (const [row, at] of starts.entries()) {
    updateElements(kind, {
      dtype: target.dtype,
      target: target.data,
      at,
      source: updates.data,
      from: row * length,
      length,
      step: 1,
    });
  }
}

/** The checks of TensorFlow's core/kernels/scatter_nd_op.cc, in its words. */
function checkedSlices(shape: readonly number[], indices: Tensor, updates: Tensor) {
  const batch = Math.max(indices.shape.length - 1, 1);
  for (let i = 0; i < batch; i += 1) {
    if (indices.shape[i] !== updates.shape[i]) {
      throw invalidArgument(
        `Dimensions [0,${batch}) of indices[shape=${cppShapeText(indices.shape)}] = ${indices.shape[i] ?? 0} must match ` +
          `dimensions [0,${batch}) of updates[shape=${cppShapeText(updates.shape)}] = ${updates.shape[i] ?? 0}`,
      );
    }
  }
  const depth = indices.shape.length === 0 ? 1 : (indices.shape.at(-1) ?? 1);
  const tail = shape.slice(depth);
  if (depth > shape.length || !sameShape(tail, updates.shape.slice(batch))) {
    throw invalidArgument(
      `Dimensions [${depth},${shape.length}) of input[shape=${cppShapeText(shape)}] must match dimensions ` +
        `[${depth},${updates.shape.length}) of updates[shape=${cppShapeText(updates.shape)}]`,
    );
  }
  return sliceIndices(shape, indices, (row, index) => {
    throw invalidArgument(
      `${placeText(indices.shape.slice(0, -1), row)} = [${index.join(", ")}] does not index into shape ${cppShapeText(shape)}`,
    );
  });
}

const ndKinds = kinds.filter(([, kind]) => kind !== "mul" && kind !== "div");

/** Updates of rows and slices of variables. */
export const scatterKernels: readonly KernelDefinition[] = [
  ...kinds.flatMap(([name, kind]) => [
    statefulKernel(`Scatter${name}`, scatter(kind), { types: { T: typesOf(kind), Tindices: indexTypes } }),
    statefulKernel(`ResourceScatter${name}`, resourceScatter(kind), {
      types: { dtype: typesOf(kind), Tindices: indexTypes },
    }),
  ]),
  ...ndKinds.flatMap(([name, kind]) => [
    statefulKernel(
      `ScatterNd${name}`,
      () => (context) => {
        const variable = initializedCell(context, 0);
        scatterSlices(kind, variable, tensorAt(context.inputs, 1), tensorAt(context.inputs, 2));
        return [new RefValue(variable)];
      },
      { types: { T: typesOf(kind), Tindices: indexTypes } },
    ),
    statefulKernel(
      `ResourceScatterNd${name}`,
      (node) => (context) => {
        const variable = variableInput(node, context, 0);
        scatterSlices(kind, variable, tensorAt(context.inputs, 1), tensorAt(context.inputs, 2));
        return [];
      },
      { types: { T: typesOf(kind), Tindices: indexTypes } },
    ),
  ]),
];
