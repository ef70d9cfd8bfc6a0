import { Event } from "../../../../../protos/generated/tensorflow/event.js";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { Summary, SummaryMetadata } from "../../../../../protos/generated/tensorflow/summary.js";
import { wallTime } from "../../../../io/events/event-file.js";
import { dataLoss, invalidArgument } from "../../../../protocol/status.js";
import { type Tensor, tensorToProto } from "../../../../protocol/tensor.js";
import { textsOf } from "../io/string-inputs.js";
import type { KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import {
  handleInput,
  makeHandle,
  managerOf,
  resourceIdentity,
  resourceInput,
} from "../state/resource-access.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { anyType, noTypes, realTypes } from "../support/dtypes.js";
import { longsOf, scalarOf, stringsOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { EventWriter, SUMMARY_WRITER } from "./event-writer.js";
import { audioValues, imageValues } from "./media-values.js";
import { histogramValue, realsOf, type SummaryValue, scalarValue } from "./summary-values.js";

function textAt(context: OpContext, index: number): string {
  return textsOf(tensorAt(context.inputs, index))[0] ?? "";
}

function bytesAt(context: OpContext, index: number): Uint8Array {
  return stringsOf(tensorAt(context.inputs, index))[0] ?? new Uint8Array(0);
}

function stepAt(context: OpContext, index: number): bigint {
  const step = longsOf(tensorAt(context.inputs, index))[0];
  if (step === undefined) {
    throw invalidArgument("step must be a scalar");
  }
  return step;
}

/** @throws TensorFlowError DATA_LOSS for bytes that are not such a message. */
function parsed<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array, what: string): T {
  try {
    return type.decode(bytes);
  } catch (error) {
    throw dataLoss(`Bad ${what} binary proto tensor string`, { cause: error });
  }
}

/** Creates the writer that a handle names, unless it already exists. */
function createFileWriter(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  return async (context) => {
    const handle = handleInput(context, 0);
    const [maxQueue = 0, flushMillis = 0] = ["max_queue", "flush_millis"].map((what, i) =>
      scalarOf(tensorAt(context.inputs, 2 + i), what),
    );
    const file = { folder: textAt(context, 1), suffix: textAt(context, 4), maxQueue, flushMillis };
    const manager = managerOf(node, context, handle);
    const writer = manager.lookupOrCreate(
      handle.container,
      SUMMARY_WRITER,
      handle.name,
      () => new EventWriter(file, context.step.files),
    );
    try {
      await writer.ready();
    } catch (error) {
      manager.remove(handle.container, SUMMARY_WRITER, handle.name);
      throw error;
    }
    return [];
  };
}

/** A kernel that operates on the writer at input 0. */
function writerKernel(
  op: string,
  types: KernelTypes,
  act: (node: KernelNode) => (writer: EventWriter, context: OpContext) => Promise<void>,
): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    const run = act(node);
    return async (context: OpContext) => {
      await run(resourceInput<EventWriter>(node, context, 0, SUMMARY_WRITER), context);
      return [];
    };
  };
  return statefulKernel(op, create, { types });
}

/** A kernel that writes an event of the step at input 1. */
function eventKernel(
  op: string,
  types: KernelTypes,
  what: (node: KernelNode) => (context: OpContext) => Event["what"],
): StatefulKernelDefinition {
  return writerKernel(op, types, (node) => {
    const make = what(node);
    return (writer, context) =>
      writer.write(
        Event.fromPartial({ step: stepAt(context, 1), wallTime: wallTime(), what: make(context) }),
      );
  });
}

function summary(values: readonly SummaryValue[]): Event["what"] {
  return { $case: "summary", value: Summary.fromPartial({ value: [...values] }) };
}

function tensorValue(tag: string, tensor: Tensor, metadata: Uint8Array): SummaryValue {
  const value: SummaryValue = { tag, value: { $case: "tensor", value: tensorToProto(tensor) } };
  return metadata.length === 0
    ? value
    : { ...value, metadata: parsed(SummaryMetadata, metadata, "tf.SummaryMetadata") };
}

/** The values of all serialized summaries of a tensor. */
function rawValues(tensor: Tensor): readonly SummaryValue[] {
  return stringsOf(tensor).flatMap((bytes) => parsed(Summary, bytes, "tf.Summary").value);
}

/** Writers of event files within the folders that graphs may use. */
export const eventKernels: readonly StatefulKernelDefinition[] = [
  statefulKernel(
    "SummaryWriter",
    (node) => {
      const { container, sharedName } = resourceIdentity(node);
      return () => [makeHandle(node, container, sharedName || node.name, SUMMARY_WRITER)];
    },
    { types: noTypes },
  ),
  statefulKernel("CreateSummaryFileWriter", createFileWriter, { types: noTypes }),
  writerKernel("FlushSummaryWriter", noTypes, () => (writer) => writer.flush()),
  writerKernel("CloseSummaryWriter", noTypes, (node) => async (writer, context) => {
    const { container, name } = handleInput(context, 0);
    await writer.flush();
    context.step.resources(node.device).remove(container, SUMMARY_WRITER, name);
  }),
  eventKernel(
    "WriteSummary",
    { T: anyType },
    () => (context) =>
      summary([tensorValue(textAt(context, 3), tensorAt(context.inputs, 2), bytesAt(context, 4))]),
  ),
  eventKernel(
    "WriteRawProtoSummary",
    noTypes,
    () => (context) => summary(rawValues(tensorAt(context.inputs, 2))),
  ),
  eventKernel("WriteScalarSummary", { T: realTypes }, () => (context) => {
    const value = realsOf(tensorAt(context.inputs, 3))[0];
    if (value === undefined) {
      throw invalidArgument("value must be a scalar");
    }
    return summary([scalarValue(textAt(context, 2), value)]);
  }),
  eventKernel("WriteHistogramSummary", { T: [...realTypes, "bool"] }, () => (context) => {
    const tag = textAt(context, 2);
    return summary([histogramValue(tag, tensorAt(context.inputs, 3), tag)]);
  }),
  eventKernel("WriteImageSummary", { T: ["uint8", "float16", "float32", "float64"] }, (node) => {
    const most = node.int("max_images");
    return (context) => {
      const [images, badColor] = [tensorAt(context.inputs, 3), tensorAt(context.inputs, 4)];
      return summary(imageValues(textAt(context, 2), images, most, badColor));
    };
  }),
  eventKernel("WriteAudioSummary", noTypes, (node) => {
    const most = node.int("max_outputs");
    return (context) => {
      const rate = scalarOf(tensorAt(context.inputs, 4), "sample_rate");
      return summary(audioValues(textAt(context, 2), tensorAt(context.inputs, 3), most, rate));
    };
  }),
  eventKernel("WriteGraphSummary", noTypes, () => (context) => {
    const value = bytesAt(context, 2);
    parsed(GraphDef, value, "tf.GraphDef");
    return { $case: "graphDef", value };
  }),
  writerKernel(
    "ImportEvent",
    noTypes,
    () => (writer, context) => writer.write(parsed(Event, bytesAt(context, 1), "tf.Event")),
  ),
];
