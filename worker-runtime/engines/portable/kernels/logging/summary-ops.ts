import {
  Summary,
  type Summary_Value,
  SummaryMetadata,
} from "../../../../../protos/generated/tensorflow/summary.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { type Tensor, tensorToProto } from "../../../../protocol/tensor.js";
import { textsOf } from "../io/string-inputs.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, perElement, pureKernel } from "../support/define.js";
import { dataTypes, noTypes, realTypes } from "../support/dtypes.js";
import { inputAt, scalarOf, stringsOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { audioValues, imageValues } from "./media-values.js";
import { histogramValue, realsOf, scalarValue, summaryTensor } from "./summary-values.js";

/** Parses a serialized message from an input. @throws TensorFlowError INVALID_ARGUMENT */
export function parse<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array, what: string): T {
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
  return summaryTensor(texts.map((tag, index) => scalarValue(tag, numbers[index] ?? 0)));
}

function histogramSummary(node: KernelNode, inputs: readonly Tensor[]): Tensor {
  const tag = inputAt(inputs, 0);
  if (tag.shape.length !== 0) {
    throw invalidArgument("tags must be scalar");
  }
  return summaryTensor([histogramValue(textsOf(tag)[0] ?? "", inputAt(inputs, 1), node.name)]);
}

/** The tag in input 0. @throws TensorFlowError INVALID_ARGUMENT */
function scalarTag(inputs: readonly Tensor[]): string {
  const tag = inputAt(inputs, 0);
  if (tag.shape.length !== 0) {
    throw invalidArgument("Tag must be a scalar");
  }
  return textsOf(tag)[0] ?? "";
}

function imageSummary(node: KernelNode): Compute {
  const most = node.int("max_images");
  const badColor = node.tensor("bad_color");
  if (badColor.dtype !== "uint8" || badColor.shape.length !== 1) {
    throw invalidArgument(
      `bad_color must be a vector of uint8, got shape ${cppShapeText(badColor.shape)} of ${badColor.dtype}`,
    );
  }
  return (inputs) => [summaryTensor(imageValues(scalarTag(inputs), inputAt(inputs, 1), most, badColor))];
}

/** @param rateOf returns the sample rate of an execution. */
function audioSummary(node: KernelNode, rateOf: (inputs: readonly Tensor[]) => number): Compute {
  const most = node.int("max_outputs");
  return (inputs) => [
    summaryTensor(audioValues(scalarTag(inputs), inputAt(inputs, 1), most, rateOf(inputs))),
  ];
}

/** Compressing pixels is expensive. */
const NANOSECONDS_PER_CHANNEL = 60;

function mergeSummary(inputs: readonly Tensor[]): Tensor {
  const merged: Summary_Value[] = [];
  const tags = new Set<string>();
  for (const input of inputs) {
    for (const bytes of stringsOf(input)) {
      for (const value of parse(Summary, bytes, "one of the summary inputs").value) {
        // Summaries of the first version of TensorSummary have a node name instead of a tag.
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
  pureKernel("ImageSummary", imageSummary, {
    types: { T: ["uint8", "float16", "float32", "float64"] },
    cost: perElement(NANOSECONDS_PER_CHANNEL),
  }),
  pureKernel(
    "AudioSummary",
    (node) => {
      const rate = node.float("sample_rate");
      return audioSummary(node, () => rate);
    },
    { types: noTypes },
  ),
  pureKernel(
    "AudioSummaryV2",
    (node) => audioSummary(node, (inputs) => scalarOf(inputAt(inputs, 2), "sample_rate")),
    { types: noTypes },
  ),
  pureKernel("MergeSummary", () => (inputs) => [mergeSummary(inputs)], { types: noTypes }),
  pureKernel(
    "TensorSummary",
    (node) => (inputs) => [
      summaryTensor([
        { nodeName: node.name, value: { $case: "tensor", value: tensorToProto(inputAt(inputs, 0)) } },
      ]),
    ],
    { types: { T: dataTypes } },
  ),
  pureKernel(
    "TensorSummaryV2",
    () => (inputs) => {
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
    },
    { types: { T: dataTypes } },
  ),
];
