import { resourceExhausted } from "../../../../protocol/status.js";

/** A request for more elements than this is a mistake or an attack: even an empty element takes memory. */
const MAX_LIST_LENGTH = 2 ** 24;

/**
 * Returns the length if a list may have it.
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function checkedLength(length: number): number {
  if (length > MAX_LIST_LENGTH) {
    throw resourceExhausted(`A list of ${length} tensors is too long: there may be ${MAX_LIST_LENGTH}.`);
  }
  return length;
}
