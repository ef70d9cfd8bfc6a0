import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import { isAnyOnDevice, toHost } from "../../gpu/device-tensor.js";
import type { KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { anyType } from "../support/dtypes.js";
import { batched, batchSize, dropsRemainder } from "./batches.js";
import { cardinality } from "./cardinality.js";
import {
  countInput,
  type Dataset,
  type DatasetTraits,
  datasetKernel,
  datasetOf,
  type Element,
  type Pull,
} from "./dataset.js";

/** A function of the graph that is called with an element, possibly with further arguments. */
export type ElementFunction = (args: Element, step: StepContext) => Promise<Element>;

/** A function, and the index of the inputs after its captured ones. */
export interface CapturingFunction {
  readonly apply: ElementFunction;
  /** The index of the first input after the captured ones. */
  readonly next: number;
}

/** An input dataset and the function of the op. */
interface WithFunction extends CapturingFunction {
  readonly input: Dataset;
}

/**
 * The function that a node names, with its captured inputs. It is looked up in the library of the graph that creates
 * the dataset: the graph that requests elements may lack it.
 * @param typesAttr the attribute with the types of the captured inputs.
 * @returns creates the function for a context whose captured inputs begin at `first`.
 */
export function capturingFunction(
  node: KernelNode,
  attr: string,
  typesAttr = "Targuments",
): (context: OpContext, first: number) => CapturingFunction {
  const callee = node.func(attr);
  const count = node.types(typesAttr).length;
  return ({ inputs, step: { functions } }, first) => {
    const captured = inputs.slice(first, first + count);
    return {
      apply: async (args, step) => {
        const results = await functions.call(callee, [...args, ...captured], node.device, step);
        // Readers of elements of datasets know nothing of devices.
        return isAnyOnDevice(results)
          ? await Promise.all(results.map((result) => toHost(result, step)))
          : results;
      },
      next: first + count,
    };
  };
}

/** Whether an element is true. @throws TensorFlowError INVALID_ARGUMENT if it is not a scalar bool. */
function isTrue([value]: Element): boolean {
  if (!(value instanceof Tensor) || value.dtype !== "bool" || value.size !== 1) {
    throw invalidArgument("Filter predicate `predicate` must return a scalar bool.");
  }
  return value.data[0] === 1;
}

/** The types of an op with one function. */
const functionTypes: KernelTypes = { Targuments: anyType, output_types: anyType };

function functionKernel(
  op: string,
  traits: Pick<DatasetTraits, "cardinality">,
  attr: string,
  open: (made: WithFunction, context: OpContext) => () => Pull,
): StatefulKernelDefinition {
  return datasetKernel(op, { ...traits, types: functionTypes }, (node) => {
    const make = capturingFunction(node, attr);
    return (context) => open({ input: datasetOf(context.inputs[0]), ...make(context, 1) }, context);
  });
}

function map({ input, apply }: WithFunction): () => Pull {
  return () => {
    const pull = input.iterate();
    return async (step) => {
      const element = await pull(step);
      return element && apply(element, step);
    };
  };
}

function filter({ input, apply }: WithFunction): () => Pull {
  return () => {
    const pull = input.iterate();
    return async (step) => {
      for (;;) {
        const element = await pull(step);
        if (element === undefined) {
          return undefined;
        }
        if (isTrue(await apply(element, step))) {
          return element;
        }
      }
    };
  };
}

/** The elements before the first one for which the predicate is false. */
function takeWhile({ input, apply }: WithFunction): () => Pull {
  return () => {
    const pull = input.iterate();
    let isOver = false;
    return async (step) => {
      const element = isOver ? undefined : await pull(step);
      isOver = element === undefined || !isTrue(await apply(element, step));
      return isOver ? undefined : element;
    };
  };
}

/** Applies a function to each element and the state that it returned for the previous element. */
const scanKernel = datasetKernel(
  "ScanDataset",
  {
    types: { Tstate: anyType, ...functionTypes },
    cardinality: cardinality.mapped,
  },
  (node) => {
    const make = capturingFunction(node, "f");
    const states = node.types("Tstate").length;
    return (context) => {
      const input = datasetOf(context.inputs[0]);
      const initial = context.inputs.slice(1, 1 + states);
      const { apply } = make(context, 1 + states);
      return () => {
        const pull = input.iterate();
        let state = initial;
        return async (step) => {
          const element = await pull(step);
          if (element === undefined) {
            return undefined;
          }
          const made = await apply([...state, ...element], step);
          state = made.slice(0, states);
          return made.slice(states);
        };
      };
    };
  },
);

/** Interleaves the datasets that a function makes: `cycle` of them at a time, `block` elements from each in turn. */
function interleave(made: WithFunction, cycle: number, block: number): () => Pull {
  if (cycle < 1 || block < 1) {
    throw invalidArgument("`cycle_length` and `block_length` must be > 0");
  }
  return () => {
    const pull = made.input.iterate();
    const open = new Array<Pull | undefined>(cycle).fill(undefined);
    let index = 0;
    let taken = 0;
    let isDrained = false;
    const advance = () => {
      index = (index + 1) % cycle;
      taken = 0;
    };
    return async (step) => {
      while (!isDrained || open.some((inner) => inner !== undefined)) {
        const current = open[index];
        if (current !== undefined) {
          const element = await current(step);
          if (element !== undefined) {
            taken += 1;
            if (taken === block) {
              advance();
            }
            return element;
          }
          open[index] = undefined;
          advance();
        } else if (isDrained) {
          advance();
        } else {
          const element = await pull(step);
          if (element === undefined) {
            isDrained = true;
          } else {
            open[index] = datasetOf((await made.apply(element, step))[0]).iterate();
          }
        }
      }
      return undefined;
    };
  };
}

/** On request TensorFlow chooses the length by the number of cores; any choice gives the same elements. */
function cycleLength(context: OpContext, index: number): number {
  const given = countInput(context, index, "cycle_length");
  return given === -1 ? 1 : given;
}

/** Datasets whose elements are produced or filtered by functions of the graph. */
export const functionKernels: readonly StatefulKernelDefinition[] = [
  functionKernel("MapDataset", { cardinality: cardinality.mapped }, "f", map),
  functionKernel("ParallelMapDataset", { cardinality: cardinality.mapped }, "f", map),
  functionKernel("ParallelMapDatasetV2", { cardinality: cardinality.mapped }, "f", map),
  functionKernel("MapAndBatchDataset", { cardinality: cardinality.mappedBatches }, "f", (made, context) =>
    batched(map(made), batchSize(context, made.next, dropsRemainder(context, made.next + 2))),
  ),
  functionKernel("FilterDataset", {}, "predicate", filter),
  functionKernel("TakeWhileDataset", {}, "predicate", takeWhile),
  scanKernel,
  functionKernel("FlatMapDataset", {}, "f", (made) => interleave(made, 1, 1)),
  ...(
    [
      ["InterleaveDataset", {}],
      ["ParallelInterleaveDatasetV4", { cardinality: cardinality.endlessOrUnknown }],
      ["LegacyParallelInterleaveDatasetV2", {}],
    ] as const
  ).map(([op, traits]) =>
    functionKernel(op, traits, "f", (made, context) =>
      interleave(made, cycleLength(context, made.next), countInput(context, made.next + 1, "block_length")),
    ),
  ),
];
