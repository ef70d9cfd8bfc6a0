import { z } from "zod";
import { problemSchema } from "./problem.js";

/** A libtensorflow that was found on this machine. */
export const runtimeSchema = z.object({
  /** The library that is loaded, an absolute path. */
  path: z.string(),
  /** Its origin, in words: "installed by Tensordeck", "Python's tensorflow package", … */
  origin: z.string(),
  version: z.string(),
  /** True for a library that was built with CUDA. */
  gpu: z.boolean(),
});
export type Runtime = z.infer<typeof runtimeSchema>;

export const installProgressSchema = z.object({
  phase: z.enum(["checking", "downloading", "unpacking", "verifying"]),
  doneBytes: z.number(),
  /** 0 while it is not known. */
  totalBytes: z.number(),
});
export type InstallProgress = z.infer<typeof installProgressSchema>;

export const runtimeStateSchema = z.object({
  /** The library that new tasks will use; absent when there is none. */
  runtime: runtimeSchema.optional(),
  /** The version that can be installed here; absent when this platform has no wheel. */
  offer: z
    .object({
      version: z.string(),
      downloadBytes: z.number(),
      installedBytes: z.number(),
      freeBytes: z.number(),
      gpu: z.boolean(),
      /** A notice before installation, as a sentence: for example that the machine's GPU will not be used. */
      note: z.string().optional(),
    })
    .optional(),
  /** Why nothing can be installed, or why the last installation failed. */
  problem: problemSchema.optional(),
  /** Present while an installation is running. */
  progress: installProgressSchema.optional(),
});
export type RuntimeState = z.infer<typeof runtimeStateSchema>;
