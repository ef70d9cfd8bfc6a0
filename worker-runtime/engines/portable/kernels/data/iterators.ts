import { ResourceHandleProto } from "../../../../../protos/generated/tensorflow/resource_handle.js";
import {
  failedPrecondition,
  invalidArgument,
  outOfRange,
  StatusCode,
  TensorFlowError,
} from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import type { Resource } from "../../resources/resource-manager.js";
import type { OpContext, Outputs, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { resourceKernel } from "../state/handle-resources.js";
import { optionalOfValues } from "../state/optionals.js";
import {
  handleInput,
  makeHandle,
  privateOrSharedName,
  resourceIdentity,
  resourceInput,
} from "../state/resource-access.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { stringsOf } from "../support/elements.js";
import { OneAtATime } from "../support/one-at-a-time.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { type Dataset, datasetOf, type Element, type Pull } from "./dataset.js";

const ITERATOR = "tensorflow::data::IteratorResource";

/** A position in a dataset from which steps take elements one by one. */
class Iterator implements Resource {
  readonly typeName = ITERATOR;
  #pull: Pull | undefined;
  readonly #turns = new OneAtATime();

  /** Starts at the beginning of a dataset. */
  begin(dataset: Dataset): void {
    this.#pull = dataset.iterate();
  }

  /** @throws TensorFlowError FAILED_PRECONDITION before there is a dataset, OUT_OF_RANGE at its end. */
  next(step: StepContext): Promise<Element> {
    return this.#turns.run(step.signal, () => this.#next(step));
  }

  async #next(step: StepContext): Promise<Element> {
    if (this.#pull === undefined) {
      throw failedPrecondition(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer " +
          "operation for this iterator before getting the next element.",
      );
    }
    const element = await this.#pull(step);
    if (element === undefined) {
      throw outOfRange("End of sequence");
    }
    return element;
  }
}

/** An iterator over the dataset that a function creates when the iterator is first used. */
function oneShotIterator(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const index = resourceIdentity(node);
  const factory = node.func("dataset_factory");
  const beginnings = new WeakMap<Iterator, Promise<void>>();
  const begin = async (iterator: Iterator, { step }: OpContext): Promise<void> => {
    const [dataset] = await step.functions.call(factory, [], node.device, step);
    iterator.begin(datasetOf(dataset));
  };
  return async (context) => {
    const name = privateOrSharedName(node, index, context);
    const resources = context.step.resources(node.device);
    let made: Iterator | undefined;
    const iterator = resources.lookupOrCreate(index.container, ITERATOR, name, () => {
      made = new Iterator();
      return made;
    });
    if (made !== undefined) {
      beginnings.set(iterator, begin(iterator, context));
    }
    try {
      await beginnings.get(iterator);
    } catch (error) {
      resources.remove(index.container, ITERATOR, name);
      throw error;
    }
    return [makeHandle(node, index.container, name, ITERATOR)];
  };
}

/** The next element as an optional, which is empty after the last element. */
async function nextOptional(iterator: Iterator, step: StepContext): Promise<Outputs> {
  try {
    return [optionalOfValues(await iterator.next(step))];
  } catch (error) {
    if (error instanceof TensorFlowError && error.code === StatusCode.OUT_OF_RANGE) {
      return [optionalOfValues(undefined)];
    }
    throw error;
  }
}

/** A handle as a string that a client can feed: the bytes of a ResourceHandleProto, as in TensorFlow. */
function handleText(node: KernelNode, context: OpContext): Outputs {
  resourceInput<Iterator>(node, context, 0, ITERATOR);
  const { device, container, name, typeName } = handleInput(context, 0);
  const proto = ResourceHandleProto.fromPartial({ device, container, name, maybeTypeName: typeName });
  return [new Tensor("string", [], [ResourceHandleProto.encode(proto).finish()])];
}

/** The handle that such a string represents. @throws TensorFlowError INVALID_ARGUMENT, NOT_FOUND */
function handleOfText(node: KernelNode, { inputs, step }: OpContext): Outputs {
  const text = tensorAt(inputs, 0);
  const [bytes] = stringsOf(text);
  if (bytes === undefined || text.shape.length !== 0) {
    throw invalidArgument("string_handle must be a scalar");
  }
  let proto: ResourceHandleProto;
  try {
    proto = ResourceHandleProto.decode(bytes);
  } catch (error) {
    throw invalidArgument("Could not parse string_handle as a valid ResourceHandle", { cause: error });
  }
  if (proto.device !== node.device) {
    throw invalidArgument(
      `Attempted create an iterator on device "${node.device}" from handle defined on device "${proto.device}"`,
    );
  }
  step.resources(node.device).lookup(proto.container, ITERATOR, proto.name);
  return [makeHandle(node, proto.container, proto.name, ITERATOR)];
}

/** Iterators, and their elements. */
export const iteratorKernels: readonly StatefulKernelDefinition[] = [
  ...["Iterator", "IteratorV2"].map((op) =>
    resourceKernel(
      op,
      { typeName: ITERATOR, prepare: () => () => new Iterator() },
      { output_types: anyType },
    ),
  ),
  statefulKernel("OneShotIterator", oneShotIterator, { types: { output_types: anyType } }),
  statefulKernel("IteratorToStringHandle", (node) => (context) => handleText(node, context), {
    types: noTypes,
  }),
  ...["IteratorFromStringHandle", "IteratorFromStringHandleV2"].map((op) =>
    statefulKernel(op, (node) => (context) => handleOfText(node, context), {
      types: { output_types: anyType },
    }),
  ),
  statefulKernel(
    "IteratorGetNextAsOptional",
    (node) => (context) => nextOptional(resourceInput<Iterator>(node, context, 0, ITERATOR), context.step),
    { types: { output_types: anyType } },
  ),
  statefulKernel(
    "MakeIterator",
    (node) => (context) => {
      resourceInput<Iterator>(node, context, 1, ITERATOR).begin(datasetOf(context.inputs[0]));
      return [];
    },
    { types: noTypes },
  ),
  ...["IteratorGetNext", "IteratorGetNextSync"].map((op) =>
    statefulKernel(
      op,
      (node) => (context) => resourceInput<Iterator>(node, context, 0, ITERATOR).next(context.step),
      { types: { output_types: anyType } },
    ),
  ),
];
