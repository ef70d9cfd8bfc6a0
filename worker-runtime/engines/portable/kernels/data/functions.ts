import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { countInput, type Dataset, datasetKernel, datasetOf, type Element, type Pull } from "./dataset.js";

type ElementFunction = (args: Element, step: StepContext) => Promise<Element>;

/** A dataset with a function that its op has, and whatever number inputs follow the function's captured ones. */
interface WithFunction {
  readonly input: Dataset;
  readonly apply: ElementFunction;
  /** Where the inputs behind the captured ones begin. */
  readonly next: number;
}

/** The library is the one of the graph that makes the dataset: the graph that asks for elements may not have the function. */
function withFunction(node: KernelNode, attr: string): (context: OpContext) => WithFunction {
  const callee = node.func(attr);
  const captured = node.types("Targuments").length;
  return ({ inputs, step: { functions } }) => {
    const others = inputs.slice(1, 1 + captured);
    return {
      input: datasetOf(inputs[0]),
      apply: (args, step) => functions.call(callee, [...args, ...others], node.device, step),
      next: 1 + captured,
    };
  };
}

function functionKernel(
  op: string,
  attr: string,
  open: (made: WithFunction, context: OpContext) => () => Pull,
): StatefulKernelDefinition {
  return datasetKernel(op, (node) => {
    const make = withFunction(node, attr);
    return (context) => open(make(context), context);
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
        const [kept] = await apply(element, step);
        if (!(kept instanceof Tensor) || kept.dtype !== "bool" || kept.size !== 1) {
          throw invalidArgument("Filter predicate `predicate` must return a scalar bool.");
        }
        if (kept.data[0] === 1) {
          return element;
        }
      }
    };
  };
}

/** Elements of the datasets that a function makes: of so many at a time in turn, so many of each. */
function interleave(made: WithFunction, cycle: number, block: number): () => Pull {
  if (cycle < 1 || block < 1) {
    throw invalidArgument("`cycle_length` and `block_length` must be > 0");
  }
  return () => {
    const pull = made.input.iterate();
    const open = new Array<Pull | undefined>(cycle).fill(undefined);
    let place = 0;
    let taken = 0;
    let isDrained = false;
    const advance = () => {
      place = (place + 1) % cycle;
      taken = 0;
    };
    return async (step) => {
      while (!isDrained || open.some((inner) => inner !== undefined)) {
        const current = open[place];
        if (current !== undefined) {
          const element = await current(step);
          if (element !== undefined) {
            taken += 1;
            if (taken === block) {
              advance();
            }
            return element;
          }
          open[place] = undefined;
          advance();
        } else if (isDrained) {
          advance();
        } else {
          const element = await pull(step);
          if (element === undefined) {
            isDrained = true;
          } else {
            open[place] = datasetOf((await made.apply(element, step))[0]).iterate();
          }
        }
      }
      return undefined;
    };
  };
}

/** TensorFlow chooses by the cores where it is asked to; any choice gives the same elements. */
function cycleLength(context: OpContext, index: number): number {
  const given = countInput(context, index, "cycle_length");
  return given === -1 ? 1 : given;
}

/** Datasets whose elements functions of the graph make or choose. */
export const functionKernels: readonly StatefulKernelDefinition[] = [
  functionKernel("MapDataset", "f", map),
  functionKernel("ParallelMapDataset", "f", map),
  functionKernel("ParallelMapDatasetV2", "f", map),
  functionKernel("FilterDataset", "predicate", filter),
  functionKernel("FlatMapDataset", "f", (made) => interleave(made, 1, 1)),
  ...["InterleaveDataset", "ParallelInterleaveDatasetV4"].map((op) =>
    functionKernel(op, "f", (made, context) =>
      interleave(made, cycleLength(context, made.next), countInput(context, made.next + 1, "block_length")),
    ),
  ),
];
