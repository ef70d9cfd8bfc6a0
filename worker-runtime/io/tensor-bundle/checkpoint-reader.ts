/** Reads checkpoints, whichever version of TensorFlow's Savers wrote them. */
import { StatusCode, TensorFlowError } from "../../protocol/status.js";
import type { BundleFiles } from "./bundle-files.js";
import { BundleReader } from "./bundle-reader.js";
import type { CheckpointReader } from "./saved-tensors.js";
import { Version1Reader } from "./version1-reader.js";

/**
 * Opens a checkpoint of version 2, or of version 1 where there is none of version 2, as TensorFlow does.
 *
 * @param prefix the common prefix of its file paths; of version 1 also the path of its only file.
 * @throws TensorFlowError NOT_FOUND if there is neither; DATA_LOSS if it is damaged; RESOURCE_EXHAUSTED for one of version 1
 *   for which there is no memory, as its files are read as a whole.
 */
export async function openCheckpointReader(prefix: string, files: BundleFiles): Promise<CheckpointReader> {
  try {
    return await BundleReader.open(prefix, files);
  } catch (error) {
    if (!(error instanceof TensorFlowError) || error.code !== StatusCode.NOT_FOUND) throw error;
    const old = await Version1Reader.open(prefix, files);
    if (old === undefined) throw error;
    return old;
  }
}
