/** Constants of LevelDB's table format, which is used for the index of a checkpoint. */

/** The last eight bytes of a file, little-endian. */
export const TABLE_MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb] as const;

/** Two block handles, padded, and the magic number. */
export const FOOTER_BYTES = 48;

/** After each block: a byte for its compression and a masked checksum of both. */
export const BLOCK_TRAILER_BYTES = 5;

/** A block's compression: none. TensorFlow writes indexes without any. */
export const NO_COMPRESSION = 0;
