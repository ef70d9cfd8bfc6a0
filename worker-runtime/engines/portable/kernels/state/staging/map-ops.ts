import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Value } from "../../../values.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { anyType } from "../../support/dtypes.js";
import { integersOf, longsOf } from "../../support/elements.js";
import { cppShapeText } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { resourceIdentity } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { STAGING_MAP, StagingMap } from "./staging-map.js";

type MapAct = (map: StagingMap, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

/** A kernel that acts on the map with its node's shared name (or the node's name); there are no handles. */
function mapKernel(
  op: string,
  isOrdered: boolean,
  types: KernelTypes,
  act: MapAct,
): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    const { container, sharedName } = resourceIdentity(node);
    const limits = { capacity: node.int("capacity"), memoryBytes: node.int("memory_limit") };
    const width = node.types("dtypes").length;
    const typeName = isOrdered ? `${STAGING_MAP}<ordered>` : STAGING_MAP;
    return (context: OpContext) => {
      const map = context.step
        .resources(node.device)
        .lookupOrCreate(
          container,
          typeName,
          sharedName || node.name,
          () => new StagingMap(limits, width, isOrdered),
        );
      return act(map, context, node);
    };
  };
  return statefulKernel(op, create, { types });
}

/** The key at input 0. @throws TensorFlowError INVALID_ARGUMENT if it is not a scalar. */
function keyOf(inputs: readonly Value[]): bigint {
  const key = tensorAt(inputs, 0);
  if (key.shape.length !== 0) {
    throw invalidArgument(`key must be an int64 scalar, but it has shape ${cppShapeText(key.shape)}`);
  }
  return longsOf(key)[0] ?? 0n;
}

/**
 * The indexes at input `at`.
 * @throws TensorFlowError INVALID_ARGUMENT unless there are `count` of them, one per value.
 */
function indexesOf(inputs: readonly Value[], at: number, count: number): readonly number[] {
  const indices = integersOf(tensorAt(inputs, at));
  if (indices.length !== count) {
    throw invalidArgument(`Mismatch stage/unstage: ${indices.length} vs. ${count}`);
  }
  return indices;
}

function scalar(value: number): Tensor {
  return new Tensor("int32", [], Int32Array.of(value));
}

/** The ops' actions, keyed by the part of the op name after "Map". */
const acts: Readonly<Record<string, MapAct>> = {
  Stage: async (map, { inputs, step }) => {
    const values = inputs.slice(2);
    await map.put(keyOf(inputs), { indices: indexesOf(inputs, 1, values.length), values }, step.signal);
    return [];
  },
  Peek: (map, { inputs, step }, node) =>
    map.peek(keyOf(inputs), indexesOf(inputs, 1, node.outputs.length), step.signal),
  Unstage: (map, { inputs, step }, node) =>
    map.take(keyOf(inputs), indexesOf(inputs, 1, node.outputs.length), step.signal),
  UnstageNoKey: async (map, { inputs, step }, node) => {
    const { key, values } = await map.takeAny(indexesOf(inputs, 0, node.outputs.length - 1), step.signal);
    return [new Tensor("int64", [], BigInt64Array.of(key)), ...values];
  },
  Size: (map) => [scalar(map.size)],
  IncompleteSize: (map) => [scalar(map.incompleteSize)],
  Clear: (map) => {
    map.clear();
    return [];
  },
};

/** Staging maps, ordered by key or unordered: tuples that one step passes to another. */
export const stagingMapKernels: readonly KernelDefinition[] = [true, false].flatMap((isOrdered) =>
  Object.entries(acts).map(([name, act]) =>
    mapKernel(
      `${isOrdered ? "Ordered" : ""}Map${name}`,
      isOrdered,
      { dtypes: anyType, ...(name === "Stage" ? { fake_dtypes: anyType } : {}) },
      act,
    ),
  ),
);
