/** Values that are fed to tensors, and what is in the files that they come from. */
import { z } from "zod";
import { bytesSchema } from "./documents.js";
import { method } from "./method.js";
import { problemSchema } from "./problem.js";

/**
 * For CSV: the header's name or the 0-based number of the column; for .npz: the array's name; for TFRecord: the feature's
 * name; for a folder of images: "images" or "labels"; left out: all.
 */
const columnSchema = z.union([z.string(), z.number().int().nonnegative()]).optional();
/** Every step gets some rows of the file, in place of the whole. */
const batchedSchema = z.boolean().optional();

export const MAX_SHARDS = 10_000;
/** Every `count`th row of the file, from row `index` on: what one of several workers takes, before batches are made. */
const shardSchema = z
  .object({ count: z.number().int().min(1).max(MAX_SHARDS), index: z.number().int().min(0) })
  .refine(({ count, index }) => index < count)
  .optional();

/** The dtypes of the values in a tf.train.Example. */
export const featureDTypeSchema = z.enum(["float32", "int64", "string"]);

/** How a feature of TFRecord files is read, as by tf.io.FixedLenFeature; what is left out is as the records say. */
export const feedFeatureSchema = z.object({
  dtype: featureDTypeSchema.optional(),
  /** The shape of one record's values. */
  shape: z.array(z.number().int().nonnegative()).max(16).optional(),
  /** The value of records without the feature, written as a value is typed; a single element for all of the shape. */
  default: z.string().max(100_000).optional(),
});
export type FeedFeature = z.infer<typeof feedFeatureSchema>;
const featureSchema = feedFeatureSchema.optional();

/** The range of a pixel's 256 values in a tensor of real numbers: 0 to 1, -1 to 1, or 0 to 255. */
export const pixelRangeSchema = z.enum(["unit", "signed", "byte"]);
export type PixelRange = z.infer<typeof pixelRangeSchema>;

export const literalFeedSchema = z.object({ kind: z.literal("literal"), text: z.string() });

/** A .npy, .npz, CSV or TFRecord file, an image or a folder of images, on the machine that runs the application. */
export const fileFeedSchema = z.object({
  kind: z.literal("file"),
  path: z.string(),
  column: columnSchema,
  feature: featureSchema,
  batched: batchedSchema,
  shard: shardSchema,
  /** The range of bytes in a tensor of real numbers; 0 to 255 unless given. */
  range: pixelRangeSchema.optional(),
});

/** All of a content but its bytes, which files keep in another form. */
export const contentFeedFields = {
  kind: z.literal("content"),
  name: z.string(),
  column: columnSchema,
  feature: featureSchema,
  batched: batchedSchema,
  shard: shardSchema,
  range: pixelRangeSchema.optional(),
  /** The bytes are pixels that the window has made of images: rows of a picture of a batch, channels fastest. */
  pixels: z
    .object({ range: pixelRangeSchema, shape: z.array(z.number().int().nonnegative()).min(3).max(4) })
    .optional(),
  /** How it was made, if not taken as it was: "cut and resized from 640 × 480". */
  note: z.string().max(200).optional(),
};

/** A value fed to a tensor, as the user gave it. The application turns it into a tensor of the placeholder's dtype. */
export const feedValueSchema = z.discriminatedUnion("kind", [
  /** JSON-like text: 3, [1, 2, 3], [[1,2],[3,4]], "words". */
  literalFeedSchema,
  fileFeedSchema,
  /** The content of a .npy, .npz, CSV or TFRecord file that the browser holds. */
  z.object({ ...contentFeedFields, bytes: bytesSchema }),
]);
export type FeedValue = z.infer<typeof feedValueSchema>;

export const MAX_BATCH_SIZE = 1_000_000;

/** How the rows of batched feeds are divided over the steps; all of them have the same number of rows. */
export const feedBatchesSchema = z.object({
  /** Rows of a step. */
  size: z.number().int().min(1).max(MAX_BATCH_SIZE),
  /** Shuffles the rows anew in each epoch, always alike for the same seed; absent: they come in the file's order. */
  seed: z.number().int().min(0).max(0xffff_ffff).optional(),
  /** The run is done after so many passes over all rows; absent: as many as its steps need. */
  epochs: z.number().int().min(1).max(1_000_000).optional(),
  /** Leaves out the last rows of an epoch if they are too few for a batch. */
  dropLast: z.boolean(),
});
export type FeedBatches = z.infer<typeof feedBatchesSchema>;

const recordsSchema = z.object({
  records: z.number(),
  /** False if only the first records were looked at. */
  isComplete: z.boolean(),
  features: z.array(
    z.object({
      name: z.string(),
      /** Values of one dtype and number that some records have, from record `first` (counted from 1) on. */
      kinds: z.array(
        z.object({ dtype: featureDTypeSchema, length: z.number(), records: z.number(), first: z.number() }),
      ),
      /** Records without the feature. */
      missing: z.object({ records: z.number(), first: z.number() }).optional(),
    }),
  ),
});
export type FeedRecords = z.infer<typeof recordsSchema>;

/** The contents of a file. */
export const feedContentsSchema = z.object({
  /** The array of a .npy file, without a name, or those of a .npz file or folder of images; -1 for a size to choose. */
  arrays: z.array(z.object({ name: z.string().optional(), dtype: z.string(), shape: z.array(z.number()) })),
  /** The names of a table's columns; their numbers if it has no header. */
  columns: z.array(z.string()),
  /** The contents of a TFRecord file's records. */
  records: recordsSchema.optional(),
  /** Why it cannot be fed. */
  problem: problemSchema.optional(),
});
export type FeedContents = z.infer<typeof feedContentsSchema>;

/** The bytes at the start of a .npy or CSV file that tell what it holds. */
export const FEED_HEAD_BYTES = 64 * 1024;

export const feedMethods = {
  /** Finds the contents of a file; of a content that is neither .npz nor TFRecord, only the head is needed. */
  "feeds.contents": method(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("file"), path: z.string() }),
      z.object({ kind: z.literal("content"), name: z.string(), bytes: bytesSchema }),
    ]),
    feedContentsSchema,
  ),
} as const;
