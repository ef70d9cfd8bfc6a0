/**
 * Compares kernels with TensorFlow's own: the same ops with the same inputs run in one Python process, eagerly, and
 * through our registry.
 *
 *     test("…", async () => {
 *       expect(await compareWithTensorflow([{ op: "Add", inputs: [Tensor.of([1, 2]), Tensor.of([3, 4])] }])).toEqual([]);
 *     });
 */
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { tensorflowResult } from "../../../../support/tensorflow-script.js";
import { type CaseOutcome, nodeOf, type OpCase, runCase } from "./op-case.js";
import {
  encodeTensor,
  type OutcomeReply,
  outcomeOfReply,
  outcomeText,
  outputsDifference,
} from "./outcome.js";
import { describeTensor } from "./tensor-difference.js";

export { nodeOf, type OpCase, runCase };

const script = `
import base64, json, os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, tensor_pb2
from tensorflow.python.eager import context, execute
from tensorflow.python.framework import errors_impl, tensor_util
ctx = context.context()
ctx.ensure_initialized()
def attr(value):
    kind = value.WhichOneof("value")
    if kind == "list":
        for field in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
            items = list(getattr(value.list, field))
            if items:
                return [tf.TensorShape(item) for item in items] if field == "shape" else items
        return []
    if kind == "shape":
        return tf.TensorShape(value.shape)
    return getattr(value, kind)
def constant(data):
    return tf.constant(tensor_util.MakeNdarray(tensor_pb2.TensorProto.FromString(base64.b64decode(data))))
def run(case):
    node = node_def_pb2.NodeDef.FromString(base64.b64decode(case["node"]))
    attrs = []
    for name in node.attr:
        attrs += [name, attr(node.attr[name])]
    try:
        outputs = execute.execute(node.op.encode(), case["outputs"], [constant(i) for i in case["inputs"]], tuple(attrs), ctx)
        return {"outputs": [base64.b64encode(tensor_util.make_tensor_proto(o.numpy(), dtype=o.dtype).SerializeToString()).decode() for o in outputs]}
    except errors_impl.OpError as error:
        text = error.message
        if isinstance(error, errors_impl.NotFoundError) or "is not in the list of allowed values" in text:
            return {"missing": text}
        return {"code": error.error_code, "message": text}
print("RESULT " + json.dumps([run(case) for case in json.load(sys.stdin)]))
`;

/** An op that is executed eagerly finds its kernel only if the attributes that have defaults are there, too. */
function withDefaults({ def, opDef }: KernelNode): NodeDef {
  const defaults = opDef.attr.flatMap(({ name, defaultValue }) =>
    defaultValue === undefined ? [] : [[name, defaultValue] as const],
  );
  return { ...def, attr: new Map([...defaults, ...def.attr]) };
}

async function runInTensorflow(cases: readonly OpCase[]): Promise<readonly CaseOutcome[]> {
  const requests = cases.map((opCase) => {
    const node = nodeOf(opCase);
    return {
      node: Buffer.from(NodeDef.encode(withDefaults(node)).finish()).toString("base64"),
      inputs: opCase.inputs.map(encodeTensor),
      outputs: node.outputs.length,
    };
  });
  type Reply = OutcomeReply | { readonly missing: string };
  const replies = await tensorflowResult<Reply[]>(script, { input: requests });
  return replies.map((reply) => ("missing" in reply ? reply : outcomeOfReply(reply)));
}

function difference(opCase: OpCase, ours: CaseOutcome, theirs: CaseOutcome): string | undefined {
  if ("missing" in theirs) {
    // Without a kernel of TensorFlow's there is nothing to compare with.
    return undefined;
  }
  if ("missing" in ours) {
    return ours.missing;
  }
  if ("code" in theirs && theirs.code === "UNIMPLEMENTED") {
    // Ours may do more, such as broadcasts that Eigen has no code for.
    return undefined;
  }
  if ("code" in theirs) {
    const expected = `TensorFlow: ${outcomeText(theirs)}`;
    if ("outputs" in ours) {
      return `ours: ${outcomeText(ours)}\n  ${expected}`;
    }
    return ours.code === theirs.code || (opCase.anyCode === true && ours.code !== "UNKNOWN")
      ? undefined
      : `ours: ${outcomeText(ours)}\n  ${expected}`;
  }
  if ("code" in ours) {
    return `ours: ${outcomeText(ours)}\n  TensorFlow: ${outcomeText(theirs)}`;
  }
  return outputsDifference(ours.outputs, theirs.outputs, {
    ulps: opCase.ulps ?? 4,
    absolute: opCase.absolute ?? 0,
    atLargest: opCase.atLargest ?? false,
  });
}

/** A case in one line, for messages. */
function describeCase({ op, inputs, attrs }: OpCase): string {
  const shown = Object.entries(attrs ?? {}).map(([name, value]) => `${name}=${String(value)}`);
  return `${op}(${[...inputs.map(describeTensor), ...shown].join(", ")})`;
}

/** Runs all cases on both sides. Returns a text for each that differs: values, dtype, shape, or the error's code. */
export async function compareWithTensorflow(
  cases: readonly OpCase[],
  kernels: KernelRegistry = createKernelRegistry(),
): Promise<readonly string[]> {
  const theirs = await runInTensorflow(cases);
  const differences: string[] = [];
  for (const [i, opCase] of cases.entries()) {
    const their = theirs[i];
    const found = their && difference(opCase, runCase(opCase, kernels), their);
    if (found !== undefined) {
      differences.push(`${describeCase(opCase)}:\n  ${found}`);
    }
  }
  return differences;
}
