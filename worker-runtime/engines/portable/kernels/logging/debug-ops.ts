/** The ops that publish watched tensors for tfdbg; `worker/debug-nodes.ts` puts them into a partition. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { ResourceHandleProto } from "../../../../../protos/generated/tensorflow/resource_handle.js";
import { TensorProto, VariantTensorDataProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { parseEdge } from "../../../../graph/edge.js";
import { dataTypeOf } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor, tensorToProto } from "../../../../protocol/tensor.js";
import { DumpFolder } from "../../debug/dump-files.js";
import { folderOf } from "../../debug/tensor-watches.js";
import { toHost } from "../../gpu/device-tensor.js";
import { withPauses } from "../../pauses.js";
import { constantValue, lastingValue } from "../../resources/reference-variable.js";
import { valueToProto } from "../../value-proto.js";
import { type ObjectTensor, RefValue } from "../../values.js";
import type { KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { anyType, realTypes } from "../support/dtypes.js";
import { realsOf } from "./summary-values.js";

/** A watched value; undefined for a variable that has none yet. */
type Watched = Tensor | ObjectTensor | undefined;

/** A debug op's output for a watched value; undefined if there is nothing to publish. */
type Summarize = (value: Watched) => Tensor | undefined;

/** The value at input 0, which later updates do not change. */
async function watchedValue({ inputs, step }: OpContext): Promise<Watched> {
  const [input] = inputs;
  const held = input instanceof RefValue ? await input.cell.readOnce(step) : input;
  const onHost = await toHost(held, step);
  return onHost instanceof Tensor ? await lastingValue(onHost, step) : onHost;
}

/** Publishes to the folders of a debug node. @returns the function that publishes a value. */
function publisherOf(node: KernelNode): (value: TensorProto, context: OpContext) => Promise<void> {
  const edge = parseEdge(node.string("tensor_name"));
  if (edge.control) {
    throw invalidArgument(`Failed to parse tensor name: "${node.string("tensor_name")}"`);
  }
  const tensor = {
    device: node.string("device_name"),
    node: edge.node,
    output: edge.output,
    debugOp: node.op,
  };
  const folders = node.strings("debug_urls").map(folderOf);
  return async (value, { step }) => {
    for (const folder of folders) {
      await new DumpFolder(folder, step.files).writeTensor({ ...tensor, value });
    }
  };
}

const FACTS = { neverWaits: true } as const;

/** A kernel whose output is computed from the elements of the watched tensor, and published. */
function summary(
  op: string,
  types: KernelTypes,
  create: (node: KernelNode) => Summarize,
): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => {
      const publish = publisherOf(node);
      const summarize = create(node);
      return async (context) => {
        const output = summarize(await watchedValue(context));
        if (output !== undefined) {
          await publish(tensorToProto(output), context);
        }
        return [output];
      };
    },
    // A summary that is not published is left out: no node reads it.
    { types, facts: { ...FACTS, leavesDead: true } },
  );
}

function elementsOf(value: Watched): ArrayLike<number> {
  if (value === undefined) {
    return [];
  }
  if (!(value instanceof Tensor)) {
    throw internalError(`The elements of ${value.dtype} are no numbers.`);
  }
  return realsOf(value);
}

const debugIdentity = statefulKernel(
  "DebugIdentity",
  (node) => {
    const publish = publisherOf(node);
    return async (context) => {
      const value = await watchedValue(context);
      await publish(await identityProto(value, node), context);
      return [value];
    };
  },
  { types: { T: anyType }, facts: { ...FACTS, leavesDead: true } },
);

async function identityProto(value: Watched, node: KernelNode): Promise<TensorProto> {
  if (value === undefined) {
    return TensorProto.fromPartial({ dtype: dataTypeOf(node.type("T")), tensorShape: {} });
  }
  if (value instanceof Tensor) {
    // Strings as such: tfdbg does not read them from tensor_content.
    return tensorToProto(value);
  }
  const { resourceHandleVal, variantVal, ...proto } = await withPauses(valueToProto(value));
  const elements = [
    ...resourceHandleVal.map((handle) => ResourceHandleProto.encode(handle).finish()),
    ...variantVal.map((variant) => VariantTensorDataProto.encode(variant).finish()),
  ];
  return { ...TensorProto.fromPartial(proto), tensorContent: contentOf(elements) };
}

/** Messages as tensor_content holds them: the lengths of all, then the messages (TensorFlow's EncodeResourceHandleList). */
function contentOf(messages: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const { length } of messages) {
    writer.uint32(length);
  }
  return Buffer.concat([writer.finish(), ...messages]);
}

const debugNanCount = summary("DebugNanCount", { T: realTypes }, () => (value) => {
  const elements = elementsOf(value);
  let count = 0n;
  for (let at = 0; at < elements.length; at += 1) {
    count += Number.isNaN(elements[at]) ? 1n : 0n;
  }
  return new Tensor("int64", [1], new BigInt64Array([count]));
});

interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/** How many elements there are of each kind, in the order in which DebugNumericSummary gives them. */
function countKinds(elements: ArrayLike<number>, { lower, upper }: Bounds): number[] {
  let [nan, negativeInf, negative, zero, positive, positiveInf] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < elements.length; at += 1) {
    const x = elements[at] ?? 0;
    if (Number.isNaN(x)) {
      nan += 1;
    } else if (x <= lower) {
      negativeInf += 1;
    } else if (x >= upper) {
      positiveInf += 1;
    } else if (x < 0) {
      negative += 1;
    } else if (x > 0) {
      positive += 1;
    } else {
      zero += 1;
    }
  }
  return [nan, negativeInf, negative, zero, positive, positiveInf];
}

/** Minimum, maximum, mean and variance of the finite elements, as TensorFlow's kernel computes them. */
function moments(elements: ArrayLike<number>): number[] {
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let at = 0; at < elements.length; at += 1) {
    const x = elements[at] ?? 0;
    if (Number.isFinite(x)) {
      min = Math.min(min, x);
      max = Math.max(max, x);
      sum += x;
      count += 1;
    }
  }
  const mean = count === 0 ? Number.NaN : sum / count;
  let squares = count === 0 ? Number.NaN : 0;
  for (let at = 0; at < elements.length; at += 1) {
    const x = elements[at] ?? 0;
    squares += Number.isFinite(x) ? (x - mean) ** 2 : 0;
  }
  return [min, max, mean, squares / count];
}

const debugNumericSummary = summary("DebugNumericSummary", { T: [...realTypes, "bool"] }, (node) => {
  const bounds = { lower: node.float("lower_bound"), upper: node.float("upper_bound") };
  const isMutable = node.bool("mute_if_healthy");
  const type = dataTypeOf(node.type("T"));
  return (value) => {
    const elements = elementsOf(value);
    const kinds = countKinds(elements, bounds);
    const [nan, negativeInf, , , , positiveInf] = kinds;
    if (isMutable && nan === 0 && negativeInf === 0 && positiveInf === 0) {
      return undefined;
    }
    const shape = value?.shape ?? [];
    const numbers = [
      value === undefined ? 0 : 1,
      elements.length,
      ...kinds,
      ...moments(elements),
      type,
      shape.length,
      ...shape,
    ];
    return new Tensor("float64", [numbers.length], new Float64Array(numbers));
  };
});

/** Keeps the value that a tensor has now for the nodes after it, whatever becomes of a variable that it comes from. */
function copy(op: string): StatefulKernelDefinition {
  return statefulKernel(
    op,
    () =>
      ({ inputs }) =>
        inputs.map((input) => (input instanceof Tensor ? constantValue(input) : input)),
    { types: { T: anyType }, facts: { ...FACTS, passesHandle: true, takesDeviceTensors: true } },
  );
}

/** Kernels of debug nodes. */
export const debugKernels: readonly StatefulKernelDefinition[] = [
  copy("Copy"),
  copy("CopyHost"),
  debugIdentity,
  debugNanCount,
  debugNumericSummary,
];
