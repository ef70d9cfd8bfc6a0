import { randomUUID } from "node:crypto";
import { dtypeOf } from "../../../../protocol/dtype.js";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  StatusCode,
  TensorFlowError,
} from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { after } from "../../exclusive-access.js";
import { DEFAULT_CONTAINER } from "../../resources/resource-manager.js";
import { RESOURCE_VARIABLE, ResourceVariable } from "../../resources/resource-variable.js";
import { alone, aloneAnywhere } from "../../resources/variable.js";
import type { ResourceHandle } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import type { OpFacts } from "../op-facts.js";
import { anyType, cppTypeName, indexTypes, noTypes, numberTypes } from "../support/dtypes.js";
import { integerTensor } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { checkType, handleInput, makeHandle, managerOf, variableInput } from "./resource-access.js";
import { statefulKernel } from "./stateful-kernel.js";
import { addToVariable, countUp, validatesShape } from "./variable-access.js";

/** A shared name that stands for "a new variable each time" (ResourceHandle::ANONYMOUS_NAME of TensorFlow). */
const ANONYMOUS_NAME = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

function createVarHandle(node: KernelNode): (context: OpContext) => Outputs {
  const dtype = node.type("dtype");
  const shape = node.shape("shape");
  const container = node.string("container") || DEFAULT_CONTAINER;
  // Unlike queues and tables, a variable without a shared name is named "" here, as in TensorFlow.
  const name = node.string("shared_name");
  const handle = (ownName: string) =>
    makeHandle(node, container, ownName, RESOURCE_VARIABLE, [{ dtype, shape }]);
  if (name === ANONYMOUS_NAME) {
    return () => [handle(randomUUID())];
  }
  const outputs = [handle(name)];
  return () => outputs;
}

/** Handles of several variables at once; grappler merges VarHandleOps into this op. */
function createVarHandles(node: KernelNode): (context: OpContext) => Outputs {
  const dtypes = node.types("dtypes");
  const shapes = node.shapes("shapes");
  const containers = node.strings("containers");
  const outputs = node.strings("shared_names").map((name, i) => {
    const dtype = dtypes[i];
    const contents = dtype === undefined ? [] : [{ dtype, shape: shapes[i] }];
    return makeHandle(node, containers[i] || DEFAULT_CONTAINER, name, RESOURCE_VARIABLE, contents);
  });
  return () => outputs;
}

/**
 * The value of a variable, of the node's declared dtype, while no update is in progress.
 * @throws TensorFlowError FAILED_PRECONDITION, in TensorFlow's words, if the variable does not exist.
 */
function readVariable(node: KernelNode, context: OpContext, index: number): Tensor | Promise<Tensor> {
  const handle = handleInput(context, index);
  const value = existing(node, context, index, handle).read(context.step);
  return after(value, (read) => checkRead(node, index, handle, read));
}

function existing(
  node: KernelNode,
  context: OpContext,
  index: number,
  handle: ResourceHandle,
): ResourceVariable {
  try {
    return variableInput(node, context, index);
  } catch (error) {
    if (error instanceof TensorFlowError) {
      throw unreadable(handle, error.message);
    }
    throw error;
  }
}

function unreadable(handle: ResourceHandle, reason: string): TensorFlowError {
  return failedPrecondition(
    `Could not find variable ${handle.name}. This could mean that the variable has been deleted. In TF1, it can also ` +
      `mean the variable is uninitialized. Debug info: container=${handle.container}, status error message=${reason}`,
  );
}

function checkRead(
  node: KernelNode,
  output: number,
  handle: ResourceHandle,
  value: Tensor | undefined,
): Tensor {
  if (value === undefined) {
    throw unreadable(handle, `Resource ${handle.container}/${handle.name} has no value.`);
  }
  const declared = node.outputs[output]?.dtype;
  if (declared !== undefined && dtypeOf(declared) !== value.dtype) {
    throw invalidArgument(
      `Trying to read variable with wrong dtype. Expected ${cppTypeName(dtypeOf(declared))} got ${cppTypeName(value.dtype)}`,
    );
  }
  return value;
}

function createAssignVariable(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs> {
  const dtype = node.type("dtype");
  const validateShape = validatesShape(node);
  return (context) => {
    const handle = handleInput(context, 0);
    const value = tensorAt(context.inputs, 1);
    if (value.dtype !== dtype) {
      throw invalidArgument(
        `Variable and value dtypes don't match; respectively, ${cppTypeName(dtype)} and ${cppTypeName(value.dtype)}`,
      );
    }
    const manager = managerOf(node, context, handle);
    checkType(handle, RESOURCE_VARIABLE);
    const variable = manager.lookupOrCreate(
      handle.container,
      RESOURCE_VARIABLE,
      handle.name,
      () => new ResourceVariable({ dtype, name: handle.name }),
    );
    if (variable.dtype !== dtype) {
      throw invalidArgument(
        `Trying to assign variable with wrong dtype. Expected ${cppTypeName(variable.dtype)} got ${cppTypeName(dtype)}`,
      );
    }
    return aloneAnywhere([variable], context.step, () => {
      const { shape } = variable;
      if (validateShape && shape !== undefined && !sameShape(shape, value.shape)) {
        throw invalidArgument(
          "Trying to assign to variable with tensor with wrong shape. " +
            `Expected ${cppShapeText(shape)} got ${cppShapeText(value.shape)}`,
        );
      }
      variable.assign(value);
      return [];
    });
  };
}

function createAssignUpdate(kind: "add" | "sub"): StatefulKernelDefinition["create"] {
  return (node) => (context) => {
    const variable = variableInput(node, context, 0);
    const value = tensorAt(context.inputs, 1);
    return alone([variable], context.step, () => {
      const shape = variable.shape ?? [];
      if (!sameShape(shape, value.shape)) {
        throw invalidArgument(
          `Cannot update variable with shape ${cppShapeText(shape)} using a Tensor with shape ` +
            `${cppShapeText(value.shape)}, shapes must be equal.`,
        );
      }
      if (value.dtype !== variable.dtype) {
        throw invalidArgument(
          `DType of variable handle's resource ${cppTypeName(variable.dtype)} is not ${cppTypeName(value.dtype)}`,
        );
      }
      return addToVariable(kind, variable, value, []);
    });
  };
}

function createVarIsInitialized(node: KernelNode): (context: OpContext) => Outputs {
  return (context) => {
    const handle = handleInput(context, 0);
    const variable = managerOf(node, context, handle).find<ResourceVariable>(
      handle.container,
      RESOURCE_VARIABLE,
      handle.name,
    );
    return [new Tensor("bool", [], Uint8Array.of(Number(variable?.initialized ?? false)))];
  };
}

function createDestroyResource(node: KernelNode): (context: OpContext) => Outputs {
  const ignoreLookupError = node.bool("ignore_lookup_error");
  return (context) => {
    const handle = handleInput(context, 0);
    const manager = managerOf(node, context, handle);
    try {
      manager.lookup(handle.container, handle.typeName, handle.name);
    } catch (error) {
      if (ignoreLookupError && error instanceof TensorFlowError && error.code === StatusCode.NOT_FOUND) {
        return [];
      }
      throw error;
    }
    manager.remove(handle.container, handle.typeName, handle.name);
    return [];
  };
}

function createVariableShape(node: KernelNode): (context: OpContext) => Outputs {
  const outType = node.type("out_type");
  return (context) => {
    const handle = handleInput(context, 0);
    const { shape } = variableInput(node, context, 0);
    if (shape === undefined) {
      throw notFound(`Resource ${handle.container}/${handle.name} has no value.`);
    }
    return [integerTensor(outType, [shape.length], shape)];
  };
}

const facts: OpFacts = { neverWaits: true };
const updateFacts: OpFacts = { ...facts, keepsNoInput: true };

/** Resource variables. */
export const resourceVariableKernels: readonly KernelDefinition[] = [
  statefulKernel("VarHandleOp", createVarHandle, { types: { dtype: anyType }, facts }),
  statefulKernel("_VarHandlesOp", createVarHandles, { types: { dtypes: anyType }, facts }),
  statefulKernel("VarIsInitializedOp", createVarIsInitialized, { types: noTypes, facts }),
  statefulKernel(
    "ReadVariableOp",
    (node) => (context) => after(readVariable(node, context, 0), (value): Outputs => [value]),
    { types: { dtype: anyType }, facts: { ...facts, takesDeviceTensors: true, readsVariable: true } },
  ),
  statefulKernel(
    "_ReadVariablesOp",
    (node) => (context) => Promise.all(context.inputs.map((_, index) => readVariable(node, context, index))),
    { types: { dtypes: anyType }, facts },
  ),
  statefulKernel("AssignVariableOp", createAssignVariable, {
    types: { dtype: anyType },
    facts: { ...facts, takesDeviceTensors: true },
  }),
  statefulKernel("AssignAddVariableOp", createAssignUpdate("add"), {
    types: { dtype: numberTypes },
    facts: updateFacts,
  }),
  statefulKernel("AssignSubVariableOp", createAssignUpdate("sub"), {
    types: { dtype: numberTypes },
    facts: updateFacts,
  }),
  statefulKernel("DestroyResourceOp", createDestroyResource, { types: noTypes }),
  statefulKernel("VariableShape", createVariableShape, { types: { out_type: indexTypes }, facts }),
  statefulKernel(
    "ResourceCountUpTo",
    (node) => {
      const limit = node.long("limit");
      return (context) => {
        const variable = variableInput(node, context, 0);
        return alone([variable], context.step, () => [countUp(variable, limit)]);
      };
    },
    { types: { T: indexTypes } },
  ),
];
