/** Trained graphs as models for other programs. */
import { z } from "zod";
import { bytesSchema } from "./documents.js";
import { method } from "./method.js";

/** The most inputs, or outputs, of a model. */
const MAX_TENSORS = 1000;

/** Tensor names, "x:0", by the names that the model gives them. */
const tensors = z
  .record(z.string().min(1).max(256), z.string().max(4096))
  .refine((names) => Object.keys(names).length <= MAX_TENSORS, `at most ${MAX_TENSORS} tensors`);

export const modelFormatSchema = z.enum(["saved_model", "frozen"]);
/** saved_model: a folder with the graph and its variables. frozen: a GraphDef in which they are constants. */
export type ModelFormat = z.infer<typeof modelFormatSchema>;

export const modelMethods = {
  /** Writes a graph with the values of its variables, as stock TensorFlow loads it. */
  "models.export": method(
    z.object({
      graph: bytesSchema,
      format: modelFormatSchema,
      /** Other nodes become placeholders. */
      inputs: tensors,
      outputs: tensors,
      path: z.string().min(1).max(4096),
      /** The common beginning of the paths of its files; absent: the values that the tasks hold. */
      checkpoint: z.string().min(1).max(4096).optional(),
      /** The operation of the document's own Saver that restores everything: a checkpoint has values under its names. */
      restoreOp: z.string().min(1).max(4096).optional(),
      /** Replace a model that is there. */
      overwrite: z.boolean(),
      /** Its progress comes as `tensorJobs` events, and `tensors.cancel` ends it. */
      jobId: z.string().min(1).max(64),
    }),
    z.object({ path: z.string(), variables: z.number(), byteLength: z.number() }),
  ),
} as const;
