import { failedPrecondition, internalError, invalidArgument } from "../../../../protocol/status.js";
import type { Resource, ResourceManager } from "../../resources/resource-manager.js";
import { RESOURCE_VARIABLE, type ResourceVariable } from "../../resources/resource-variable.js";
import { ObjectTensor, type RefCell, RefValue, type ResourceHandle } from "../../values.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";

/** The arguments of a node. */
export type InputContext = Pick<OpContext, "inputs" | "step">;

/** The container and shared name of a node's resource; "" if the node has none. */
export interface ResourceIdentity {
  readonly container: string;
  readonly sharedName: string;
}

/**
 * The attributes `container` and `shared_name` of a node.
 * @throws TensorFlowError INVALID_ARGUMENT in the words of TensorFlow's ContainerInfo::Init.
 */
export function resourceIdentity(node: KernelNode): ResourceIdentity {
  const container = node.has("container") ? node.string("container") : "";
  if (!/^([A-Za-z0-9.][A-Za-z0-9_.\-/]*)?$/.test(container)) {
    throw invalidArgument(`container contains invalid characters: ${container}`);
  }
  const sharedName = node.has("shared_name") ? node.string("shared_name") : "";
  if (sharedName.startsWith("_")) {
    throw invalidArgument(`shared_name cannot start with '_':${sharedName}`);
  }
  return { container, sharedName };
}

/** The name of a node's resource: its shared name, or a name private to the node in this session. */
export function privateOrSharedName(
  node: KernelNode,
  identity: ResourceIdentity,
  { step }: OpContext,
): string {
  if (identity.sharedName !== "") {
    return identity.sharedName;
  }
  return node.has("use_node_name_sharing") && node.bool("use_node_name_sharing")
    ? node.name
    : step.resources(node.device).privateName(step.session ?? "", identity.container, node);
}

/** Input `index` as the cell of a reference variable, which may have no value yet. */
export function cellInput(context: OpContext, index: number): RefCell {
  const input = context.inputs[index];
  if (!(input instanceof RefValue)) {
    throw internalError(`Input ${index} is no reference.`);
  }
  return input.cell;
}

/** Input `index` as a resource handle. @throws TensorFlowError INVALID_ARGUMENT */
export function handleInput({ inputs }: InputContext, index: number): ResourceHandle {
  const input = inputs[index];
  if (!(input instanceof ObjectTensor) || input.dtype !== "resource") {
    throw invalidArgument(`Input ${index} is no resource handle.`);
  }
  const [handle] = input.elements as readonly ResourceHandle[];
  if (handle === undefined) {
    throw invalidArgument("Trying to access resource using an empty handle.");
  }
  return handle;
}

/**
 * The resources of the device that a handle names.
 * @throws TensorFlowError INVALID_ARGUMENT for a handle of another device.
 */
export function managerOf(node: KernelNode, context: InputContext, handle: ResourceHandle): ResourceManager {
  if (handle.device !== node.device) {
    throw invalidArgument(
      `Trying to access resource ${handle.name} located in device ${handle.device} from device ${node.device}`,
    );
  }
  return handle.container === STEP_CONTAINER
    ? context.step.stepResources
    : context.step.resources(handle.device);
}

/** The container of resources that are released with their step; a manager holds those of one step only. */
export const STEP_CONTAINER = "__per_step";

/**
 * The resource that the handle at input `index` names.
 * @param typeName the resource type that the op accepts.
 * @throws TensorFlowError INVALID_ARGUMENT for a handle of another kind or device, NOT_FOUND if the resource no longer
 *   exists.
 */
export function resourceInput<T extends Resource>(
  node: KernelNode,
  context: InputContext,
  index: number,
  typeName: string,
): T {
  const handle = handleInput(context, index);
  const manager = managerOf(node, context, handle);
  checkType(handle, typeName);
  return manager.lookup<T>(handle.container, typeName, handle.name);
}

/** @throws TensorFlowError INVALID_ARGUMENT if the handle names a resource of another type. */
export function checkType(handle: ResourceHandle, typeName: string): void {
  if (handle.typeName !== typeName) {
    throw invalidArgument(
      `Trying to access a handle's resource using the wrong type. The handle points to a resource (name '${handle.name}') ` +
        `of type '${handle.typeName}' but you are trying to access the resource as type '${typeName}'`,
    );
  }
}

/** The variable that the handle at input `index` names. @throws TensorFlowError as `resourceInput`. */
export function variableInput(node: KernelNode, context: InputContext, index: number): ResourceVariable {
  return resourceInput<ResourceVariable>(node, context, index, RESOURCE_VARIABLE);
}

/** A handle for a resource on the node's own device. */
export function makeHandle(
  node: KernelNode,
  container: string,
  name: string,
  typeName: string,
  dtypesAndShapes: ResourceHandle["dtypesAndShapes"] = [],
): ObjectTensor<ResourceHandle> {
  return ObjectTensor.resource({ device: node.device, container, name, typeName, dtypesAndShapes });
}

/**
 * @throws TensorFlowError FAILED_PRECONDITION in the words of TensorFlow's executor for a reference without a value.
 */
export function uninitialized(cell: RefCell): never {
  throw failedPrecondition(`Attempting to use uninitialized value ${cell.name}`);
}
