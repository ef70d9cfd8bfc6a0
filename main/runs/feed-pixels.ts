import { type FeedFileOptions, fitTensor } from "../../worker-runtime/io/feed.js";
import { dtypeKind } from "../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedValue } from "../api/feeds.js";

type Pixels = NonNullable<Extract<FeedValue, { kind: "content" }>["pixels"]>;

const BRIGHTEST = 255;

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
  const pixels = new Tensor("uint8", shape, bytes);
  const kind = options.dtype === undefined ? "float" : dtypeKind(options.dtype);
  if (range === "byte" || (kind !== "float" && kind !== "bits")) return fitTensor(pixels, options);
  const values = Float32Array.from(bytes, (value) =>
    range === "unit" ? value / BRIGHTEST : (value / BRIGHTEST) * 2 - 1,
  );
  return fitTensor(new Tensor("float32", shape, values), options);
}
