import { randomId } from "./random-id.js";

/** TensorFlow keeps the bits above for marks. */
const STEP_ID_BITS = 57;

/** A step's id: random. */
export function newStepId(): bigint {
  return stepIdFrom(randomId());
}

/** A number as a step's id: its top seven bits are clear, as TensorFlow's. */
export function stepIdFrom(number: bigint): bigint {
  return BigInt.asUintN(STEP_ID_BITS, number);
}
