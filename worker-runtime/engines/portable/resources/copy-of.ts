import { isByteList, type TensorData } from "../../../protocol/tensor-data.js";

/** The elements in memory of their own. */
export function copyOf(data: TensorData): TensorData {
  // slice of a Node Buffer would be a view, but strings are lists of buffers and the rest are plain typed arrays.
  return isByteList(data) ? [...data] : data.slice();
}
