import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { KernelDefinition, OpContext, Outputs, StatefulKernelDefinition } from "../../kernel.js";
import type { KernelNode } from "../../kernel-node.js";
import { handledResource, resourceKernel } from "../../state/handle-resources.js";
import { QUEUE, type Queue } from "../../state/queues/queue-resource.js";
import { statefulKernel } from "../../state/stateful-kernel.js";
import { noTypes } from "../../support/dtypes.js";
import { scalarOf, stringsOf } from "../../support/elements.js";
import { cppShapeText } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { formats } from "./formats.js";
import { READER, Reader } from "./reader.js";

type ReaderAct = (reader: Reader, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

/** A kernel that operates on the reader at input 0. */
function readerKernel(op: string, act: ReaderAct): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => (context) => act(handledResource<Reader>(node, context, 0, READER), context, node),
    { types: noTypes },
  );
}

const read: ReaderAct = async (reader, context, node) => {
  const queue = handledResource<Queue>(node, context, 1, QUEUE);
  const records = await reader.read(1, queue, context.step);
  return records.flatMap(({ key, value }) => [
    new Tensor("string", [], [key]),
    new Tensor("string", [], [value]),
  ]);
};

const readUpTo: ReaderAct = async (reader, context, node) => {
  const queue = handledResource<Queue>(node, context, 1, QUEUE);
  const most = scalarOf(tensorAt(context.inputs, 2), "num_records");
  if (most < 0) {
    throw invalidArgument(`num_records must be >= 0 not ${most}`);
  }
  const records = await reader.read(most, queue, context.step);
  return [
    new Tensor(
      "string",
      [records.length],
      records.map(({ key }) => key),
    ),
    new Tensor(
      "string",
      [records.length],
      records.map(({ value }) => value),
    ),
  ];
};

const count = (value: number): Outputs => [new Tensor("int64", [], BigInt64Array.of(BigInt(value)))];

const restore: ReaderAct = async (reader, { inputs, step }) => {
  const state = tensorAt(inputs, 1);
  const [bytes] = stringsOf(state);
  if (bytes === undefined || state.shape.length !== 0) {
    throw invalidArgument(`Reader state must be scalar, but had shape: ${cppShapeText(state.shape)}`);
  }
  await reader.restore(bytes, step.signal);
  return [];
};

const acts: Readonly<Record<string, ReaderAct>> = {
  ReaderRead: read,
  ReaderReadUpTo: readUpTo,
  ReaderNumRecordsProduced: ({ recordsProduced }) => count(recordsProduced),
  ReaderNumWorkUnitsCompleted: ({ unitsCompleted }) => count(unitsCompleted),
  async ReaderReset(reader, { step }) {
    await reader.reset(step.signal);
    return [];
  },
  ReaderSerializeState: async (reader, { step }) => [
    new Tensor("string", [], [await reader.save(step.signal)]),
  ],
  ReaderRestoreState: restore,
};

/** Readers of records from files named by a queue, by resource handles ("…V2") and by the older references. */
export const readerKernels: readonly KernelDefinition[] = [
  ...Object.entries(formats).map(([op, formatOf]) =>
    resourceKernel<Reader>(
      op,
      {
        typeName: READER,
        prepare: (node) => {
          const format = formatOf(node);
          return () => new Reader(format, node.name);
        },
      },
      noTypes,
    ),
  ),
  ...["", "V2"].flatMap((version) =>
    Object.entries(acts).map(([op, act]) => readerKernel(op + version, act)),
  ),
];
