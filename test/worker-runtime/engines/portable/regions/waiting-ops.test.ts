import { expect, test } from "vitest";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { waitsForInputsAlone } from "../../../../../worker-runtime/engines/portable/regions/waiting-ops.js";

const kernels = createKernelRegistry();
const waits = (op: string) => !waitsForInputsAlone(op, kernels.facts(op));

test.each(
  [
    "NoOp Identity Switch Merge Placeholder _Send _Arg _Retval",
    "VariableV2 Assign IsVariableInitialized VarHandleOp ReadVariableOp AssignAddVariableOp VariableShape",
    "ScatterNdAdd ResourceScatterUpdate ResourceStridedSliceAssign ResourceGather",
    "ApplyAdam ResourceApplyMomentum SparseApplyFtrl ResourceSparseApplyAdagrad",
    "_SwitchN StackV2 StackPushV2 StackPopV2 TensorArrayV3 TensorArrayReadV3 TensorArrayWriteV3 TensorArrayGradV3",
    "TensorListPushBack TensorListPopBack TensorListGetItem TensorListSetItem TensorListStack",
    "RandomUniform RandomUniformInt RandomShuffle Multinomial StatefulStandardNormalV2",
  ].flatMap((ops) => ops.split(" ")),
)("%s waits for nothing but its inputs", (op) => {
  expect(waits(op)).toBe(false);
});

test.each([
  "_Recv",
  "QueueDequeueV2",
  "QueueEnqueueV2",
  "Barrier",
  "PartitionedCall",
  "CollectiveReduce",
  "ReadFile",
])("%s may wait for more than its inputs", (op) => {
  expect(waits(op)).toBe(true);
});
