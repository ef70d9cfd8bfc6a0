import { resourceExhausted } from "../../../../protocol/status.js";

/** More elements than this are asked for by mistake or in bad faith: each takes memory, even if it is empty. */
const MAX_LIST_LENGTH = 2 ** 24;

/**
 * The length, if a list may have it.
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function checkedLength(length: number): number {
  if (length > MAX_LIST_LENGTH) {
    throw resourceExhausted(`A list of ${length} tensors is too long: there may be ${MAX_LIST_LENGTH}.`);
  }
  return length;
}
