import { internalError } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Resource } from "../../resources/resource-manager.js";
import { DEFAULT_CONTAINER } from "../../resources/resource-manager.js";
import { type RefCell, RefValue, type ResourceHandle } from "../../values.js";
import type { KernelTypes, OpContext, Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { stringsOf } from "../support/elements.js";
import {
  makeHandle,
  privateOrSharedName,
  resourceIdentity,
  resourceInput,
  STEP_CONTAINER,
} from "./resource-access.js";
import { statefulKernel } from "./stateful-kernel.js";

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };

/** Creates and finds the resource of a node. */
export interface ResourceMaker<T extends Resource> {
  /** The type name of the resource in handles. */
  readonly typeName: string;
  /** Reads the node's attributes. @returns a function that creates the resource with a name. */
  prepare(node: KernelNode): (name: string) => T;
  /** Rejects a resource of this name that was created with other attributes. @throws TensorFlowError */
  check?(found: T, node: KernelNode): void;
  /** The dtypes and shapes in the handle. */
  describe?(node: KernelNode): ResourceHandle["dtypesAndShapes"];
}

/**
 * The kernel of an op that creates a resource and returns its handle: a resource handle, or for older ops a reference
 * to two strings, container and name.
 */
export function resourceKernel<T extends Resource>(
  op: string,
  maker: ResourceMaker<T>,
  types: KernelTypes,
): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    const containerName = resourceIdentity(node);
    const make = maker.prepare(node);
    const container = containerName.container || DEFAULT_CONTAINER;
    const isRef = node.outputs[0]?.isRef === true;
    return (context: OpContext): Outputs => {
      const name = privateOrSharedName(node, containerName, context);
      const resource = context.step
        .resources(node.device)
        .lookupOrCreate(container, maker.typeName, name, () => make(name));
      maker.check?.(resource, node);
      return [
        isRef
          ? new RefValue(handleCell(container, name))
          : makeHandle(node, container, name, maker.typeName, maker.describe?.(node)),
      ];
    };
  };
  return statefulKernel(op, create, { types });
}

/** The cell that a reference to a resource's handle points to. */
export function handleCell(container: string, name: string): RefCell {
  const value = new Tensor("string", [2], [utf8.encoder.encode(container), utf8.encoder.encode(name)]);
  return { dtype: "string", name, value, read: () => value, readOnce: () => value };
}

/**
 * The resource that input `index` names, in either form.
 * @throws TensorFlowError NOT_FOUND, INVALID_ARGUMENT for a handle of another kind.
 */
export function handledResource<T extends Resource>(
  node: KernelNode,
  context: OpContext,
  index: number,
  typeName: string,
): T {
  const input = context.inputs[index];
  const strings = input instanceof RefValue ? input.cell.value : input;
  if (!(strings instanceof Tensor)) {
    return resourceInput<T>(node, context, index, typeName);
  }
  const [container, name] = stringsOf(strings);
  if (container === undefined || name === undefined) {
    throw internalError("Resource handle must have two elements, but has shape: [1]");
  }
  const containerName = utf8.decoder.decode(container);
  const manager =
    containerName === STEP_CONTAINER ? context.step.stepResources : context.step.resources(node.device);
  return manager.lookup<T>(containerName, typeName, utf8.decoder.decode(name));
}
