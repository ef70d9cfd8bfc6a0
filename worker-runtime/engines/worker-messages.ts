import { z } from "zod";

/** A message of a worker to the process that started it, over Node's IPC channel where there is one. */
export const workerMessageSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("serving"),
    /** "grpc://host:port". */
    target: z.string(),
    engine: z.enum(["tensorflow", "portable"]),
    /** TensorFlow's version, or Tensordeck's own for the portable engine. */
    version: z.string(),
    /** The library that was loaded; null for the portable engine, which needs none. */
    library: z.string().nullable(),
    /** Whether the engine was built for GPUs; null when it does not say. */
    gpuBuild: z.boolean().nullable(),
    /** The task was started without GPUs. */
    gpuHidden: z.boolean(),
    /** The serialized ServerDef that it runs with, in base64: ports are chosen. */
    serverDef: z.string(),
  }),
  z.object({ kind: z.literal("failed"), code: z.number(), message: z.string() }),
]);
export type WorkerMessage = z.infer<typeof workerMessageSchema>;
