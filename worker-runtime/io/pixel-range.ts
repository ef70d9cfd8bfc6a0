import { type DType, dtypeKind } from "../protocol/dtype.js";
import { Tensor } from "../protocol/tensor.js";

/** The range of a byte's 256 values in a tensor of real numbers: 0 to 1, -1 to 1, or 0 to 255. */
export type PixelRange = "unit" | "signed" | "byte";

const BRIGHTEST = 255;

/** Bytes in the wanted range, if they are to become real numbers; everything else stays as it is. */
export function inRange(tensor: Tensor, range: PixelRange | undefined, dtype: DType | undefined): Tensor {
  if (range === undefined || range === "byte" || !(tensor.data instanceof Uint8Array)) return tensor;
  const kind = dtype === undefined ? "float" : dtypeKind(dtype);
  if (kind !== "float" && kind !== "bits") return tensor;
  const values = Float32Array.from(tensor.data, (value) =>
    range === "unit" ? value / BRIGHTEST : (value / BRIGHTEST) * 2 - 1,
  );
  return new Tensor("float32", tensor.shape, values);
}
