import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { collect, datasetOf } from "./dataset.js";
import { capturingFunction } from "./functions.js";

/** Ops that compute a value from a whole dataset. */
export const reductionKernels: readonly StatefulKernelDefinition[] = [
  statefulKernel(
    "ReduceDataset",
    (node) => {
      const make = capturingFunction(node, "f");
      const states = node.types("Tstate").length;
      return async (context) => {
        const pull = datasetOf(context.inputs[0]).iterate();
        const { apply } = make(context, 1 + states);
        let state = context.inputs.slice(1, 1 + states);
        for (;;) {
          const element = await pull(context.step);
          if (element === undefined) {
            return state;
          }
          state = [...(await apply([...state, ...element], context.step))];
        }
      };
    },
    { types: { Tstate: anyType, Targuments: anyType, output_types: anyType } },
  ),
  statefulKernel(
    "DatasetToSingleElement",
    () =>
      async ({ inputs, step }) => {
        const [first, second] = await collect(datasetOf(inputs[0]).iterate(), step, 2);
        if (first === undefined) {
          throw invalidArgument("Dataset was empty.");
        }
        if (second !== undefined) {
          throw invalidArgument("Dataset had more than one element.");
        }
        return first;
      },
    { types: { output_types: anyType } },
  ),
  ...["DatasetCardinality", "ExperimentalDatasetCardinality"].map((op) =>
    statefulKernel(
      op,
      () =>
        ({ inputs }) => [new Tensor("int64", [], BigInt64Array.of(BigInt(datasetOf(inputs[0]).cardinality)))],
      { types: noTypes },
    ),
  ),
];
