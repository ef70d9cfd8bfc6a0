/**
 * Fetched tensors, which stay in the application: a window requests the cells, pictures and figures of the part that it
 * shows, each of them limited in size, so that a large tensor is never sent whole.
 */
import { z } from "zod";
import { bytesSchema } from "./documents.js";
import { method, nothing } from "./method.js";

const index = z.number().int().nonnegative();

/** A tensor that a run fetched; of several steps, the newest. */
export const tensorAddressSchema = z.object({
  runId: z.string().max(64),
  /** "z:0". */
  name: z.string().max(4096),
});
export type TensorAddress = z.infer<typeof tensorAddressSchema>;

/** The selected part of each dimension: an index, or every `step`-th index of [from, to). */
export const selectionSchema = z
  .array(z.union([index, z.object({ from: index, to: index, step: z.number().int().min(1) })]))
  .max(254);

/** A part of a tensor as rows and columns. */
const gridFields = {
  tensor: tensorAddressSchema,
  selection: selectionSchema,
  /** The dimension that runs across, null for none; by default the last that is kept. All others run down. */
  columnAxis: index.nullish(),
};

/** The most cells of one request. */
export const MAX_CELLS = 100_000;
/** The most columns or rows of a picture, and the most points of a line. */
export const MAX_PICTURE_SIDE = 1024;
export const MAX_LINES = 16;
export const MAX_BINS = 512;
export const MAX_TOP = 100;

const countSchema = z.number().int().min(1);

/** Identifies work that takes long, for its progress and to cancel it; chosen by the window. */
const jobId = z.string().min(1).max(64);

/** The facts about a kept tensor that are known without looking at its elements. */
export const keptTensorSchema = z.object({
  name: z.string(),
  dtype: z.string(),
  shape: z.array(z.number()),
  elementCount: z.number(),
  byteLength: z.number(),
  /** The step that it is of. */
  step: z.number(),
});
export type KeptTensor = z.infer<typeof keptTensorSchema>;

export const cellsSchema = z.object({
  /** Row by row, formatted for the dtype; a long string is cut. */
  values: z.array(z.string()),
  rows: z.number(),
  columns: z.number(),
  step: z.number(),
});

/** Figures of numbers; of complex ones, their absolute values. NaN and infinities are counted and else left out. */
export const statisticsSchema = z.object({
  count: z.number(),
  nan: z.number(),
  positiveInfinity: z.number(),
  negativeInfinity: z.number(),
  zeros: z.number(),
  /** Figures of the finite elements; absent if there are none. */
  finite: z.object({ min: z.number(), max: z.number(), mean: z.number(), std: z.number() }).optional(),
  /** Finite elements in equal bins from `min` to `max`, as numpy.histogram counts them; empty if there are none. */
  bins: z.array(z.number()),
  step: z.number(),
});
export type TensorStatistics = z.infer<typeof statisticsSchema>;

/** A part of a tensor as a picture of at most MAX_PICTURE_SIDE by MAX_PICTURE_SIDE cells. */
export const heatMapSchema = z.object({
  /** Rows and columns of the part. */
  rows: z.number(),
  columns: z.number(),
  /** Cells of the picture; fewer than rows and columns if several elements share a cell. */
  width: z.number(),
  height: z.number(),
  /** Float32 values, row by row: the mean of a cell's finite elements, NaN if there are none. */
  cells: bytesSchema,
  /** The range of the cells; absent if none is finite. */
  range: z.object({ min: z.number(), max: z.number() }).optional(),
  step: z.number(),
});
export type HeatMap = z.infer<typeof heatMapSchema>;

export const imageSchema = z.object({
  width: z.number(),
  height: z.number(),
  /** Size in elements, larger than the picture if every n-th pixel was taken. */
  fullWidth: z.number(),
  fullHeight: z.number(),
  channels: z.number(),
  /** 8-bit red, green, blue and alpha, row by row. */
  rgba: bytesSchema,
  /** Values that are drawn as black and as full brightness. */
  low: z.number(),
  high: z.number(),
  step: z.number(),
});
export type TensorImage = z.infer<typeof imageSchema>;

export const linesSchema = z.object({
  /** One per row, at most MAX_LINES; the lowest and the highest finite element of each point, NaN if there is none. */
  lines: z.array(z.object({ low: z.array(z.number().or(z.nan())), high: z.array(z.number().or(z.nan())) })),
  /** Elements per point; 1 if every element is a point. */
  elementsPerPoint: z.number(),
  rows: z.number(),
  columns: z.number(),
  step: z.number(),
});
export type TensorLines = z.infer<typeof linesSchema>;

export const topSchema = z.object({
  /** The largest first; NaN is left out. Equal values in order of their index. */
  top: z.array(z.object({ index: z.number(), value: z.number(), text: z.string() })),
  /** The sum of the others, for a row that sums to one. */
  rest: z.number(),
  columns: z.number(),
  step: z.number(),
});
export type TopScores = z.infer<typeof topSchema>;

const part = z.object({ from: index, count: countSchema });

export const tensorMethods = {
  "tensors.describe": method(tensorAddressSchema, keptTensorSchema),
  /** Fewer cells at the end of the grid; MAX_CELLS at most. */
  "tensors.cells": method(z.object({ ...gridFields, rows: part, columns: part }), cellsSchema),
  /** Progress comes as `tensorJobs` events, as for all work with a `jobId`. */
  "tensors.statistics": method(
    z.object({
      tensor: tensorAddressSchema,
      selection: selectionSchema,
      bins: countSchema.max(MAX_BINS),
      jobId,
    }),
    statisticsSchema,
  ),
  /** `width` and `height` are upper limits. */
  "tensors.heatMap": method(
    z.object({
      ...gridFields,
      width: countSchema.max(MAX_PICTURE_SIDE),
      height: countSchema.max(MAX_PICTURE_SIDE),
      jobId,
    }),
    heatMapSchema,
  ),
  /**
   * The part must keep height and width, or height, width and 1, 3 or 4 channels. Without a range: 0 to 255 for uint8,
   * otherwise from the lowest to the highest finite element, or 0 to 1 if all are between.
   */
  "tensors.image": method(
    z.object({
      tensor: tensorAddressSchema,
      selection: selectionSchema,
      range: z.object({ low: z.number(), high: z.number() }).optional(),
      jobId,
    }),
    imageSchema,
  ),
  "tensors.lines": method(
    z.object({ ...gridFields, points: countSchema.max(MAX_PICTURE_SIDE), jobId }),
    linesSchema,
  ),
  /** The largest elements of one row. */
  "tensors.top": method(
    z.object({ ...gridFields, row: index, count: countSchema.max(MAX_TOP), jobId }),
    topSchema,
  ),
  /** Writes a part into a file of the application's machine, replacing one of that name. */
  "tensors.save": method(
    z.object({
      ...gridFields,
      format: z.enum(["npy", "csv"]),
      path: z.string().min(1).max(4096),
      jobId,
    }),
    z.object({ path: z.string(), byteLength: z.number() }),
  ),
  /** Ends work of this window with CANCELLED; does nothing if there is none of that id. */
  "tensors.cancel": method(z.object({ jobId }), nothing),
} as const;

export const tensorEvents = {
  /** All work on tensors that takes long, with the part that is done, from 0 to 1; at most four times a second. */
  tensorJobs: z.array(z.object({ jobId: z.string(), done: z.number() })),
} as const;
