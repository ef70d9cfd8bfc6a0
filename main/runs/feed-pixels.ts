import { type FeedFileOptions, fitTensor } from "../../worker-runtime/io/feed.js";
import { inRange } from "../../worker-runtime/io/pixel-range.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedValue } from "../api/feeds.js";

type Pixels = NonNullable<Extract<FeedValue, { kind: "content" }>["pixels"]>;

/**
 * Images as a tensor: real numbers in the wanted range, or the bytes themselves for a dtype of whole numbers.
 *
 * @throws TensorFlowError INVALID_ARGUMENT if they do not fit the dtype or shape, or are fewer or more than they say
 */
export function feedFromPixels(
  bytes: Uint8Array,
  { range, shape }: Pixels,
  options: FeedFileOptions,
): Tensor {
  return fitTensor(inRange(new Tensor("uint8", shape, bytes), range, options.dtype), options);
}
