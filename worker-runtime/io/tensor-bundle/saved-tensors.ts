import type { DType } from "../../protocol/dtype.js";
import type { Tensor } from "../../protocol/tensor.js";
import type { TensorSlice } from "./tensor-slice.js";

/** dtype and shape of a tensor in a checkpoint. */
export interface SavedTensorInfo {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A checkpoint that is open. It must be closed with `close`. */
export interface CheckpointReader {
  /** The sorted names of its tensors, without the slices of partitioned ones. */
  names(): readonly string[];
  /** @throws TensorFlowError NOT_FOUND "Key x not found in checkpoint". */
  info(name: string): SavedTensorInfo;
  /**
   * Reads a tensor or a slice of one.
   *
   * @throws TensorFlowError NOT_FOUND, DATA_LOSS; INVALID_ARGUMENT for a slice outside of the stored ones, or of a
   *   dtype for which TensorFlow does not restore slices.
   */
  read(name: string, slice?: TensorSlice): Promise<Tensor>;
  close(): Promise<void>;
}
