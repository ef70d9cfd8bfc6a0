/** How TensorFlow's RingReduce cuts tensors: the one in the portable engine, and what is told of others in traces. */

/** Each chunk of a reduction begins at a multiple of this number of bytes (EIGEN_MAX_ALIGN_BYTES). */
const ALIGNMENT_BYTES = 64;

/**
 * The bytes of a chunk. As in TensorFlow's AlignedChunkElts, a whole unit is added to what is a multiple of it already.
 * @param bytes of an equal share of the tensor
 */
export function ringChunkBytes(bytes: number): number {
  return (Math.floor(bytes / ALIGNMENT_BYTES) + 1) * ALIGNMENT_BYTES;
}
