import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StepContext } from "../../executor/step-context.js";
import type { KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import { anyType } from "../support/dtypes.js";
import { scalarOf } from "../support/elements.js";
import { cardinality } from "./cardinality.js";
import { datasetKernel, datasetOf, type Element, elementTypes, type Pull } from "./dataset.js";
import { capturingFunction, type ElementFunction } from "./functions.js";
import { windowOf } from "./windows.js";

/** The elements of one key, waiting for the group to be full. */
interface Group {
  readonly key: Tensor;
  /** The number of elements of a full group. */
  readonly size: number;
  readonly elements: Element[];
}

interface GroupFunctions {
  readonly keyOf: ElementFunction;
  readonly reduce: ElementFunction;
  readonly sizeOf: ElementFunction;
}

/** The single number that a function returns. @throws TensorFlowError INVALID_ARGUMENT */
async function numberOf(apply: ElementFunction, args: Element, step: StepContext): Promise<Tensor> {
  const [value] = await apply(args, step);
  if (!(value instanceof Tensor) || value.dtype !== "int64" || value.shape.length !== 0) {
    throw invalidArgument("`key_func` and `window_size_func` must return a scalar int64.");
  }
  return value;
}

/**
 * The elements of the datasets that a function makes of groups: of each full group at once, of the others in key order.
 */
function groupByWindow(open: () => Pull, { keyOf, reduce, sizeOf }: GroupFunctions): () => Pull {
  return () => {
    const pull = open();
    const groups = new Map<bigint, Group>();
    let current: Pull | undefined;
    let isDrained = false;

    const begin = async ({ key, elements }: Group, step: StepContext) => {
      groups.delete(keyNumber(key));
      const [dataset] = await reduce([key, ...windowOf(elements)], step);
      current = datasetOf(dataset).iterate();
    };
    const add = async (element: Element, step: StepContext) => {
      const key = await numberOf(keyOf, element, step);
      let group = groups.get(keyNumber(key));
      if (group === undefined) {
        const size = scalarOf(await numberOf(sizeOf, [key], step), "The window's size");
        if (size <= 0) {
          throw invalidArgument(`Window size must be greater than zero, but got ${size}.`);
        }
        group = { key, size, elements: [] };
        groups.set(keyNumber(key), group);
      }
      group.elements.push(element);
      if (group.elements.length === group.size) {
        await begin(group, step);
      }
    };

    return async (step) => {
      for (;;) {
        const made = await current?.(step);
        if (made !== undefined) {
          return made;
        }
        current = undefined;
        const element = isDrained ? undefined : await pull(step);
        if (element !== undefined) {
          await add(element, step);
          continue;
        }
        isDrained = true;
        const [first] = [...groups.values()].sort((a, b) => (keyNumber(a.key) < keyNumber(b.key) ? -1 : 1));
        if (first === undefined) {
          return undefined;
        }
        await begin(first, step);
      }
    };
  };
}

function keyNumber({ data }: Tensor): bigint {
  return BigInt(data[0] as bigint);
}

const groupTypes: KernelTypes = {
  Tkey_func_other_arguments: anyType,
  Treduce_func_other_arguments: anyType,
  Twindow_size_func_other_arguments: anyType,
  ...elementTypes,
};

/** Datasets of groups of elements. */
export const groupKernels: readonly StatefulKernelDefinition[] = [
  datasetKernel(
    "GroupByWindowDataset",
    { types: groupTypes, cardinality: cardinality.endlessOrUnknown },
    (node) => {
      const functionOf = (attr: string) => capturingFunction(node, attr, `T${attr}_other_arguments`);
      const key = functionOf("key_func");
      const reduce = functionOf("reduce_func");
      const size = functionOf("window_size_func");
      return (context: OpContext) => {
        const keyOf = key(context, 1);
        const reducer = reduce(context, keyOf.next);
        const sizeOf = size(context, reducer.next);
        const input = datasetOf(context.inputs[0]);
        return groupByWindow(() => input.iterate(), {
          keyOf: keyOf.apply,
          reduce: reducer.apply,
          sizeOf: sizeOf.apply,
        });
      };
    },
  ),
];
