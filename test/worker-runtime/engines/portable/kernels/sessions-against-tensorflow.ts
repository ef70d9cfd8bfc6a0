/**
 * Runs single nodes in sessions of TensorFlow, several steps each: for stateful kernels, which `against-tensorflow.ts`
 * (eager, one execution) does not compare.
 */
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import type { KernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { asTensorFlowError, statusCodeName } from "../../../../../worker-runtime/protocol/status.js";
import {
  type Tensor,
  tensorFromProto,
  tensorToProto,
} from "../../../../../worker-runtime/protocol/tensor.js";
import { spawnPeer, tensorflowPython } from "../../../../support/peers.js";
import { makeKernel } from "./kernel-runner.js";
import { nodeOf, type OpCase } from "./op-case.js";
import { describeTensor, tensorDifference } from "./tensor-difference.js";

/** A node and how often its session runs it (twice unless said). */
export interface SessionCase extends OpCase {
  readonly steps?: number;
}

type StepOutcome =
  | { readonly outputs: readonly Tensor[] }
  | { readonly code: string; readonly message: string };

const script = `
import base64, json, os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import errors_impl
v1 = tf.compat.v1
off = v1.ConfigProto()
off.graph_options.rewrite_options.disable_meta_optimizer = True
def step(session, fetches):
    try:
        values = session.run(fetches)
        return {"outputs": [base64.b64encode(tf.make_tensor_proto(v).SerializeToString()).decode() for v in values if v is not None]}
    except errors_impl.OpError as error:
        return {"code": error.error_code, "message": error.message}
def run(case):
    graph = graph_pb2.GraphDef.FromString(base64.b64decode(case["graph"]))
    with tf.Graph().as_default() as g:
        try:
            tf.import_graph_def(graph, name="")
        except (ValueError, errors_impl.OpError) as error:
            code = error.error_code if isinstance(error, errors_impl.OpError) else 3
            return [{"code": code, "message": str(error)}] * case["steps"]
        op = g.get_operation_by_name("node")
        with v1.Session(graph=g, config=off) as session:
            return [step(session, list(op.outputs) or [op]) for _ in range(case["steps"])]
print("RESULT " + json.dumps([run(case) for case in json.load(sys.stdin)]))
`;

function graphOf(opCase: OpCase): string {
  const node = nodeOf(opCase);
  const inputs = opCase.inputs.map((input, index) =>
    NodeDef.fromPartial({
      name: `input${index}`,
      op: "Const",
      attr: new Map([
        ["dtype", typeAttr(input.dtype)],
        ["value", { value: { $case: "tensor", value: tensorToProto(input) } }],
      ]),
    }),
  );
  const named = { ...node.def, input: inputs.map(({ name }) => name) };
  return Buffer.from(GraphDef.encode(GraphDef.fromPartial({ node: [...inputs, named] })).finish()).toString(
    "base64",
  );
}

/** What TensorFlow's sessions give for each step of each case. */
export async function runSessions(
  cases: readonly SessionCase[],
): Promise<readonly (readonly StepOutcome[])[]> {
  const requests = cases.map((one) => ({ graph: graphOf(one), steps: one.steps ?? 2 }));
  const python = await spawnPeer(tensorflowPython(), ["-c", script], { input: JSON.stringify(requests) });
  await python.exited;
  const line = /^RESULT (.*)$/m.exec(python.stdout())?.[1];
  if (line === undefined) {
    throw new Error(`Python gave no results:\n${python.output().slice(-4000)}`);
  }
  type Reply = { outputs: string[] } | { code: number; message: string };
  return (JSON.parse(line) as Reply[][]).map((steps) =>
    steps.map((reply) =>
      "outputs" in reply
        ? {
            outputs: reply.outputs.map((data) =>
              tensorFromProto(TensorProto.decode(Buffer.from(data, "base64"))),
            ),
          }
        : { code: statusCodeName(reply.code), message: reply.message },
    ),
  );
}

async function ourStep(run: () => Promise<readonly Tensor[]>): Promise<StepOutcome> {
  try {
    return { outputs: await run() };
  } catch (error) {
    const { code, message, stack } = asTensorFlowError(error);
    return { code: statusCodeName(code), message: code === 2 ? (stack ?? message) : message };
  }
}

/** Runs all cases on both sides; a text for each step that differs in values, dtype, shape, or the error's code. */
export async function compareSessions(
  definitions: readonly KernelDefinition[],
  cases: readonly SessionCase[],
): Promise<readonly string[]> {
  const theirs = await runSessions(cases);
  const differences: string[] = [];
  for (const [index, one] of cases.entries()) {
    let kernel: ReturnType<typeof makeKernel> | undefined;
    for (const [step, their] of (theirs[index] ?? []).entries()) {
      const ours = await ourStep(() => {
        kernel ??= makeKernel(definitions, one);
        return kernel(...one.inputs);
      });
      const found = difference(one, ours, their);
      if (found !== undefined) {
        const attrs = Object.entries(one.attrs ?? {}).map(([name, value]) => `${name}=${String(value)}`);
        differences.push(`${one.op}(${attrs.join(", ")}) step ${step}: ${found}`);
      }
    }
  }
  return differences;
}

function difference(one: SessionCase, ours: StepOutcome, theirs: StepOutcome): string | undefined {
  if ("code" in theirs || "code" in ours) {
    const same = "code" in theirs && "code" in ours && theirs.code === ours.code;
    return same ? undefined : `ours: ${outcomeText(ours)}\n  TensorFlow: ${outcomeText(theirs)}`;
  }
  for (const [index, their] of theirs.outputs.entries()) {
    const our = ours.outputs[index];
    const found = our && tensorDifference(our, their, { ulps: one.ulps ?? 0, absolute: one.absolute ?? 0 });
    if (our === undefined || found !== undefined) {
      return `output ${index}: ${found ?? "is missing"}`;
    }
  }
  return undefined;
}

function outcomeText(outcome: StepOutcome): string {
  return "code" in outcome
    ? `${outcome.code} ${outcome.message}`
    : outcome.outputs.map((tensor) => describeTensor(tensor)).join("; ");
}
