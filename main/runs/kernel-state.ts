import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";

/**
 * Stateful ops whose state is in their task's resources, under the node's name, where every session of the cluster
 * finds it; or that have none and are merely not to be optimized away.
 */
const stateOfTask =
  /^(Variable(V2)?|VarHandleOp|VarIsInitializedOp|ReadVariableOp|DestroyResourceOp|Assign\w*VariableOp|ResourceApply\w+|ResourceSparseApply\w+|ResourceScatter\w+|ResourceGather\w*|ResourceStridedSliceAssign|FIFOQueue(V2)?|QueueEnqueue\w*|QueueDequeue\w*|QueueSize(V2)?|QueueClose(V2)?|Print(V2)?|Assert|Placeholder\w*|Save\w*|Restore\w*|MergeV2Checkpoints|ReadFile|WriteFile)$/;

/**
 * Whether a graph has ops that keep state in their session's own kernels: where a random sequence or an iterator stands.
 * Such a graph must run all its steps in one session, or the second would restart the sequence.
 */
export function keepsStateInKernels({ node, library }: GraphDef): boolean {
  const ops = bundledOpRegistry();
  const isKept = (op: string) => {
    if (stateOfTask.test(op)) return false;
    const def = ops.get(op);
    // An unknown op may keep any state; the graph's own functions are examined.
    return def ? def.isStateful : !library?.function.some(({ signature }) => signature?.name === op);
  };
  const inFunctions = library?.function.flatMap(({ nodeDef }) => nodeDef) ?? [];
  return [...node, ...inFunctions].some(({ op }) => isKept(op) && !isCall(op));
}

/** Ops that call functions are stateful because of their callees. */
function isCall(op: string): boolean {
  return /^(StatefulPartitionedCall|If|While|Case|RemoteCall|SymbolicGradient)$/.test(op);
}
