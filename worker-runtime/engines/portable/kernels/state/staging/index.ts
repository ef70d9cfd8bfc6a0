import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Value } from "../../../values.js";
import type { KernelDefinition, OpContext, Outputs, StatefulKernelDefinition } from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { anyType } from "../../support/dtypes.js";
import { scalarOf } from "../../support/elements.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { resourceIdentity } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { stagingMapKernels } from "./map-ops.js";
import { STAGING_AREA, StagingArea } from "./staging-area.js";

type StagingAct = (area: StagingArea, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

/** A kernel that acts on the area with its node's shared name (or the node's name); there are no handles. */
function stagingKernel(op: string, act: StagingAct): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    const { container, sharedName } = resourceIdentity(node);
    const limits = { capacity: node.int("capacity"), memoryBytes: node.int("memory_limit") };
    return (context: OpContext) => {
      const area = context.step
        .resources(node.device)
        .lookupOrCreate(container, STAGING_AREA, sharedName || node.name, () => new StagingArea(limits));
      return act(area, context, node);
    };
  };
  return statefulKernel(op, create, { types: { dtypes: anyType } });
}

/** A tuple as the outputs of a node. @throws TensorFlowError INVALID_ARGUMENT if their numbers differ. */
function outputs(tuple: readonly Value[], node: KernelNode): Outputs {
  if (tuple.length !== node.outputs.length) {
    throw invalidArgument(`Mismatch stage/unstage: ${tuple.length} vs. ${node.outputs.length}`);
  }
  return tuple;
}

/** Staging areas and maps: tuples that one step passes to another. */
export const stagingKernels: readonly KernelDefinition[] = [
  stagingKernel("Stage", async (area, { inputs, step }) => {
    await area.put(inputs, step.signal);
    return [];
  }),
  stagingKernel("Unstage", async (area, { step }, node) => outputs(await area.take(step.signal), node)),
  stagingKernel("StagePeek", async (area, { inputs, step }, node) => {
    const index = scalarOf(tensorAt(inputs, 0), "index");
    if (index < 0) {
      throw invalidArgument(`index must be >= 0 not ${index}`);
    }
    return outputs(await area.peek(index, step.signal), node);
  }),
  stagingKernel("StageSize", ({ size }) => [new Tensor("int32", [], Int32Array.of(size))]),
  stagingKernel("StageClear", (area) => {
    area.clear();
    return [];
  }),
  ...stagingMapKernels,
];
