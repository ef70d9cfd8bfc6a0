import { randomId } from "../../random-id.js";

/** TensorFlow reserves the higher bits. */
const STEP_ID_BITS = 57;

/** A step's id: random. */
export function newStepId(): bigint {
  return stepIdFrom(randomId());
}

/** A number as a step's id: the top seven bits are cleared, as in TensorFlow. */
export function stepIdFrom(number: bigint): bigint {
  return BigInt.asUintN(STEP_ID_BITS, number);
}
