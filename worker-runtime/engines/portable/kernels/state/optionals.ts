import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { ObjectTensor, type Value, type VariantObject } from "../../values.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { statefulKernel } from "./stateful-kernel.js";

/** Values that may be absent: a branch that was not taken passes none to the gradient of its `tf.cond`. */
class Optional implements VariantObject {
  readonly typeName = "tensorflow::OptionalVariant";
  /** undefined if absent. */
  readonly values: readonly Value[] | undefined;

  constructor(values: readonly Value[] | undefined) {
    this.values = values;
  }

  /** @throws TensorFlowError UNIMPLEMENTED, always. */
  encode(): never {
    throw unimplemented("An optional value cannot leave its task.");
  }
}

/** A scalar with an optional that holds these values, or none. */
export function optionalOfValues(values: readonly Value[] | undefined): ObjectTensor {
  return ObjectTensor.variant(new Optional(values));
}

function optionalOf(value: Value | undefined): Optional {
  const object = value instanceof ObjectTensor ? value.elements[0] : undefined;
  if (!(object instanceof Optional)) {
    throw invalidArgument("The given optional has no value.");
  }
  return object;
}

/** Optionals as `tf.cond` and `tf.experimental.Optional` use them. */
export const optionalKernels: readonly StatefulKernelDefinition[] = [
  statefulKernel(
    "OptionalFromValue",
    () =>
      ({ inputs }) => [optionalOfValues(inputs)],
    { types: { Toutput_types: anyType } },
  ),
  statefulKernel("OptionalNone", () => () => [optionalOfValues(undefined)], { types: noTypes }),
  statefulKernel(
    "OptionalHasValue",
    () =>
      ({ inputs: [optional] }) => [
        new Tensor("bool", [], Uint8Array.of(optionalOf(optional).values === undefined ? 0 : 1)),
      ],
    { types: noTypes },
  ),
  statefulKernel(
    "OptionalGetValue",
    () =>
      ({ inputs: [optional] }) => {
        const { values } = optionalOf(optional);
        if (values === undefined) {
          throw invalidArgument("The given optional does not have a value.");
        }
        return values;
      },
    { types: { output_types: anyType } },
  ),
];
