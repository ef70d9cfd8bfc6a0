import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { type DType, dtypeOf } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import type { TensorValue } from "../protocol/tensor-values.js";

/** A tensor of the graph: "x:0", "x" (its first output), or an Output of a Graph. */
export type TensorRef = string | { readonly name: string; readonly dataType?: DataType | undefined };

/** An operation of the graph: "train", or an Operation of a Graph. */
export type OperationRef = string | { readonly name: string };

/** A value to feed: a tensor, or a JavaScript value, which gets the dtype of the placeholder. */
export type FeedValue = Tensor | TensorValue;

/** Values by the tensors that they are fed to. */
export type Feeds = Readonly<Record<string, FeedValue>> | Iterable<readonly [TensorRef, FeedValue]>;

/**
 * The name of a tensor on the wire: always with the output's number.
 * @throws TensorFlowError INVALID_ARGUMENT for a name that cannot be a tensor's.
 */
export function tensorNameOf(ref: TensorRef): string {
  const name = typeof ref === "string" ? ref : ref.name;
  const match = /^([^\s:^]+)(?::(\d+))?$/.exec(name);
  if (match === null) {
    throw invalidArgument(`'${name}' is not the name of a tensor; it looks like "node:0".`);
  }
  return match[2] === undefined ? `${name}:0` : name;
}

/**
 * The name of an operation on the wire; the number of an output is dropped.
 * @throws TensorFlowError INVALID_ARGUMENT for a name that cannot be an operation's.
 */
export function operationNameOf(ref: OperationRef): string {
  const name = typeof ref === "string" ? ref : ref.name;
  const match = /^\^?([^\s:^]+)(?::\d+)?$/.exec(name);
  if (match?.[1] === undefined) {
    throw invalidArgument(`'${name}' is not the name of an operation.`);
  }
  return match[1];
}

/** Records the dtypes of the graph's placeholders, so that plain numbers can be fed to them. */
export class PlaceholderTypes {
  readonly #dtypes = new Map<string, DType>();

  add(nodes: Iterable<NodeDef>): void {
    for (const node of nodes) {
      const attr = node.op.startsWith("Placeholder") ? node.attr.get("dtype")?.value : undefined;
      if (attr?.$case === "type") {
        this.#dtypes.set(`${node.name}:0`, dtypeOf(attr.value));
      }
    }
  }

  dtypeOf(tensorName: string): DType | undefined {
    return this.#dtypes.get(tensorName);
  }
}

function dtypeFor(ref: TensorRef, name: string, types: PlaceholderTypes): DType | undefined {
  const dataType = typeof ref === "string" ? undefined : ref.dataType;
  return dataType === undefined ? types.dtypeOf(name) : dtypeOf(dataType);
}

function isIterable(feeds: Feeds): feeds is Iterable<readonly [TensorRef, FeedValue]> {
  return Symbol.iterator in feeds;
}

/**
 * The feeds as tensors by wire name.
 * @throws TensorFlowError INVALID_ARGUMENT if a tensor is fed twice or a value does not fit its dtype.
 */
export function tensorsOfFeeds(feeds: Feeds | undefined, types: PlaceholderTypes): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  if (feeds === undefined) {
    return tensors;
  }
  for (const [ref, value] of isIterable(feeds) ? feeds : Object.entries(feeds)) {
    const name = tensorNameOf(ref);
    if (tensors.has(name)) {
      throw invalidArgument(`${name} is fed twice.`);
    }
    tensors.set(name, tensorOfFeed(ref, value, types));
  }
  return tensors;
}

/**
 * The tensor to feed for a value: a plain value gets the dtype of the tensor it is fed to, if known.
 * @throws TensorFlowError INVALID_ARGUMENT for a tensor of another dtype.
 */
export function tensorOfFeed(ref: TensorRef, value: FeedValue, types: PlaceholderTypes): Tensor {
  const name = tensorNameOf(ref);
  const dtype = dtypeFor(ref, name, types);
  if (!(value instanceof Tensor)) return Tensor.of(value, dtype);
  if (dtype !== undefined && value.dtype !== dtype) {
    // The server would return INTERNAL, naming a node that is not in the graph.
    throw invalidArgument(
      `${name} takes ${dtype} and was fed a tensor of ${value.dtype}. Make it by Tensor.of(…, "${dtype}").`,
    );
  }
  return value;
}
