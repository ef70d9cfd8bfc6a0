/**
 * The variables of a graph in the tasks that hold them. A window sends the graph once; values stay in the application,
 * where `tensors.*` shows parts of them.
 */
import { z } from "zod";
import { bytesSchema } from "./documents.js";
import { feedValueSchema } from "./feeds.js";
import { method } from "./method.js";
import { tensorAddressSchema } from "./tensors.js";

/** The most variables whose figures are read at once. */
export const MAX_READ_VARIABLES = 64;
/** Bins of the small histograms beside the figures. */
export const VARIABLE_BINS = 12;
/** The most elements of a variable that are shown as they are. */
export const MAX_SHOWN_ELEMENTS = 6;

/** Identifies the graph that was sent with `variables.inspect`. */
const graphId = z.string().min(1).max(64);
const variableName = z.string().max(4096);
/** Identifies work that takes long; its progress comes as `tensorJobs` events, and `tensors.cancel` ends it. */
const jobId = z.string().min(1).max(64);
/** Identifies values that were set aside. */
const keptId = z.string().min(1).max(64);

export const variableStateSchema = z.object({
  /** The node's name. */
  name: z.string(),
  initialized: z.boolean(),
  /** The device that holds it, as a step measured; absent if that was not recorded. */
  device: z.string().optional(),
});
export type VariableState = z.infer<typeof variableStateSchema>;

/** The value of a variable in short. */
export const variableFiguresSchema = z.object({
  name: z.string(),
  dtype: z.string(),
  shape: z.array(z.number()),
  byteLength: z.number(),
  /** The elements of a value that has few. */
  elements: z.array(z.string()).optional(),
  /** Figures of the finite elements of a larger one. */
  figures: z
    .object({
      mean: z.number(),
      std: z.number(),
      min: z.number(),
      max: z.number(),
      bins: z.array(z.number()),
      /** Elements that are NaN or infinite. */
      notFinite: z.number(),
    })
    .optional(),
});
export type VariableFigures = z.infer<typeof variableFiguresSchema>;

export const keptVariableSchema = z.object({
  address: tensorAddressSchema,
  dtype: z.string(),
  shape: z.array(z.number()),
  elementCount: z.number(),
  byteLength: z.number(),
  /** Counts how often it was read. */
  reading: z.number(),
});
export type KeptVariable = z.infer<typeof keptVariableSchema>;

export const variableMethods = {
  /** Which variables of a graph have a value, and where they are. */
  "variables.inspect": method(
    z.object({ graph: bytesSchema }),
    z.object({ graphId: z.string(), variables: z.array(variableStateSchema) }),
  ),
  /** Reads initialized variables; larger ones than 64 MB are left out. */
  "variables.figures": method(
    z.object({ graphId, names: z.array(variableName).min(1).max(MAX_READ_VARIABLES) }),
    z.array(variableFiguresSchema),
  ),
  /** Reads one variable and keeps its value for `tensors.*`. */
  "variables.keep": method(z.object({ graphId, name: variableName }), keptVariableSchema),
  /** Gives one variable a value of its dtype and shape. */
  "variables.assign": method(z.object({ graphId, name: variableName, value: feedValueSchema }), z.object({})),
  /** Writes variables into a checkpoint of TensorFlow's own format. Those without a value are left out. */
  "variables.save": method(
    z.object({ graphId, names: z.array(variableName).min(1), path: z.string().min(1).max(4096), jobId }),
    z.object({
      /** The common beginning of the paths of its files. */
      prefix: z.string(),
      saved: z.number(),
      byteLength: z.number(),
      /** Variables without a value. */
      skipped: z.array(z.string()),
    }),
  ),
  /**
   * Gives variables the values that a checkpoint has under their names, under those from which Savers of the graph restore
   * them or of objects of TensorFlow 2, or those that Keras saved of their layers.
   */
  "variables.restore": method(
    z.object({
      graphId,
      names: z.array(variableName).min(1),
      path: z.string().min(1).max(4096),
      jobId,
      /** The operation of the document's own Saver that restores everything. */
      restoreOp: variableName.optional(),
    }),
    z.object({
      restored: z.number(),
      /** Variables that the checkpoint does not have; they keep their values. */
      missing: z.array(z.string()),
      /** Layers in a file of Keras that suit no variables of the graph. */
      unused: z.array(z.string()),
    }),
  ),
  /** Keeps the values that variables have now, before they are replaced or moved. The newest few are kept. */
  "variables.setAside": method(
    z.object({ graphId, names: z.array(variableName).min(1), jobId }),
    z.object({ keptId }),
  ),
  /** Gives variables the values that were set aside, also those of a graph with other pins. */
  "variables.bringBack": method(
    z.object({
      ...{ graphId, names: z.array(variableName).min(1), keptId, jobId },
      /** The names that variables had when their values were set aside, where they have others now. */
      keptAs: z.record(variableName, variableName).optional(),
    }),
    z.object({ restored: z.number() }),
  ),
} as const;
