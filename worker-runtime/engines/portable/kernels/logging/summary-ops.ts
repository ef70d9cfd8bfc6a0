import {
  Summary,
  type Summary_Value,
  SummaryMetadata,
} from "../../../../../protos/generated/tensorflow/summary.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor, tensorToProto } from "../../../../protocol/tensor.js";
import { textsOf } from "../io/string-inputs.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { isLong, isSmallFloat, realTypes } from "../support/dtypes.js";
import { inputAt, longsOf, numbersOf, stringsOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { toFloat32 } from "../support/small-floats.js";
import { histogramOf } from "./histogram.js";

/** The elements as float64. */
function realsOf(tensor: Tensor): ArrayLike<number> {
  if (isSmallFloat(tensor.dtype)) {
    return numbersOf(toFloat32(tensor));
  }
  return isLong(tensor.dtype) ? Float64Array.from(longsOf(tensor), Number) : numbersOf(tensor);
}

function summaryTensor(values: readonly Partial<Summary_Value>[]): Tensor {
  const bytes = Summary.encode(Summary.fromPartial({ value: [...values] })).finish();
  return new Tensor("string", [], [bytes]);
}

/** A serialized message of an input. @throws TensorFlowError INVALID_ARGUMENT */
function parse<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array, what: string): T {
  try {
    return type.decode(bytes);
  } catch (error) {
    throw invalidArgument(`Could not parse ${what}`, { cause: error });
  }
}

function scalarSummary(inputs: readonly Tensor[]): Tensor {
  const tags = inputAt(inputs, 0);
  const values = inputAt(inputs, 1);
  const texts = textsOf(tags);
  if (!sameShape(tags.shape, values.shape)) {
    const tag = texts.length === 1 ? ` (tag '${texts[0]}')` : "";
    throw invalidArgument(
      `tags and values are not the same shape: ${cppShapeText(tags.shape)} != ${cppShapeText(values.shape)}${tag}`,
    );
  }
  const numbers = realsOf(values);
  return summaryTensor(
    texts.map((tag, index) => ({
      tag,
      value: { $case: "simpleValue", value: Math.fround(numbers[index] ?? 0) },
    })),
  );
}

function histogramSummary(node: KernelNode, inputs: readonly Tensor[]): Tensor {
  const tag = inputAt(inputs, 0);
  if (tag.shape.length !== 0) {
    throw invalidArgument("tags must be scalar");
  }
  const values = realsOf(inputAt(inputs, 1));
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (!Number.isFinite(value)) {
      const kind = Number.isNaN(value) ? "Nan" : "Infinity";
      throw invalidArgument(`${kind} in summary histogram for: ${node.name}`);
    }
  }
  return summaryTensor([
    { tag: textsOf(tag)[0] ?? "", value: { $case: "histo", value: histogramOf(values) } },
  ]);
}

function mergeSummary(inputs: readonly Tensor[]): Tensor {
  const merged: Summary_Value[] = [];
  const tags = new Set<string>();
  for (const input of inputs) {
    for (const bytes of stringsOf(input)) {
      for (const value of parse(Summary, bytes, "one of the summary inputs").value) {
        // Tensor summaries of the first kind have no tag, but a node's name.
        if (value.tag !== "" && tags.has(value.tag)) {
          throw invalidArgument(`Duplicate tag ${value.tag} found in summary inputs `);
        }
        tags.add(value.tag);
        merged.push(value);
      }
    }
  }
  return summaryTensor(merged);
}

/** Summaries for TensorBoard as serialized tensorflow.Summary messages. */
export const summaryKernels: readonly PureKernelDefinition[] = [
  pureKernel("ScalarSummary", () => (inputs) => [scalarSummary(inputs)], { types: { T: realTypes } }),
  pureKernel("HistogramSummary", (node) => (inputs) => [histogramSummary(node, inputs)], {
    types: { T: realTypes },
  }),
  pureKernel("MergeSummary", () => (inputs) => [mergeSummary(inputs)]),
  pureKernel("TensorSummary", (node) => (inputs) => [
    summaryTensor([
      { nodeName: node.name, value: { $case: "tensor", value: tensorToProto(inputAt(inputs, 0)) } },
    ]),
  ]),
  pureKernel("TensorSummaryV2", () => (inputs) => {
    const [tag = ""] = textsOf(inputAt(inputs, 0));
    const [metadata = new Uint8Array(0)] = stringsOf(inputAt(inputs, 2));
    return [
      summaryTensor([
        {
          tag,
          value: { $case: "tensor", value: tensorToProto(inputAt(inputs, 1)) },
          metadata: parse(SummaryMetadata, metadata, "the summary's metadata"),
        },
      ]),
    ];
  }),
];
