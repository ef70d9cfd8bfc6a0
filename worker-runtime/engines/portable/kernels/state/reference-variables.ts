import { alreadyExists, internalError, invalidArgument, notFound } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { DeviceTensor } from "../../gpu/device-tensor.js";
import { REFERENCE_VARIABLE, ReferenceVariable } from "../../resources/reference-variable.js";
import type { Resource } from "../../resources/resource-manager.js";
import { aloneAnywhere } from "../../resources/variable.js";
import { RefValue } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import type { OpFacts } from "../op-facts.js";
import { zeroTensor } from "../support/allocation.js";
import { anyType, cppTypeName, indexTypes, numberTypes } from "../support/dtypes.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { updateElements } from "./element-updates.js";
import { cellInput, resourceIdentity, uninitialized } from "./resource-access.js";
import { statefulKernel } from "./stateful-kernel.js";
import {
  addToVariable,
  countUp,
  ELEMENTS_PER_TURN,
  referredVariable,
  updateReferred,
  validatesShape,
} from "./variable-access.js";

function createVariable(node: KernelNode): (context: OpContext) => Outputs {
  const dtype = node.type("dtype");
  const shape = node.shape("shape");
  const declaredShape = shape?.includes(-1) ? undefined : shape;
  const { container, sharedName } = resourceIdentity(node);
  const name = sharedName || node.name;
  return ({ step }) => {
    const variable = step
      .resources(node.device)
      .lookupOrCreate(
        container,
        REFERENCE_VARIABLE,
        name,
        () => new ReferenceVariable({ dtype, name: node.name, declaredShape }),
      );
    if (variable.dtype !== dtype) {
      throw internalError(
        `Output 0 of type ${cppTypeName(variable.dtype)}_ref does not match declared output type ` +
          `${cppTypeName(dtype)}_ref for node {{node ${node.name}}}`,
      );
    }
    return [new RefValue(variable)];
  };
}

const TEMPORARY_VARIABLE = "tensorflow::TemporaryVariableOp::TmpVar";

/** A variable that belongs to one step and iteration. */
class TemporaryVariable implements Resource {
  readonly typeName = TEMPORARY_VARIABLE;
  readonly variable: ReferenceVariable;

  constructor(variable: ReferenceVariable) {
    this.variable = variable;
  }
}

function temporaryName(node: KernelNode, name: string, { frameId, iteration }: OpContext): string {
  return `${name || node.name}/frame:${frameId}/iter:${iteration}`;
}

function createTemporaryVariable(node: KernelNode): (context: OpContext) => Outputs {
  const dtype = node.type("dtype");
  const shape = node.shape("shape");
  if (shape === undefined || shape.includes(-1)) {
    throw invalidArgument("A temporary variable needs a shape that is known.");
  }
  const varName = node.string("var_name");
  return (context) => {
    const name = temporaryName(node, varName, context);
    const resources = context.step.stepResources;
    if (resources.find("", TEMPORARY_VARIABLE, name) !== undefined) {
      throw alreadyExists(`Resource ${name}/${TEMPORARY_VARIABLE}`);
    }
    const variable = new ReferenceVariable({ typeName: TEMPORARY_VARIABLE, dtype, name: node.name });
    variable.hold(zeroTensor(dtype, shape));
    resources.create("", name, new TemporaryVariable(variable));
    return [new RefValue(variable)];
  };
}

function createDestroyTemporaryVariable(node: KernelNode): (context: OpContext) => Outputs {
  const varName = node.string("var_name");
  return (context) => {
    const cell = cellInput(context, 0);
    const value = cell.value ?? uninitialized(cell);
    const name = temporaryName(node, varName, context);
    if (!context.step.stepResources.remove("", TEMPORARY_VARIABLE, name)) {
      throw notFound(`Resource ${name}/${TEMPORARY_VARIABLE} does not exist.`);
    }
    return [value];
  };
}

function createAssign(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs> {
  const validateShape = validatesShape(node);
  return (context) => {
    const variable = referredVariable(context, 0);
    const value = tensorAt(context.inputs, 1);
    if (value.dtype !== variable.dtype) {
      throw invalidArgument(
        `Assign requires types of both tensors to match. lhs type= ${cppTypeName(variable.dtype)} ` +
          `rhs type= ${cppTypeName(value.dtype)}`,
      );
    }
    return aloneAnywhere([variable], context.step, () => {
      const { shape } = variable;
      if (validateShape && shape !== undefined && !sameShape(shape, value.shape)) {
        throw invalidArgument(
          `Assign requires shapes of both tensors to match. lhs shape= ${cppShapeText(shape)} ` +
            `rhs shape= ${cppShapeText(value.shape)}`,
        );
      }
      return fill(variable, value);
    });
  };
}

/**
 * Copies a value into the variable's memory, large ones in several turns. The value itself is not adopted: it may be
 * shared, and the variable's next update would change it for its other holders.
 */
export function fill(variable: ReferenceVariable, value: Tensor): Outputs | Promise<Outputs> {
  if (value instanceof DeviceTensor) {
    // Nothing changes it there, hence the variable may share it.
    variable.hold(value);
    return [new RefValue(variable)];
  }
  const { dtype, shape, data } = value;
  const target = variable.room(shape) ?? zeroTensor(dtype, shape);
  const copy = (first: number, end: number): void => {
    const run = {
      dtype,
      target: target.data,
      at: first,
      source: data,
      from: first,
      length: end - first,
    } as const;
    updateElements("update", { ...run, step: 1 });
  };
  return inTurns(target.size, ELEMENTS_PER_TURN, copy, undefined, () => {
    variable.hold(target);
    return [new RefValue(variable)];
  });
}

function createAssignUpdate(kind: "add" | "sub"): StatefulKernelDefinition["create"] {
  return () => (context) => {
    const value = tensorAt(context.inputs, 1);
    return updateReferred(context, (variable) => {
      if (!sameShape(variable.shape ?? [], value.shape)) {
        throw invalidArgument("Parameters and update must be the same size");
      }
      return addToVariable(kind, variable, value, [new RefValue(variable)]);
    });
  };
}

function createCountUpTo(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs> {
  const limit = node.long("limit");
  return (context) => updateReferred(context, (variable) => [countUp(variable, limit)]);
}

const countTypes = { T: indexTypes } as const;

const facts: OpFacts = { neverWaits: true };
const updateFacts: OpFacts = { ...facts, keepsNoInput: true };

/** Reference variables, and the ops that assign to them. */
export const referenceVariableKernels: readonly KernelDefinition[] = [
  statefulKernel("Variable", createVariable, { types: { dtype: anyType }, facts }),
  statefulKernel("VariableV2", createVariable, { types: { dtype: anyType }, facts }),
  statefulKernel("TemporaryVariable", createTemporaryVariable, { types: { dtype: anyType }, facts }),
  statefulKernel("DestroyTemporaryVariable", createDestroyTemporaryVariable, {
    types: { T: anyType },
    facts,
  }),
  statefulKernel(
    "IsVariableInitialized",
    () => (context) => {
      const isInitialized = cellInput(context, 0).value !== undefined;
      return [new Tensor("bool", [], Uint8Array.of(Number(isInitialized)))];
    },
    { types: { dtype: anyType }, facts },
  ),
  statefulKernel("Assign", createAssign, {
    types: { T: anyType },
    facts: { ...facts, takesDeviceTensors: true },
  }),
  statefulKernel("AssignAdd", createAssignUpdate("add"), { types: { T: numberTypes }, facts: updateFacts }),
  statefulKernel("AssignSub", createAssignUpdate("sub"), { types: { T: numberTypes }, facts: updateFacts }),
  statefulKernel("CountUpTo", createCountUpTo, { types: countTypes }),
];
