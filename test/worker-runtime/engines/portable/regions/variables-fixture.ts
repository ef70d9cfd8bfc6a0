/** Variables that regions change, and nodes that use them. */
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { toHost } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import type { ReferenceVariable } from "../../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import {
  RESOURCE_VARIABLE,
  type ResourceVariable,
} from "../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, bool, node, ret, text, type } from "../executor/graph-fixture.js";
import { numbers, type RegionTask } from "./regions-fixture.js";

export const T = type("float32");
export const shape: AttrValue["value"] = { $case: "shape", value: { dim: [], unknownRank: true } };

export const handle = (name: string, dtype = T): NodeDef =>
  node("VarHandleOp", name, [], { dtype, shape, shared_name: text(name), container: text("") });
export const read = (name: string, of: string, ...control: string[]): NodeDef =>
  node("ReadVariableOp", name, [of, ...control], { dtype: T });
export const assign = (name: string, of: string, value: string, ...control: string[]): NodeDef =>
  node("AssignVariableOp", name, [of, value, ...control], { dtype: T, validate_shape: bool(false) });
export const referenceTo = (name: string): NodeDef => node("VariableV2", name, [], { dtype: T, shape });
export const assignReferred = (name: string, of: string, value: string, ...control: string[]): NodeDef =>
  node("Assign", name, [of, value, ...control], { T, validate_shape: bool(false) });
export const change = (op: string, name: string, of: string, value: string, ...control: string[]): NodeDef =>
  node(op, name, [of, value, ...control], { dtype: T });

/** A value that is large enough to stay on the thread. */
export const SIZE = 8192;
export const filled = (value: number, size = SIZE) =>
  new Tensor("float32", [size], new Float32Array(size).fill(value));

/** The first element, and whether all others are the same. */
export function uniform(value: unknown): number | undefined {
  const all = numbers(value as Tensor);
  return all.every((one) => one === all[0]) ? all[0] : undefined;
}

export async function initialize(task: RegionTask, name: string, value: Tensor): Promise<void> {
  const graph = task.register([handle(name), arg("value", 0, "float32"), assign("init", name, "value")]);
  await graph.run({ args: [value] });
}

export async function currentValue(task: RegionTask, name: string): Promise<Tensor> {
  const graph = task.register([handle(name), read("read", name), ret("read", 0, "float32")]);
  const [value] = await graph.run();
  return onHost(value);
}

export async function onHost(value: unknown): Promise<Tensor> {
  return (await toHost(value, new AbortController())) as Tensor;
}

export function variable(task: RegionTask, name: string): ResourceVariable {
  return task.resources.lookup<ResourceVariable>("localhost", RESOURCE_VARIABLE, name);
}

export function referenceVariable(task: RegionTask, name: string): ReferenceVariable {
  return task.resources.lookup<ReferenceVariable>("localhost", "tensorflow::LegacyVar", name);
}
