import { setImmediate } from "node:timers/promises";
import { invalidArgument, resourceExhausted, unimplemented } from "../../../../protocol/status.js";
import type { StepContext } from "../../executor/step-context.js";
import { ObjectTensor, type Value, type VariantObject } from "../../values.js";
import type { KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { anyType } from "../support/dtypes.js";
import { scalarOf } from "../support/elements.js";
import { memoryBudget } from "../support/memory-budget.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { type CardinalityRule, cardinalityOf } from "./cardinality.js";

/** An element of a dataset: its components in order. */
export type Element = readonly Value[];

/** Returns the next element, or undefined after the last one, to the given step. Calls never overlap. */
export type Pull = (step: StepContext) => Promise<Element | undefined>;

/** The number of elements after which a pass yields to other work of the task. */
const ELEMENTS_PER_TURN = 256;

/** Batches, caches and shuffles keep their elements: a pass fails if there is no room for this many more. */
const ELEMENTS_THAT_MUST_FIT = 2 ** 14;

/** An immutable sequence of elements that can be iterated any number of times. */
export class Dataset implements VariantObject {
  readonly typeName = "tensorflow::DatasetVariantWrapper";
  /** The number of elements, as far as it is known without producing them; see cardinality.ts. */
  readonly cardinality: number;
  readonly #open: () => Pull;

  /** @param open begins a new pass. */
  constructor(open: () => Pull, cardinality: number) {
    this.#open = open;
    this.cardinality = cardinality;
  }

  /** Begins a new pass. It ends with the step that waits for it, even if it produces no element. */
  iterate(): Pull {
    const pull = this.#open();
    let pulled = 0;
    return async (step) => {
      pulled += 1;
      if (pulled % ELEMENTS_PER_TURN === 0) {
        await setImmediate();
        if (!memoryBudget.hasRoomForStrings(ELEMENTS_THAT_MUST_FIT)) {
          throw resourceExhausted(
            `There is no memory for more elements of a dataset; ${pulled} were made in this pass.`,
          );
        }
      }
      step.signal.throwIfAborted();
      return pull(step);
    };
  }

  /** @throws TensorFlowError UNIMPLEMENTED, always. */
  encode(): never {
    throw unimplemented("A dataset cannot leave its task; place its iterator on the same task.");
  }
}

/** A dataset of the given elements. */
export function elementsDataset(elements: readonly Element[]): Dataset {
  return new Dataset(() => {
    let at = 0;
    return async () => {
      at += 1;
      return elements[at - 1];
    };
  }, elements.length);
}

/** The object of a resource or variant; undefined for other values. */
function objectIn(value: Value | undefined): unknown {
  return value instanceof ObjectTensor ? value.elements[0] : undefined;
}

/** A variant as a dataset. @throws TensorFlowError INVALID_ARGUMENT */
export function datasetOf(value: Value | undefined): Dataset {
  const object = objectIn(value);
  if (!(object instanceof Dataset)) {
    throw invalidArgument("The given variant does not hold a dataset.");
  }
  return object;
}

/** The integer at input `index`. @throws TensorFlowError INVALID_ARGUMENT if it is not a scalar. */
export function countInput(context: OpContext, index: number, what: string): number {
  return scalarOf(tensorAt(context.inputs, index), what);
}

/** The properties of an op that creates a dataset. */
export interface DatasetTraits {
  /** Defaults to `elementTypes`. */
  readonly types?: KernelTypes;
  /** Defaults to an unknown number of elements. */
  readonly cardinality?: CardinalityRule;
}

/** Datasets handle elements of any type. */
export const elementTypes: KernelTypes = { output_types: anyType };

/**
 * The kernel of an op that creates a dataset.
 * @param create reads the attributes and returns a function that reads the inputs and returns how to begin a pass.
 */
export function datasetKernel(
  op: string,
  { types = elementTypes, cardinality }: DatasetTraits,
  create: (node: KernelNode) => (context: OpContext) => () => Pull,
): StatefulKernelDefinition {
  const createKernel = (node: KernelNode) => {
    const prepare = create(node);
    return (context: OpContext) => {
      const open = prepare(context);
      const inputs = context.inputs.map(objectIn).filter((object) => object instanceof Dataset);
      const count = cardinalityOf(
        cardinality,
        node,
        context,
        inputs.map((input) => input.cardinality),
      );
      return [ObjectTensor.variant(new Dataset(open, count))];
    };
  };
  return statefulKernel(op, createKernel, { types });
}

/** A kernel whose first input is a dataset. */
export function transformation(
  op: string,
  traits: DatasetTraits,
  open: (input: Dataset, context: OpContext, node: KernelNode) => () => Pull,
): StatefulKernelDefinition {
  return datasetKernel(op, traits, (node) => (context) => open(datasetOf(context.inputs[0]), context, node));
}

/** Repeats passes `count` times, or forever if the count is negative. */
export function repeated(open: () => Pull, count: number): () => Pull {
  return () => {
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    let pull: Pull | undefined;
    return async (step) => {
      while (left > 0) {
        const isFirst = pull === undefined;
        pull ??= open();
        const element = await pull(step);
        if (element !== undefined) {
          return element;
        }
        pull = undefined;
        // A repeated empty dataset is empty.
        left = isFirst ? 0 : left - 1;
      }
      return undefined;
    };
  };
}

/** Collects all remaining elements, for tests and reductions. */
export async function collect(
  pull: Pull,
  step: StepContext,
  most = Number.POSITIVE_INFINITY,
): Promise<Element[]> {
  const elements: Element[] = [];
  while (elements.length < most) {
    const element = await pull(step);
    if (element === undefined) {
      break;
    }
    elements.push(element);
  }
  return elements;
}
