/** Which ops have a gradient in TensorFlow and none here, of those that both engines compute. */
import { beforeAll, describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../worker-runtime/engines/portable/kernels/all.js";
import { endsGradients } from "../../worker-runtime/graph/gradients/not-differentiable.js";
import { differentiableOps } from "../../worker-runtime/graph/gradients/rules.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const PYTHON = `
import json
import tensorflow as tf
from tensorflow.python.framework.ops import gradient_registry as registry
names = registry.list()
known = [name for name in names if registry.lookup(name) is not None]
print("RESULT " + json.dumps({"differentiable": known, "not": [name for name in names if name not in known]}))
`;

interface Registered {
  readonly differentiable: readonly string[];
  /** Registered as ops without a gradient. */
  readonly not: readonly string[];
}

/** Why ops have no gradient here. */
const REASONS: Readonly<Record<string, string>> = {
  "real Fourier transforms of images are seldom in models that are trained": "RFFT2D",
  "a part of a loop, which is differentiated as a whole": "Exit LoopCond NextIteration",
  "references, which tf.compat.v1 makes only of variables and passes no gradient through in loops": `
    RefEnter RefExit RefIdentity RefMerge RefNextIteration RefSwitch`,
  "TensorFlow refuses its gradient, too": "PreventGradient",
  "TensorFlow's own raises NotImplementedError":
    "SparseDenseCwiseAdd SparseSparseMaximum SparseSparseMinimum",
  "replaced by later ops, which have one": "BatchToSpace Reverse SpaceToBatch TopK",
  "second derivatives of batch normalization": "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3",
  "its gradient is an op that the portable engine has no kernel for": "MaxPoolGrad SparseSlice",
  "ragged tensors and optionals, which the graph builder does not make": `
    OptionalFromValue OptionalGetValue RaggedGather RaggedTensorFromVariant RaggedTensorToSparse
    RaggedTensorToTensor RaggedTensorToVariant`,
  "seldom in models that are trained":
    "ImageProjectiveTransformV2 ImageProjectiveTransformV3 ResourceGatherNd",
};

describe.skipIf(peerMissing("tensorflow"))("the gradients of TensorFlow's registry", () => {
  let registered: Registered;

  beforeAll(async () => {
    registered = await tensorflowResult<Registered>(PYTHON);
  });

  test("those that are missing here have a reason", () => {
    const kernels = new Set(createKernelRegistry().ops());
    const ours = new Set(differentiableOps());
    const missing = registered.differentiable.filter(
      (op) => kernels.has(op) && !ours.has(op) && !endsGradients(op),
    );
    const listed = Object.values(REASONS).flatMap((names) => names.trim().split(/\s+/));
    expect(missing.sort()).toEqual(listed.sort());
  });

  test("no op has one here that TensorFlow registers as one without", () => {
    const ours = new Set(differentiableOps());
    expect(registered.not.filter((op) => ours.has(op))).toEqual([]);
  });
});
