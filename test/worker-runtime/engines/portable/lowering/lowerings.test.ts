/**
 * Every lowering against the kernel of its op, which the differential tests compare with TensorFlow: the cases of these tests
 * run by the kernel and as a model of one node.
 */
import { afterEach, describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Lowering } from "../../../../../worker-runtime/engines/portable/lowering/lowering.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { type DType, dtypeKind, dtypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { tensorDifference } from "../../../../interop/portable/differential/compare.js";
import {
  elementsText,
  nodeDefOf,
  type OpCase,
  type Tolerance,
} from "../../../../interop/portable/differential/op-case.js";
import { nodeCases } from "../../../../interop/portable/differential/plan.js";
import { pairText, registeredChoices } from "../../../../interop/portable/differential/registered-pairs.js";
import { readSettings } from "../../../../interop/portable/differential/settings.js";
import { type Knowledge, nodeModel } from "./node-model.js";
import { OnnxSessions } from "./onnx-sessions.js";

const settings = readSettings(process.env);
const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();
const cases = nodeCases(lowerings.ops(), settings, kernels);

/** Ops whose lowerings ask for the sizes of inputs, so that their models are for these sizes alone. */
const forOneShape: readonly string[] = [
  "AvgPool3DGrad",
  "AvgPoolGrad",
  "Conv2DBackpropFilter",
  "Conv2DBackpropInput",
  "Conv3DBackpropFilterV2",
  "Conv3DBackpropInputV2",
  "DepthwiseConv2dNative",
  "DepthwiseConv2dNativeBackpropFilter",
  "DepthwiseConv2dNativeBackpropInput",
  "MaxPool3DGrad",
  "MaxPoolGradWithArgmax",
  "MaxPoolWithArgmax",
  "ResizeArea",
  "ResizeBicubic",
  "ResizeBicubicGrad",
  "ResizeBilinear",
  "ResizeBilinearGrad",
];

/**
 * Where ONNX Runtime's approximations are coarser than TensorFlow's: what is beside the values of the op in use, measured
 * over the whole range.
 */
const coarser: Readonly<Record<string, Tolerance>> = {
  // Its Where makes 0 of -0.
  Select: { ulps: 0, eitherZero: true },
  SelectV2: { ulps: 0, eitherZero: true },
  // Which of 0 and -0 is the larger is not said.
  ClipByValue: { ulps: 0, eitherZero: true },
  // For numbers that are hardly of full precision it loses digits.
  Tanh: { ulps: 4, scale: 2 ** -100 },
};

/** Cases that a model may fail for, so that the kernel computes them: ONNX Runtime is wrong about empty matrices. */
const isLeftToKernel = ({ op, inputs }: OpCase): boolean =>
  op.startsWith("BatchMatMul") && inputs.some(({ size }) => size === 0);

const isInteger = (node: KernelNode, input: number): boolean => {
  const dtype = node.inputs[input]?.dtype;
  return dtype !== undefined && ["int", "long"].includes(dtypeKind(dtypeOf(dtype)));
};
const constants: Record<string, Knowledge["isConstant"]> = {
  "no constants": () => false,
  "constant integers": isInteger,
  "all but the first constant": (_, input) => input > 0,
};
const knowledge: readonly Knowledge[] = [true, false].flatMap((shapes) =>
  Object.entries(constants).map(([name, isConstant]) => ({
    name: `${name}, ${shapes ? "shapes known" : "shapes unknown"}`,
    shapes,
    isConstant,
  })),
);

/** The kernel's result; undefined where it refuses the inputs. */
function kernelOutputs(node: KernelNode, inputs: readonly Tensor[]): readonly Tensor[] | undefined {
  const kernel = kernels.find(node, "CPU");
  if (kernel?.kind !== "pure") return undefined;
  try {
    return kernel.create(node)(inputs);
  } catch (error) {
    if (error instanceof TensorFlowError) return undefined;
    throw error;
  }
}

/** The outcome of the cases of one op. */
class Findings {
  readonly failures: string[] = [];
  /** Lowerings that gave a model, and those that did so without being told a shape. */
  readonly made = new Set<Lowering>();
  readonly symbolic = new Set<Lowering>();
  readonly #compared = new Set<string>();

  compared(lowering: Lowering, node: KernelNode): void {
    for (const name of Object.keys(lowering.types)) {
      for (const dtype of node.typesIn(name)) this.#compared.add(pairText(node.op, name, dtype));
    }
  }

  /** The dtypes that a lowering says it takes and that no case has compared. */
  missing(lowering: Lowering): string[] {
    const registered = new Set(
      registeredChoices(kernels, lowering.op).flatMap((choice) =>
        [...choice].map(([name, dtype]) => pairText(lowering.op, name, dtype)),
      ),
    );
    return Object.entries(lowering.types).flatMap(([name, dtypes]: [string, readonly DType[]]) =>
      dtypes
        .map((dtype) => pairText(lowering.op, name, dtype))
        .filter((pair) => registered.has(pair) && !this.#compared.has(pair)),
    );
  }
}

const sessions = new OnnxSessions();
afterEach(() => sessions.release());

async function compareCase(one: OpCase, findings: Findings): Promise<void> {
  const node = new KernelNode(nodeDefOf(one), bundledOpRegistry().require(one.op));
  const lowering = lowerings.find(node);
  if (lowering === undefined || kernels.find(node, "CPU") === undefined) return;
  const expected = kernelOutputs(node, one.inputs);
  const tried = new Set<string>();
  for (const how of knowledge) {
    const model = nodeModel(node, lowering, one.inputs, how);
    if (model === undefined) continue;
    if (expected !== undefined) {
      findings.made.add(lowering);
      if (!how.shapes) findings.symbolic.add(lowering);
    }
    // The same model need not run again with the same inputs.
    const key = Buffer.from(model.bytes).toString("latin1");
    if (tried.has(key)) continue;
    tried.add(key);
    const fault = await faultOf(one, expected, () => sessions.run(model, one.inputs));
    if (fault === undefined) findings.compared(lowering, node);
    else findings.failures.push(`${how.name}: ${textOf(one)}\n    ${fault}`);
  }
}

async function faultOf(
  one: OpCase,
  expected: readonly Tensor[] | undefined,
  run: () => Promise<readonly Tensor[]>,
): Promise<string | undefined> {
  const { op, outputs, tolerance: usual } = one;
  const tolerance = coarser[op] ?? usual;
  let given: readonly Tensor[];
  try {
    given = await run();
  } catch (error) {
    if (expected === undefined || isLeftToKernel(one)) return undefined;
    return `it fails: ${error instanceof Error ? error.message : error}`;
  }
  if (expected === undefined) {
    return `the kernel refuses the inputs, and the lowering gives ${given.map(tensorText).join("; ")}`;
  }
  if (given.length !== expected.length) {
    return `${given.length} outputs, not ${expected.length}`;
  }
  return (outputs ?? expected.map((_, i) => i)).flatMap((i) => {
    const [wanted, got] = [expected[i], given[i]];
    const what = wanted && got && tensorDifference(wanted, got, tolerance);
    return what === undefined ? [] : [`output ${i}: ${what}`];
  })[0];
}

const tensorText = (tensor: Tensor): string => `${tensor.dtype}[${tensor.shape}] ${elementsText(tensor)}`;

const textOf = ({ op, inputs, attrs }: OpCase): string =>
  `${op}(${inputs.map(tensorText).join("; ")}) ${JSON.stringify(attrs, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  )}`.slice(0, 600);

describe(`a lowering gives what the kernel gives (${settings.repeat})`, () => {
  test.each(lowerings.ops())("%s", async (op) => {
    const findings = new Findings();
    for (const one of cases.filter((some) => some.op === op)) await compareCase(one, findings);
    expect(findings.failures.slice(0, settings.shown)).toEqual([]);
    for (const lowering of lowerings.of(op)) {
      expect(findings.made, "it has to take some of the cases").toContain(lowering);
      expect(findings.missing(lowering), "dtypes that were not compared").toEqual([]);
    }
    const needsShapes = lowerings
      .of(op)
      // Those for float16 are the same, of which there are fewer cases.
      .some((lowering) => lowering.types.T?.join() !== "float16" && !findings.symbolic.has(lowering));
    expect(forOneShape.includes(op), "whether it takes no case of which it does not know the sizes").toBe(
      needsShapes,
    );
  });
});
