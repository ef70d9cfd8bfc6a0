import { z } from "zod";

/** A kernel of the portable engine, described by the nodes that it handles. */
export const kernelSchema = z.object({
  op: z.string(),
  /** "CPU" */
  deviceType: z.string(),
  /** Names of dtypes ("float32") by type attribute ("T"); an attribute that is not named may be any. */
  types: z.record(z.string(), z.array(z.string())),
});

export const kernelListSchema = z.object({
  /** The version of Tensordeck whose portable engine has them. A task of another version may have others. */
  version: z.string(),
  kernels: z.array(kernelSchema),
});
export type KernelList = z.infer<typeof kernelListSchema>;
