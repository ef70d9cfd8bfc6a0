import { invalidArgument, type TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { alone, type Variable } from "../../resources/variable.js";
import { RefValue } from "../../values.js";
import type { KernelDefinition, Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { OpFacts } from "../op-facts.js";
import { dataTypes, indexTypes, numberTypes, realTypes } from "../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { type UpdateKind, updateElements } from "./element-updates.js";
import { variableInput } from "./resource-access.js";
import { checkedRows, indexText, sliceIndices } from "./row-access.js";
import { statefulKernel } from "./stateful-kernel.js";
import { updateReferred, writableValue } from "./variable-access.js";

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

/** Elements updated per turn (a few milliseconds), and the cost of locating a row, in elements. */
const ELEMENTS_PER_TURN = 2 ** 18;
const ELEMENTS_PER_ROW = 8;

/** The destinations of the rows of updates. */
interface RowUpdates {
  readonly kind: UpdateKind;
  readonly updates: Tensor;
  readonly rows: number;
  /** The number of elements of a row. */
  readonly length: number;
  /** The offset of a row in the variable, in elements. */
  startOf(row: number): number;
  /** The error for the row after these, with which the update ends. */
  readonly failure: TensorFlowError | undefined;
}

/** Updates a variable row by row, many rows in several turns to keep the task responsive. */
function updateRows(
  variable: Variable,
  { kind, updates, rows, length, startOf, failure }: RowUpdates,
  outputs: Outputs,
): Outputs | Promise<Outputs> {
  const step = updates.shape.length === 0 ? 0 : 1;
  const rowsPerTurn = Math.max(1, Math.floor(ELEMENTS_PER_TURN / (length + ELEMENTS_PER_ROW)));
  const target = writableValue(variable);
  // Read once: what a later turn reads of a received tensor keeps its memory.
  const source = updates.data;
  const run = (first: number, end: number) => {
    for (let row = first; row < end; row += 1) {
      updateElements(kind, {
        dtype: target.dtype,
        target: target.data,
        at: startOf(row),
        source,
        from: row * length * step,
        length,
        step,
      });
    }
  };
  // Not cancellable, like TensorFlow's kernels.
  return inTurns(rows, rowsPerTurn, run, undefined, () => {
    if (failure !== undefined) {
      throw failure;
    }
    return outputs;
  });
}

/** Updates rows of a variable; a row named twice is updated twice. Those before an invalid index are updated, as in TensorFlow. */
function scatterRows(
  kind: UpdateKind,
  variable: Variable,
  indices: Tensor,
  updates: Tensor,
  outputs: Outputs,
): Outputs | Promise<Outputs> {
  const shape = variable.shape ?? [];
  const { list, failure } = checkedRows(indices, shape[0] ?? 0);
  const length = productOf(shape, 1);
  const startOf = (row: number) => (list[row] as number) * length;
  return updateRows(variable, { kind, updates, rows: list.length, length, startOf, failure }, outputs);
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
    const indices = tensorAt(context.inputs, 1);
    const updates = tensorAt(context.inputs, 2);
    return updateReferred(context, (variable) => {
      const shape = variable.shape ?? [];
      if (shape.length === 0) {
        throw invalidArgument(`params must be at least 1-D, got shape ${cppShapeText(shape)}`);
      }
      if (updates.shape.length > 0 && !sameShape(updates.shape, [...indices.shape, ...shape.slice(1)])) {
        throw misfit(shape, indices, updates);
      }
      return scatterRows(kind, variable, indices, updates, [new RefValue(variable)]);
    });
  };
}

function resourceScatter(kind: UpdateKind): StatefulKernelDefinition["create"] {
  return (node) => (context) => {
    const variable = variableInput(node, context, 0);
    const indices = tensorAt(context.inputs, 1);
    const updates = tensorAt(context.inputs, 2);
    return alone([variable], context.step, () => {
      checkResourceRows(variable.shape ?? [], indices, updates);
      return scatterRows(kind, variable, indices, updates, []);
    });
  };
}

function checkResourceRows(shape: readonly number[], indices: Tensor, updates: Tensor): void {
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
}

function scatterSlices(
  kind: UpdateKind,
  variable: Variable,
  indices: Tensor,
  updates: Tensor,
  outputs: Outputs,
): Outputs | Promise<Outputs> {
  const { starts, failure, length } = checkedSlices(variable.shape ?? [], indices, updates);
  const startOf = (row: number) => starts[row] ?? 0;
  return updateRows(variable, { kind, updates, rows: starts.length, length, startOf, failure }, outputs);
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
  return sliceIndices(shape, indices, (row, index) =>
    invalidArgument(
      `${indexText(indices.shape.slice(0, -1), row)} = [${index.join(", ")}] does not index into shape ${cppShapeText(shape)}`,
    ),
  );
}

const ndKinds = kinds.filter(([, kind]) => kind !== "mul" && kind !== "div");

const facts: OpFacts = { neverWaits: true, keepsNoInput: true, usesRows: true };

/** Ops that update rows and slices of variables. */
export const scatterKernels: readonly KernelDefinition[] = [
  ...kinds.flatMap(([name, kind]) => [
    statefulKernel(`Scatter${name}`, scatter(kind), {
      types: { T: typesOf(kind), Tindices: indexTypes },
      facts,
    }),
    statefulKernel(`ResourceScatter${name}`, resourceScatter(kind), {
      types: { dtype: typesOf(kind), Tindices: indexTypes },
      facts,
    }),
  ]),
  ...ndKinds.flatMap(([name, kind]) => [
    statefulKernel(
      `ScatterNd${name}`,
      () => (context) => {
        const indices = tensorAt(context.inputs, 1);
        const updates = tensorAt(context.inputs, 2);
        return updateReferred(context, (variable) =>
          scatterSlices(kind, variable, indices, updates, [new RefValue(variable)]),
        );
      },
      { types: { T: typesOf(kind), Tindices: indexTypes }, facts },
    ),
    statefulKernel(
      `ResourceScatterNd${name}`,
      (node) => (context) => {
        const variable = variableInput(node, context, 0);
        const indices = tensorAt(context.inputs, 1);
        const updates = tensorAt(context.inputs, 2);
        return alone([variable], context.step, () => scatterSlices(kind, variable, indices, updates, []));
      },
      { types: { T: typesOf(kind), Tindices: indexTypes }, facts },
    ),
  ]),
];
