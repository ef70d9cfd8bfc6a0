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

/** One element of a dataset: its components in order. */
export type Element = readonly Value[];

/** Gives the next element, undefined after the last one. The step is the one that asks. Never called twice at a time. */
export type Pull = (step: StepContext) => Promise<Element | undefined>;

/** After so many elements other work of the task gets its turn. */
const ELEMENTS_PER_TURN = 256;

/** A batch, a cache or a shuffle keeps its elements: where there is no room for so many, it has to end. */
const ELEMENTS_THAT_MUST_FIT = 2 ** 14;

/** A sequence of elements that can be gone through from its start any number of times. Never changed once made. */
export class Dataset implements VariantObject {
  readonly typeName = "tensorflow::DatasetVariantWrapper";
  /** How many elements it has, as far as that is known without making them: see cardinality.ts. */
  readonly cardinality: number;
  readonly #open: () => Pull;

  /** @param open begins a new pass. */
  constructor(open: () => Pull, cardinality: number) {
    this.#open = open;
    this.cardinality = cardinality;
  }

  /** A new pass from the first element on. It ends with the step that waits for it, also where no element comes out. */
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

/** A dataset of elements that are there. */
export function elementsDataset(elements: readonly Element[]): Dataset {
  return new Dataset(() => {
    let at = 0;
    return async () => {
      at += 1;
      return elements[at - 1];
    };
  }, elements.length);
}

/** What a resource or variant stands for, undefined for other values. */
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

/** A whole number that is input `index`. @throws TensorFlowError INVALID_ARGUMENT where it is no scalar. */
export function countInput(context: OpContext, index: number, what: string): number {
  return scalarOf(tensorAt(context.inputs, index), what);
}

/** What is known of an op that makes a dataset. */
export interface DatasetTraits {
  /** `elementTypes` unless given. */
  readonly types?: KernelTypes;
  /** Unless given, the number of elements is unknown. */
  readonly cardinality?: CardinalityRule;
}

/** Datasets move elements of any type. */
export const elementTypes: KernelTypes = { output_types: anyType };

/**
 * The kernel of an op that makes a dataset.
 * @param create reads the attributes; what it returns reads the inputs and returns how a pass begins.
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

/** One pass after the other: so many, or without end where the count is negative. */
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
        // An empty dataset stays empty, however often it is repeated.
        left = isFirst ? 0 : left - 1;
      }
      return undefined;
    };
  };
}

/** All elements that are left, for tests and reductions. */
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
