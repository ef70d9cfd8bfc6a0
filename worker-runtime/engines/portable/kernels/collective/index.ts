import type { DType } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { treeBroadcast } from "../../collectives/broadcast-tree.js";
import { CollectiveType } from "../../collectives/collective.js";
import { ringGather, ringReduce } from "../../collectives/ring.js";
import type { KernelDefinition, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { indexTypes } from "../support/dtypes.js";
import { indicesOf } from "../support/elements.js";
import { sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { reductionOf } from "./merge-ops.js";
import { type CollectiveKeys, keysOfAttrs, keysOfInputs, runCollective } from "./run-collective.js";

const gatherTypes = ["float32", "float16", "float64", "int32", "int64"] as const satisfies readonly DType[];
const reduceTypes = [...gatherTypes, "bfloat16"] as const satisfies readonly DType[];
const broadcastTypes = [...gatherTypes, "bool"] as const satisfies readonly DType[];

/** Returns a node's keys, which are attributes, or inputs of each execution. */
type KeysOf = (context: OpContext) => CollectiveKeys;

function attrKeys(node: KernelNode): KeysOf {
  const keys = keysOfAttrs(node);
  return () => keys;
}

function collective(
  op: string,
  types: readonly DType[],
  create: StatefulKernelDefinition["create"],
): StatefulKernelDefinition {
  return {
    kind: "stateful",
    op,
    types: { T: types, ...(op === "CollectiveBcastRecvV2" ? { Tshape: indexTypes } : {}) },
    facts: { isCollective: true },
    create,
  };
}

function reduce(op: string, keysFor: (node: KernelNode) => KeysOf): StatefulKernelDefinition {
  return collective(op, reduceTypes, (node) => {
    const keysOf = keysFor(node);
    const reduction = reductionOf(node.string("merge_op"), node.string("final_op"), node.type("T"));
    return (context) => {
      const input = tensorAt(context.inputs, 0);
      const keys = keysOf(context);
      return runCollective(node, context, {
        keys,
        type: CollectiveType.REDUCTION,
        shape: input.shape,
        isSource: false,
        run: (execution) => ringReduce(execution, input, reduction(keys.groupSize)),
      });
    };
  });
}

function gather(op: string, keysFor: (node: KernelNode) => KeysOf): StatefulKernelDefinition {
  return collective(op, gatherTypes, (node) => {
    const keysOf = keysFor(node);
    return (context) => {
      const input = tensorAt(context.inputs, 0);
      const keys = keysOf(context);
      const [first, ...rest] = input.shape;
      if (first === undefined) {
        throw invalidArgument("input should have rank > 0, received 0");
      }
      return runCollective(node, context, {
        keys,
        type: CollectiveType.GATHER,
        shape: [first * keys.groupSize, ...rest],
        isSource: false,
        run: (execution) => ringGather(execution, input),
      });
    };
  });
}

function broadcastSend(
  op: string,
  keysFor: (node: KernelNode) => KeysOf,
  declaredShape: (node: KernelNode) => readonly number[] | undefined,
): StatefulKernelDefinition {
  return collective(op, broadcastTypes, (node) => {
    const keysOf = keysFor(node);
    const declared = declaredShape(node);
    return (context) => {
      const input = tensorAt(context.inputs, 0);
      const { dtype, shape } = input;
      if (declared !== undefined && !sameShape(declared, shape)) {
        throw internalError(`Declared shape of op ${node.name}: Broadcast(1) does not match shape of input`);
      }
      return runCollective(node, context, {
        keys: keysOf(context),
        type: CollectiveType.BROADCAST,
        shape,
        isSource: true,
        run: (execution) => treeBroadcast(execution, input, dtype, shape),
      });
    };
  });
}

function broadcastRecv(
  op: string,
  keysFor: (node: KernelNode) => KeysOf,
  shapeFor: (node: KernelNode) => (context: OpContext) => readonly number[],
): StatefulKernelDefinition {
  return collective(op, broadcastTypes, (node) => {
    const keysOf = keysFor(node);
    const shapeOf = shapeFor(node);
    const dtype = node.type("T");
    return (context) => {
      const shape = shapeOf(context);
      return runCollective(node, context, {
        keys: keysOf(context),
        type: CollectiveType.BROADCAST,
        shape,
        isSource: false,
        run: (execution) => treeBroadcast(execution, undefined, dtype, shape),
      });
    };
  });
}

/** @throws TensorFlowError INVALID_ARGUMENT for a shape with an unknown size. */
function attrShape(node: KernelNode): readonly number[] {
  const shape = node.shape("shape");
  if (shape === undefined || shape.some((size) => size < 0)) {
    throw invalidArgument(
      `${node.op} needs to know the shape of its tensor, which attr 'shape' leaves open.`,
    );
  }
  return shape;
}

function constantShape(node: KernelNode): () => readonly number[] {
  const shape = attrShape(node);
  return () => shape;
}

function inputShape({ inputs }: OpContext): readonly number[] {
  const shape = [...indicesOf(tensorAt(inputs, 3))];
  if (shape.some((size) => size < 0)) {
    throw invalidArgument(`Dimensions must be >= 0 but the shape is [${shape.join(",")}]`);
  }
  return shape;
}

/** Ops that tasks of a cluster run together: reductions, gathers and broadcasts of the members' tensors. */
export const collectiveKernels: readonly KernelDefinition[] = [
  reduce("CollectiveReduce", attrKeys),
  reduce("CollectiveReduceV2", () => (context) => keysOfInputs(context, 1)),
  gather("CollectiveGather", attrKeys),
  gather("CollectiveGatherV2", () => (context) => keysOfInputs(context, 1)),
  broadcastSend("CollectiveBcastSend", attrKeys, attrShape),
  broadcastSend(
    "CollectiveBcastSendV2",
    () => (context) => keysOfInputs(context, 1),
    () => undefined,
  ),
  broadcastRecv("CollectiveBcastRecv", attrKeys, constantShape),
  broadcastRecv(
    "CollectiveBcastRecvV2",
    () => (context) => keysOfInputs(context, 0),
    () => inputShape,
  ),
];
