import { failedPrecondition, outOfRange } from "../../../../protocol/status.js";
import type { StepContext } from "../../executor/step-context.js";
import type { Resource } from "../../resources/resource-manager.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { resourceKernel } from "../state/handle-resources.js";
import { makeHandle, privateOrSharedName, resourceInput, resourcePlace } from "../state/resource-access.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { type Dataset, datasetOf, type Element, type Pull } from "./dataset.js";

const ITERATOR = "tensorflow::data::IteratorResource";

/** A place in a dataset that steps take elements from, one after the other. */
class Iterator implements Resource {
  readonly typeName = ITERATOR;
  #pull: Pull | undefined;
  /** Ends when the elements that were asked for before have been given. */
  #last: Promise<unknown> = Promise.resolve();

  /** Begins a dataset from its start. */
  begin(dataset: Dataset): void {
    this.#pull = dataset.iterate();
  }

  /** @throws TensorFlowError FAILED_PRECONDITION before there is a dataset, OUT_OF_RANGE at its end. */
  next(step: StepContext): Promise<Element> {
    const found = this.#last.then(() => this.#next(step));
    this.#last = found.catch(() => undefined);
    return found;
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

/** An iterator over the dataset that a function makes, when the iterator is first used. */
function oneShotIterator(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const place = resourcePlace(node);
  const factory = node.func("dataset_factory");
  const beginnings = new WeakMap<Iterator, Promise<void>>();
  const begin = async (iterator: Iterator, { step }: OpContext): Promise<void> => {
    const [dataset] = await step.functions.call(factory, [], node.device, step);
    iterator.begin(datasetOf(dataset));
  };
  return async (context) => {
    const name = privateOrSharedName(node, place, context);
    const resources = context.step.resources(node.device);
    let made: Iterator | undefined;
    const iterator = resources.lookupOrCreate(place.container, ITERATOR, name, () => {
      made = new Iterator();
      return made;
    });
    if (made !== undefined) {
      beginnings.set(iterator, begin(iterator, context));
    }
    try {
      await beginnings.get(iterator);
    } catch (error) {
      resources.remove(place.container, ITERATOR, name);
      throw error;
    }
    return [makeHandle(node, place.container, name, ITERATOR)];
  };
}

/** Iterators, and their elements. */
export const iteratorKernels: readonly StatefulKernelDefinition[] = [
  ...["Iterator", "IteratorV2"].map((op) =>
    resourceKernel(op, { typeName: ITERATOR, prepare: () => () => new Iterator() }),
  ),
  statefulKernel("OneShotIterator", oneShotIterator),
  statefulKernel("MakeIterator", (node) => (context) => {
    resourceInput<Iterator>(node, context, 1, ITERATOR).begin(datasetOf(context.inputs[0]));
    return [];
  }),
  ...["IteratorGetNext", "IteratorGetNextSync"].map((op) =>
    statefulKernel(
      op,
      (node) => (context) => resourceInput<Iterator>(node, context, 0, ITERATOR).next(context.step),
    ),
  ),
];
