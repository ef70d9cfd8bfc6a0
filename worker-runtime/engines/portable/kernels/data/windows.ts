import { invalidArgument } from "../../../../protocol/status.js";
import type { StepContext } from "../../executor/step-context.js";
import { ObjectTensor, type Value } from "../../values.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { columnOf } from "./batches.js";
import { cardinality } from "./cardinality.js";
import {
  countInput,
  type Dataset,
  type Element,
  elementsDataset,
  type Pull,
  transformation,
} from "./dataset.js";

/** One dataset per component of the elements. */
export function windowOf(elements: readonly Element[]): Element {
  return (elements[0] ?? []).map((_, i): Value => {
    const column = columnOf(elements, i).map((value): Element => [value]);
    return ObjectTensor.variant(elementsDataset(column));
  });
}

/**
 * Datasets of `size` elements each that are `stride` apart; the first elements of two windows are `shift` apart.
 * The last windows may be smaller, unless the remainder is dropped.
 */
function window(input: Dataset, context: OpContext): () => Pull {
  const [size = 1, shift = 1, stride = 1] = ["size", "shift", "stride"].map((what, i) => {
    const value = countInput(context, i + 1, what);
    if (value <= 0) {
      throw invalidArgument(`Window ${what} must be greater than zero.`);
    }
    return value;
  });
  const dropRemainder = countInput(context, 4, "drop_remainder") !== 0;
  const span = (size - 1) * stride + 1;
  return () => {
    const pull = input.iterate();
    let buffer: Element[] = [];
    let isDrained = false;
    const fill = async (count: number, step: StepContext) => {
      while (!isDrained && buffer.length < count) {
        const element = await pull(step);
        if (element === undefined) {
          isDrained = true;
        } else {
          buffer.push(element);
        }
      }
    };
    return async (step) => {
      await fill(span, step);
      if (buffer.length === 0 || (dropRemainder && buffer.length < span)) {
        return undefined;
      }
      const elements = buffer.slice(0, span).filter((_, i) => i % stride === 0);
      for (let left = shift - buffer.length; left > 0 && !isDrained; left -= 1) {
        // Between two windows there may be elements that are in neither.
        isDrained = (await pull(step)) === undefined;
      }
      buffer = buffer.slice(shift);
      return windowOf(elements);
    };
  };
}

/** Datasets of windows over other datasets. */
export const windowKernels: readonly StatefulKernelDefinition[] = [
  transformation("WindowDataset", { cardinality: cardinality.windows }, window),
];
